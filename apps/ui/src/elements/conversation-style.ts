import { css } from 'lit'

export const conversationStyle = css`
  :host {
    position: relative;
    display: flex;
    flex-direction: column;
    min-block-size: 0;
    min-inline-size: 0;
    background: var(--p-surface);
  }
  .banners {
    flex: none;
  }
  .note,
  .problem {
    display: flex;
    align-items: center;
    gap: 10px;
    padding: 4px 14px;
    font-size: 14px;
    background: var(--p-note-soft);
    color: var(--p-on-note-soft);
  }
  .problem {
    background: var(--p-danger-soft);
    color: var(--p-on-danger-soft);
  }
  .problem.mild {
    background: var(--p-note-soft);
    color: var(--p-on-note-soft);
  }
  @media (forced-colors: active) {
    .note,
    .problem {
      border-block-end: 1px solid;
    }
  }
  .words {
    flex: 1;
    padding-block: 6px;
  }
  .words button {
    margin-inline-start: -8px;
  }
  duolog-call {
    flex: none;
  }
  duolog-call.pictures {
    flex: 3 1 auto;
    min-block-size: 160px;
    max-block-size: 60%;
  }
  duolog-messages {
    flex: 2 1 90px;
    min-block-size: 90px;
  }
  @media (max-height: 480px) {
    duolog-call.pictures {
      flex: none;
      max-block-size: none;
    }
    duolog-messages {
      flex: none;
      max-block-size: 60dvh;
      overflow: hidden;
      display: flex;
    }
    .foot {
      margin-block-start: auto;
    }
  }
  .waiting {
    margin: 12px 16px 0;
    padding: 10px 14px;
    border-radius: var(--p-radius);
    background: var(--p-sunken);
    font-size: 14px;
  }
  .typing {
    min-block-size: 20px;
    padding-inline: 16px;
    font-size: 13px;
    color: var(--p-muted);
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .foot {
    border-block-start: 1px solid var(--p-line);
    flex: none;
  }
  .ending {
    padding: 14px 16px;
    text-align: center;
    border-block-start: 1px solid var(--p-line);
  }
  .drop {
    position: absolute;
    inset: 8px;
    z-index: 2;
    display: grid;
    place-items: center;
    border: 2px dashed var(--p-accent);
    border-radius: var(--p-radius);
    background: color-mix(in srgb, var(--p-surface) 88%, transparent);
    color: var(--p-accent);
    font-weight: 600;
    pointer-events: none;
  }
`
