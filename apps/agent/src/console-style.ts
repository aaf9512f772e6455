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
    container-type: inline-size;
  }
  .bar duolog-peer {
    flex: 1;
  }
  duolog-conversation,
  duolog-reply-list,
  duolog-past,
  duolog-supervisor {
    flex: 1;
    min-block-size: 0;
  }
  duolog-reply-list {
    display: flex;
    flex-direction: column;
    position: relative;
  }
  .data {
    border-inline-start: 1px solid var(--p-line);
    overflow-y: auto;
    background: var(--p-page);
  }
  .bar :is(.danger, .dismiss) svg {
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
    main duolog-conversation,
    main duolog-reply-list {
      flex: 1 0 auto;
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
    .has-view .side,
    .console:not(.has-selection, .has-view) main > :not(h1) {
      display: none;
    }
    .console:not(.has-selection, .has-view) main {
      position: absolute;
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
  }
  /* Beside the visitor's data or in a narrow window there is room for the icons only. */
  @container (max-width: 560px) {
    .bar button span {
      display: none;
    }
    .bar :is(.danger, .dismiss) svg {
      display: block;
    }
  }
  /* The words of a status have the room of the picture. */
  @container (max-width: 360px) {
    .bar duolog-peer::part(avatar) {
      display: none;
    }
  }
`
