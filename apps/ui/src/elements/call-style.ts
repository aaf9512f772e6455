import { css } from 'lit'

export const callStyle = css`
  :host {
    display: block;
    min-block-size: 0;
  }
  section {
    position: relative;
    display: grid;
    background: #101412;
    color: #f2f6f4;
  }
  .pictures {
    --tile: clamp(84px, 22%, 168px);
    block-size: 100%;
    grid-template: minmax(0, 1fr) / minmax(0, 1fr);
  }
  .window {
    position: absolute;
    inset-block-end: 8px;
    inset-inline-start: 8px;
    z-index: 2;
    background: rgb(10 14 12 / 75%);
    color: #f2f6f4;
  }
  .held svg {
    inline-size: 18px;
    block-size: 18px;
    vertical-align: text-bottom;
  }
  .small {
    position: absolute;
    inset-block-end: 8px;
    inline-size: var(--tile);
    aspect-ratio: 4 / 3;
    z-index: 1;
    border-radius: 8px;
    overflow: hidden;
    border: 2px solid rgb(255 255 255 / 75%);
  }
  .s1 {
    inset-inline-end: 8px;
  }
  .s2 {
    inset-inline-end: calc(16px + var(--tile));
  }
  .s3 {
    inset-inline-end: calc(24px + 2 * var(--tile));
  }
  .voice-only {
    display: flex;
    align-items: center;
    gap: 12px;
    flex-wrap: wrap;
    padding: 10px 16px;
  }
  .talking,
  .muted {
    display: flex;
    align-items: center;
    gap: 8px;
  }
  .voice-only .time {
    margin-inline-start: auto;
  }
  .pictures .quality {
    position: absolute;
    inset-block-start: 38px;
    inset-inline-end: 8px;
    z-index: 2;
    max-inline-size: calc(100% - 16px);
    box-sizing: border-box;
    padding: 4px 10px;
    border-radius: 12px;
    background: rgb(10 14 12 / 75%);
    font-size: 13px;
  }
  .pictures .time,
  .pictures .muted {
    position: absolute;
    inset-block-start: 8px;
    z-index: 2;
    padding: 2px 10px;
    border-radius: 999px;
    background: rgb(10 14 12 / 75%);
    font-size: 13px;
  }
  .pictures .time {
    inset-inline-end: 8px;
  }
  .pictures .muted {
    inset-inline-start: 8px;
  }
  .muted svg {
    inline-size: 16px;
    block-size: 16px;
  }
  .held {
    margin: 0;
  }
  .interrupted {
    display: flex;
    align-items: center;
    flex-wrap: wrap;
    gap: 8px;
    margin: 0;
  }
  .pictures .interruptions {
    position: absolute;
    inset: auto 8px 8px;
    z-index: 2;
  }
  .pictures .interrupted {
    padding: 6px 10px;
    border-radius: 12px;
    background: rgb(10 14 12 / 85%);
  }
  .pictures .held {
    position: absolute;
    inset: auto 8px 50%;
    z-index: 2;
    padding: 10px 16px;
    border-radius: 12px;
    background: rgb(10 14 12 / 85%);
    text-align: center;
  }
  [hidden] {
    display: none;
  }
  .time {
    font-variant-numeric: tabular-nums;
  }
  .pictures .resume {
    position: absolute;
    inset: 0;
    margin: auto;
    inline-size: max-content;
    block-size: max-content;
    z-index: 3;
  }
`
