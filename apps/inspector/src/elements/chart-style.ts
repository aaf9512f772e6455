import { css } from 'lit'

export const chartStyle = css`
  header {
    display: flex;
    align-items: baseline;
    gap: 8px;
    flex-wrap: wrap;
    margin-block-end: 8px;
  }
  header h3 {
    margin: 0;
  }
  .value {
    font-weight: 600;
    font-size: 13px;
    color: var(--p-accent);
  }
  .canvas {
    position: relative;
  }
  .states,
  .states ul {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    align-items: stretch;
  }
  .composite {
    border: 1.5px solid var(--p-line);
    border-radius: 12px;
    padding: 4px 8px 8px;
    background: color-mix(in srgb, var(--p-sunken) 60%, transparent);
    flex: 1 1 auto;
  }
  .composite.active {
    border-color: var(--p-accent);
    background: color-mix(in srgb, var(--p-accent-soft) 45%, var(--p-surface));
  }
  button.state {
    font-weight: 600;
    font-size: 13px;
    min-block-size: 28px;
    padding: 3px 11px;
    border: 1.5px solid var(--p-control);
    border-radius: 9px;
    background: var(--p-surface);
  }
  .atomic {
    display: flex;
    align-items: center;
  }
  button.name {
    font-weight: 600;
    font-size: 12.5px;
    min-block-size: 24px;
    padding: 1px 6px;
    margin-inline-start: -4px;
    border-color: transparent;
    color: var(--p-muted);
  }
  .composite.active > button.name {
    color: var(--p-accent);
  }
  button.state[aria-current] {
    background: var(--p-accent);
    border-color: var(--p-accent);
    color: var(--p-on-accent);
    box-shadow: 0 0 0 3px color-mix(in srgb, var(--p-accent) 25%, transparent);
  }
  button.state.before {
    border-color: var(--p-accent);
    border-style: dashed;
  }
  button[aria-pressed='true'] {
    text-decoration: underline;
    text-underline-offset: 3px;
  }
  button.final {
    outline: 1px solid var(--p-control);
    outline-offset: 2px;
  }
  svg.arrows {
    position: absolute;
    inset: 0;
    inline-size: 100%;
    block-size: 100%;
    overflow: visible;
    pointer-events: none;
    stroke: var(--p-accent);
    stroke-width: 2;
  }
  svg.arrows marker path {
    fill: var(--p-accent);
    stroke: none;
  }
  svg.arrows .possible {
    stroke: var(--p-muted);
    stroke-width: 1;
    stroke-dasharray: 3 4;
    opacity: 0.75;
  }
  .last {
    font-size: 12.5px;
    color: var(--p-muted);
    min-block-size: 1.5em;
    margin-block-start: 6px;
    overflow-wrap: anywhere;
  }
  details {
    font-size: 13px;
    margin-block-start: 4px;
  }
  summary {
    cursor: pointer;
    color: var(--p-muted);
    font-weight: 600;
  }
  .ways {
    display: grid;
    gap: 1px;
  }
  .empty {
    opacity: 0.65;
  }
`
