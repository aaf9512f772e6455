import { css } from 'lit'

export const callStyle = css`
  :host {
    display: flex;
    flex-direction: column;
    min-block-size: 0;
    overflow-y: auto;
  }
  section {
    position: relative;
    display: grid;
    background: #101412;
    color: #f2f6f4;
  }
  .pictures {
    --tile: clamp(84px, 22%, 168px);
    flex: 1 1 200px;
    min-block-size: 120px;
    grid-template: minmax(0, 1fr) / minmax(0, 1fr);
  }
  @media (max-height: 480px) {
    .pictures {
      flex: none;
      block-size: 70dvh;
    }
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
  .sign,
  .meter {
    display: flex;
    align-items: center;
    gap: 8px;
  }
  .signs {
    display: flex;
    flex-wrap: wrap;
    gap: 4px 12px;
  }
  .voice-only .meter {
    margin-inline-start: auto;
  }
  .voice-only .top {
    display: contents;
  }
  .pictures .top {
    position: absolute;
    inset: 8px 8px auto;
    z-index: 2;
    display: flex;
    flex-wrap: wrap;
    align-items: flex-start;
    gap: 4px 8px;
    font-size: 13px;
  }
  .pictures .meter {
    margin-inline-start: auto;
    flex-direction: column;
    align-items: flex-end;
    gap: 4px;
  }
  .pictures .signs {
    flex-direction: column;
    align-items: flex-start;
    gap: 4px;
  }
  .pictures .meter > *,
  .pictures .sign {
    padding: 2px 10px;
    border-radius: 12px;
    background: rgb(10 14 12 / 75%);
  }
  .sign svg {
    inline-size: 16px;
    block-size: 16px;
  }
  .held {
    margin: 0;
  }
  /* Beside the pictures, not over them: what is over them can be reached. */
  .interruptions {
    flex: none;
    background: #101412;
    color: #f2f6f4;
  }
  .interrupted {
    display: grid;
    grid-template-columns: auto 1fr;
    align-items: center;
    gap: 0 8px;
    margin: 0;
    padding: 6px 16px;
  }
  .interrupted button {
    grid-column: 2;
    justify-self: start;
    margin-inline-start: -8px;
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
