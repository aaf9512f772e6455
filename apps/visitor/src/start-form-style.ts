import { css } from 'lit'

export const startFormStyle = css`
  :host {
    display: block;
    overflow-y: auto;
    padding: 20px;
  }
  h2 {
    font-size: 20px;
    line-height: 1.25;
  }
  form {
    display: grid;
    gap: 6px;
    margin-block-start: 16px;
  }
  .intro,
  .hint {
    color: var(--p-muted);
  }
  .intro {
    margin-block-start: 6px;
  }
  .hint {
    font-size: 13px;
  }
  label:not(:first-child) {
    margin-block-start: 10px;
  }
  /* What comes into view brings its label, and what is wrong with it. */
  input,
  textarea {
    scroll-margin-block: 72px 48px;
  }
  textarea {
    resize: vertical;
    min-block-size: 84px;
  }
  button {
    margin-block-start: 14px;
  }
  .error {
    color: var(--p-danger);
    font-size: 14px;
  }
  .check {
    display: flex;
    align-items: center;
    gap: 10px;
    margin-block-start: 10px;
  }
  .closed {
    margin-block-start: 12px;
    padding: 10px 12px;
    border-radius: var(--p-radius);
    background: var(--p-note-soft);
    color: var(--p-on-note-soft);
  }
  .failure {
    margin-block-start: 8px;
    padding: 10px 12px;
  }
`
