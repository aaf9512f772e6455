import { css } from 'lit'

export const fieldStyle = css`
  :host {
    display: block;
    margin-block-end: 10px;
  }
  .name {
    font-size: 13px;
    color: var(--p-muted);
    overflow-wrap: anywhere;
  }
  .row {
    display: flex;
    align-items: flex-start;
    gap: 4px;
  }
  .value {
    flex: 1;
    min-inline-size: 0;
    overflow-wrap: anywhere;
  }
  .value span {
    white-space: pre-wrap;
  }
  .row button {
    inline-size: 32px;
    min-block-size: 32px;
    margin-block: -6px;
  }
  .row svg {
    inline-size: 17px;
    block-size: 17px;
  }
  /* Of several lines, and all of it is clicked. */
  a {
    display: inline-block;
    color: var(--p-accent);
  }
  form {
    display: grid;
    gap: 6px;
    margin-block: 4px 8px;
  }
  textarea {
    resize: vertical;
  }
  .check {
    display: flex;
    align-items: center;
    gap: 8px;
    font-weight: 400;
  }
  .failure:not(:empty) {
    margin-block-start: 4px;
    padding: 6px 10px;
    font-size: 14px;
  }
  .buttons {
    display: flex;
    gap: 8px;
  }
  .buttons button {
    min-block-size: 34px;
    padding-block: 4px;
  }
  .before {
    font-size: 13px;
    color: var(--p-muted);
    overflow-wrap: anywhere;
  }
`
