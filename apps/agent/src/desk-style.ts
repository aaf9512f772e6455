/** Styles of what agents work with beside a conversation. */
import { css } from 'lit'

/** Notes look like nothing that a visitor sees: their own ground, a broken edge, and an icon that says hidden. */
export const noteStyle = css`
  :host {
    display: block;
    padding: 0 16px 16px;
  }
  section {
    padding: 12px;
    border: 2px dashed var(--p-on-note-soft);
    border-radius: var(--p-radius);
    background: var(--p-note-soft);
    color: var(--p-on-note-soft);
  }
  h2 {
    display: flex;
    align-items: center;
    gap: 8px;
    font-size: 16px;
  }
  .hint,
  .none,
  .keys {
    font-size: 13px;
    margin-block: 4px 8px;
  }
  ul {
    display: grid;
    gap: 10px;
    margin-block: 8px;
    max-block-size: 40vh;
    overflow-y: auto;
  }
  .by {
    font-size: 13px;
    font-weight: 600;
    overflow-wrap: anywhere;
  }
  .text {
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  textarea {
    resize: vertical;
    font-size: 16px;
  }
  form button {
    border-color: currentcolor;
  }
  .failure:not(:empty) {
    margin-block-end: 8px;
  }
  label {
    display: block;
    margin-block-end: 4px;
  }
`

/** The list of canned replies stands over the messages, at the field in which it was asked for. */
export const replyListStyle = css`
  :host {
    position: relative;
    display: flex;
    flex-direction: column;
  }
  .list {
    position: absolute;
    inset-inline: 12px;
    inset-block-end: 66px;
    z-index: 1;
    max-block-size: min(50%, 320px);
    overflow-y: auto;
    border: 1px solid var(--p-control);
    border-radius: var(--p-radius);
    background: var(--p-surface);
    box-shadow: var(--p-shadow);
  }
  .none {
    padding: 10px 12px;
    font-size: 14px;
    color: var(--p-muted);
  }
  li {
    display: grid;
    gap: 2px;
    padding: 8px 12px;
    border-inline-start: 4px solid transparent;
    cursor: pointer;
  }
  li[aria-selected='true'] {
    background: var(--p-accent-soft);
    color: var(--p-on-accent-soft);
    border-color: var(--p-accent);
  }
  .shortcut {
    font-weight: 700;
  }
  .text {
    text-align: -webkit-match-parent;
    text-align: match-parent;
    font-size: 14px;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  @media (forced-colors: active) {
    li[aria-selected='true'] {
      forced-color-adjust: none;
      background: Highlight;
      color: HighlightText;
    }
  }
`

/** Dialogs and pages in which agents look things up. */
export const deskStyle = css`
  h2 {
    font-size: 18px;
    overflow-wrap: anywhere;
  }
  h3 {
    font-size: 15px;
    margin-block: 18px 8px;
  }
  .hint,
  .none {
    font-size: 14px;
    color: var(--p-muted);
  }
  .failure:not(:empty) {
    margin-block: 10px;
    font-size: 14px;
  }
  input:is([type='text'], [type='date'], [type='search']),
  textarea {
    font-size: 16px;
  }
  textarea {
    resize: vertical;
  }
  .head {
    display: flex;
    align-items: center;
    gap: 8px;
  }
  .head :is(h2, h3) {
    flex: 1;
    min-inline-size: 0;
    margin-block: 0;
  }
  .buttons {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
  }
`

/** What is shown in place of a conversation. */
export const viewStyle = css`
  :host {
    display: block;
    overflow-y: auto;
    padding: 16px;
  }
`
