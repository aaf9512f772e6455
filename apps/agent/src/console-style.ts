import { css } from 'lit'

export const consoleStyle = css`
  :host {
    display: block;
    block-size: 100dvh;
    background: var(--p-page);
  }
  .console {
    block-size: 100%;
    display: grid;
    grid-template-columns: 300px minmax(0, 1fr);
    grid-template-rows: auto minmax(0, 1fr);
    background: var(--p-surface);
  }
  .console.has-selection {
    grid-template-columns: 300px minmax(0, 1fr) 280px;
  }
  .calls {
    grid-column: 1 / -1;
  }
  .side {
    display: flex;
    flex-direction: column;
    gap: 12px;
    padding: 16px;
    overflow-y: auto;
    background: var(--p-page);
    border-inline-end: 1px solid var(--p-line);
  }
  .side h2 {
    font-size: 14px;
    color: var(--p-muted);
    margin-block-start: 8px;
  }
  .me {
    display: flex;
    align-items: center;
    gap: 12px;
  }
  .name {
    flex: 1;
    font-weight: 700;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .ready {
    inline-size: 100%;
    justify-content: flex-start;
    gap: 12px;
    background: var(--p-surface);
  }
  .track {
    inline-size: 40px;
    block-size: 22px;
    border-radius: 11px;
    padding: 2px;
    display: flex;
    border: 1px solid var(--p-control);
    background: var(--p-sunken);
  }
  .thumb {
    inline-size: 16px;
    block-size: 16px;
    border-radius: 50%;
    background: var(--p-control);
  }
  [aria-checked='true'] .track {
    justify-content: flex-end;
    background: var(--p-accent);
    border-color: var(--p-accent);
  }
  [aria-checked='true'] .thumb {
    background: var(--p-on-accent);
  }
  .id {
    font-size: 12px;
    color: var(--p-muted);
    overflow-wrap: anywhere;
  }
  .none {
    color: var(--p-muted);
    font-size: 14px;
  }
  .note,
  .failure {
    display: flex;
    align-items: center;
    gap: 8px;
    margin-block-start: 8px;
    padding: 8px 12px;
    border-radius: var(--p-radius);
    font-size: 14px;
  }
  .note {
    background: var(--p-note-soft);
    color: var(--p-on-note-soft);
  }
  .failure span {
    flex: 1;
  }
  .contacts {
    display: grid;
    gap: 4px;
  }
  .contact {
    inline-size: 100%;
    justify-content: flex-start;
    gap: 12px;
    padding: 8px;
    border-color: transparent;
    border-radius: var(--p-radius);
    text-align: start;
    font-weight: 400;
  }
  .contact[aria-current='true'] {
    background: var(--p-surface);
    border-color: var(--p-control);
  }
  .contact[data-stage='ended'] .avatar {
    background: var(--p-sunken);
    color: var(--p-muted);
  }
  .names {
    flex: 1;
    min-inline-size: 0;
    display: grid;
    gap: 3px;
  }
  .preview {
    font-size: 13px;
    color: var(--p-muted);
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .badge {
    min-inline-size: 22px;
    padding: 3px 6px;
    border-radius: 999px;
    background: var(--p-danger);
    color: var(--p-on-danger);
    font-size: 13px;
    font-weight: 700;
    text-align: center;
  }
  .badge.call {
    display: inline-flex;
    background: var(--p-accent);
    color: var(--p-on-accent);
  }
  .badge svg {
    inline-size: 16px;
    block-size: 16px;
  }
  main {
    min-inline-size: 0;
    min-block-size: 0;
    display: flex;
    flex-direction: column;
  }
  .choose {
    margin: auto;
    padding: 24px;
    display: grid;
    justify-items: center;
    gap: 10px;
    color: var(--p-muted);
    text-align: center;
  }
  .choose svg {
    inline-size: 40px;
    block-size: 40px;
  }
  .bar {
    display: flex;
    align-items: center;
    gap: 8px;
    padding: 10px 16px;
    border-block-end: 1px solid var(--p-line);
  }
  .bar duolog-peer {
    flex: 1;
  }
  duolog-conversation {
    flex: 1;
    min-block-size: 0;
  }
  .data {
    border-inline-start: 1px solid var(--p-line);
    overflow-y: auto;
    background: var(--p-page);
  }
  .bar .danger svg {
    display: none;
  }
  .back,
  .about {
    display: none;
  }
  duolog-live-call {
    margin: 8px 16px;
    flex: none;
  }
  @media (forced-colors: active) {
    .thumb {
      forced-color-adjust: none;
      background: ButtonText;
    }
    [aria-checked='true'] .track {
      forced-color-adjust: none;
      background: Highlight;
      border-color: Highlight;
    }
    [aria-checked='true'] .thumb {
      background: HighlightText;
    }
  }
  @media (max-height: 480px) {
    main {
      overflow-y: auto;
    }
    main duolog-conversation {
      flex: none;
    }
  }
  .about[aria-pressed='true'] {
    background: var(--p-sunken);
    border-color: var(--p-control);
  }
  @media (max-width: 1080px) {
    .console.has-selection {
      grid-template-columns: 280px minmax(0, 1fr);
    }
    .about {
      display: inline-flex;
    }
    .data {
      display: none;
    }
    .console.has-selection.shows-data {
      grid-template-columns: 280px minmax(0, 1fr) 260px;
    }
    .shows-data .data {
      display: block;
    }
  }
  @media (max-width: 760px) {
    .console,
    .console.has-selection,
    .console.has-selection.shows-data {
      grid-template-columns: minmax(0, 1fr);
      grid-template-rows: auto minmax(0, 1fr);
    }
    .has-selection .side,
    .console:not(.has-selection) main {
      display: none;
    }
    .shows-data {
      grid-template-rows: auto minmax(0, 1fr) minmax(0, 40%) !important;
    }
    .shows-data .data {
      border-inline-start: 0;
      border-block-start: 1px solid var(--p-line);
    }
    .back {
      display: inline-flex;
    }
    .bar {
      gap: 4px;
      padding-inline: 8px;
    }
    .bar button {
      padding-inline: 10px;
    }
    .bar button span {
      display: none;
    }
    .bar .danger svg {
      display: block;
    }
  }
`
