import { css } from 'lit'

/** The column beside the conversation. What narrow windows and forced colours change is in `consoleStyle`. */
export const sideStyle = css`
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
  @media (forced-colors: active) {
    .note {
      border: 1px solid;
    }
  }
  .failure span {
    flex: 1;
  }
  .tools {
    display: grid;
    gap: 4px;
  }
  .tool {
    justify-content: flex-start;
    border-radius: var(--p-radius);
    border-color: transparent;
  }
  .tool .label {
    flex: 1;
    min-inline-size: 0;
    text-align: start;
    overflow-wrap: anywhere;
  }
  .tool[aria-pressed='true'] {
    background: var(--p-surface);
    border-color: var(--p-control);
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
`
