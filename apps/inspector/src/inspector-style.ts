import { css } from 'lit'

export const inspectorStyle = css`
  :host {
    display: block;
    min-block-size: 100dvh;
    background: var(--p-page);
  }
  header {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px 18px;
    padding: 10px 18px;
    background: var(--p-surface);
    border-block-end: 1px solid var(--p-line);
  }
  h1 {
    display: flex;
    align-items: center;
    gap: 9px;
    font-size: 17px;
    margin: 0;
  }
  .sources {
    display: flex;
    flex-wrap: wrap;
    padding: 3px;
    border-radius: 999px;
    background: var(--p-sunken);
  }
  .sources button {
    border-color: transparent;
    min-block-size: 32px;
    font-size: 13.5px;
  }
  .sources button[aria-pressed='true'] {
    background: var(--p-surface);
    border-color: var(--p-control);
  }
  .files {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    margin-inline-start: auto;
  }
  .files button,
  .file {
    font-size: 13.5px;
    font-weight: 600;
    min-block-size: 34px;
    padding: 5px 12px;
    border: 1px solid var(--p-control);
    border-radius: 999px;
    cursor: pointer;
    display: inline-flex;
    align-items: center;
    line-height: 1.2;
  }
  .file:focus-within {
    outline: 3px solid var(--p-focus);
    outline-offset: 2px;
  }
  .file input {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    opacity: 0;
  }
  select {
    font: inherit;
    font-size: 16px;
    color: var(--p-text);
    background: var(--p-surface);
    border: 1px solid var(--p-control);
    border-radius: 999px;
    padding: 4px 10px;
    max-inline-size: 16em;
  }
  main {
    display: grid;
    gap: 12px;
    padding: 12px 18px 32px;
    max-inline-size: 1900px;
    margin-inline: auto;
  }
  .help {
    padding: 12px 14px;
    border-radius: 14px;
    background: var(--p-note-soft);
    color: var(--p-on-note-soft);
  }
  .help a {
    color: inherit;
    font-weight: 600;
  }
  .help button {
    min-block-size: 30px;
    padding: 3px 11px;
    font-size: 13px;
    margin-inline-start: 8px;
  }
  .failure {
    margin: 12px 18px 0;
    padding: 10px 14px;
  }
  .grid {
    display: grid;
    gap: 12px;
    grid-template-columns: repeat(12, minmax(0, 1fr));
    align-items: start;
  }
  .party {
    grid-column: span 4;
    display: grid;
    grid-template-columns: 3fr 2fr;
    gap: 8px;
  }
  .party h2 {
    font-size: 16px;
    grid-column: 1 / -1;
    padding-inline-start: 4px;
  }
  .party .media {
    grid-column: 1 / -1;
  }
  inspect-log,
  inspect-media,
  inspect-steps,
  inspect-counts {
    grid-column: span 4;
  }
  inspect-steps {
    grid-row: 2;
    grid-column: 1 / span 4;
  }
  inspect-media {
    grid-column: 5 / span 4;
  }
  @media (max-width: 1450px) {
    .party,
    inspect-media,
    inspect-steps,
    inspect-log,
    inspect-counts {
      grid-column: span 6;
      grid-row: auto;
    }
  }
  @media (max-width: 760px) {
    .party,
    inspect-media,
    inspect-steps,
    inspect-log,
    inspect-counts {
      grid-column: 1 / -1;
    }
    .party {
      grid-template-columns: 1fr;
    }
    .files {
      margin-inline-start: 0;
    }
  }
`
