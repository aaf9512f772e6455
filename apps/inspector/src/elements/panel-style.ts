import { css } from 'lit'

/** A titled panel and its tables. */
export const panel = css`
  :host {
    display: block;
    min-inline-size: 0;
    background: var(--p-surface);
    border: 1px solid var(--p-line);
    border-radius: 14px;
    padding: 12px 14px;
  }
  h2,
  h3 {
    font-size: 14px;
    font-weight: 700;
    margin-block-end: 8px;
  }
  .note {
    font-size: 12.5px;
    color: var(--p-muted);
  }
  .scroll {
    overflow: auto;
    /* Hidden text of a table that is wider than it stays within. */
    position: relative;
    /* Below the head of the table, which stays. */
    scroll-padding-block-start: 32px;
    max-block-size: var(--panel-height, 340px);
    border-radius: 8px;
  }
  table {
    border-collapse: collapse;
    inline-size: 100%;
    font-size: 13px;
    font-variant-numeric: tabular-nums;
  }
  th,
  td {
    text-align: start;
    padding: 3px 8px;
    border-block-end: 1px solid var(--p-line);
    vertical-align: top;
  }
  thead th {
    position: sticky;
    inset-block-start: 0;
    background: var(--p-surface);
    color: var(--p-muted);
    font-weight: 600;
    z-index: 1;
  }
  tbody th {
    font-weight: 600;
  }
  td.number,
  th.number {
    text-align: end;
  }
  code {
    font:
      12.5px/1.45 ui-monospace,
      'SF Mono',
      'Liberation Mono',
      Menlo,
      monospace;
  }
  .badge {
    display: inline-block;
    font-size: 11.5px;
    font-weight: 600;
    line-height: 1.4;
    padding: 1px 7px;
    border-radius: 999px;
    background: var(--p-sunken);
    color: var(--p-text);
    white-space: nowrap;
  }
  .badge.good {
    background: var(--p-accent-soft);
    color: var(--p-on-accent-soft);
  }
  .badge.bad {
    background: var(--p-danger-soft);
    color: var(--p-on-danger-soft);
  }
  .badge.note {
    background: var(--p-note-soft);
    color: var(--p-on-note-soft);
  }
`
