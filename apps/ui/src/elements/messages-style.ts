import { css } from 'lit'

export const messagesStyle = css`
  :host {
    display: block;
    position: relative;
    min-block-size: 0;
  }
  .scroll {
    block-size: 100%;
    overflow-y: auto;
    overscroll-behavior: contain;
    padding: 14px 16px;
    display: flex;
    flex-direction: column;
    inline-size: 100%;
  }
  .list {
    margin-block-start: auto;
    display: flex;
    flex-direction: column;
    gap: 4px;
  }
  .scroll:focus-visible {
    outline-offset: -3px;
  }
  .message {
    max-inline-size: 85%;
    display: flex;
    flex-direction: column;
  }
  .own {
    align-self: flex-end;
    align-items: flex-end;
  }
  .remote {
    align-self: flex-start;
    align-items: flex-start;
  }
  .who {
    font-size: 13px;
    font-weight: 600;
    color: var(--p-muted);
    margin-block: 6px 2px;
  }
  .bubble {
    /* Seen where colours are forced, and backgrounds are not. */
    border: 1px solid transparent;
    padding: 7px 11px;
    border-radius: var(--p-bubble-radius, 14px);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    max-inline-size: 100%;
    unicode-bidi: isolate;
  }
  .own .bubble {
    background: var(--p-accent);
    color: var(--p-on-accent);
    border-end-end-radius: 4px;
  }
  .remote .bubble {
    background: var(--p-sunken);
    color: var(--p-text);
    border-end-start-radius: 4px;
  }
  .bubble a {
    color: inherit;
    text-decoration: underline;
    text-underline-offset: 2px;
  }
  .replies {
    display: flex;
    flex-wrap: wrap;
    gap: 6px;
    margin-block: 4px 8px;
  }
  .replies button {
    color: var(--p-accent);
    border-color: currentcolor;
    max-inline-size: 100%;
    overflow-wrap: anywhere;
  }
  .bubble code {
    font-family: ui-monospace, 'Liberation Mono', monospace;
    font-size: 0.93em;
  }
  .day {
    align-self: center;
    margin-block: 10px 4px;
    padding: 2px 12px;
    border: 1px solid var(--p-line);
    border-radius: 999px;
    font-size: 13px;
    font-weight: 600;
    color: var(--p-muted);
  }
  .meta {
    display: flex;
    align-items: center;
    gap: 4px;
    font-size: 12px;
    color: var(--p-muted);
    margin-block: 2px 4px;
  }
  .mark {
    display: inline-flex;
  }
  .mark svg {
    inline-size: 15px;
    block-size: 15px;
  }
  [data-delivery='delivered'] .mark {
    color: var(--p-accent);
  }
  [data-delivery='failed'] .mark {
    color: var(--p-danger);
  }
  [data-delivery='failed'] .bubble {
    background: var(--p-sunken);
    color: var(--p-text);
    border: 1px dashed var(--p-danger);
  }
  .failure {
    font-size: 13px;
    padding: 6px 10px;
    margin-block-end: 6px;
  }
  .notice {
    align-self: center;
    text-align: center;
    font-size: 13px;
    color: var(--p-muted);
    margin-block: 4px;
  }
  .notice time::before {
    content: '· ' / '';
  }
  .newer {
    position: absolute;
    inset-block-end: 8px;
    inset-inline: 0;
    margin-inline: auto;
    inline-size: max-content;
    min-block-size: 34px;
    background: var(--p-surface);
    color: var(--p-accent);
    box-shadow: var(--p-shadow);
  }
`
