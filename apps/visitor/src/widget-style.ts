import { css, unsafeCSS } from 'lit'
import { placeCss } from './launcher-style.ts'

export const widgetStyle = css`
  ${unsafeCSS(placeCss)}
  duolog-live-call {
    margin-block-start: 10px;
    max-inline-size: calc(100vw - 2 * var(--p-inset-inline, 20px));
  }
  /* Out of sight, but for a call: its microphone and camera are never on without a sign. */
  :host([hidden][in-call]) {
    display: block !important;
  }
  :host([hidden]) :is(.launcher, .panel) {
    display: none !important;
  }
  .launcher {
    display: flex;
    margin-inline-start: auto;
    min-block-size: 52px;
    padding-inline: 20px;
    box-shadow: var(--p-shadow);
  }
  .badge {
    min-inline-size: 22px;
    padding: 2px 6px;
    border-radius: 999px;
    background: var(--p-danger);
    color: var(--p-on-danger);
    font-size: 13px;
    text-align: center;
  }
  .panel {
    position: fixed;
    inset-block-end: var(--p-inset-block, 20px);
    inset-inline-end: var(--p-inset-inline, 20px);
    inline-size: var(--p-panel-width, 390px);
    max-inline-size: calc(100vw - 40px);
    block-size: min(var(--p-panel-height, 660px), calc(100dvh - 20px - var(--p-inset-block, 20px)));
    display: flex;
    flex-direction: column;
    overflow: hidden;
    border-radius: var(--p-panel-radius, 18px);
    border: 1px solid var(--p-line);
    background: var(--p-surface);
    box-shadow: var(--p-shadow);
    animation: rise 0.18s ease-out;
  }
  :host([position='start']) .panel {
    inset-inline: var(--p-inset-inline, 20px) auto;
  }
  /* The corner is that of the page, whatever the language of the panel. */
  :host(:dir(ltr)) .panel[dir='rtl'] {
    inset-inline: var(--p-inset-inline, 20px) auto;
  }
  :host([position='start']:dir(ltr)) .panel[dir='rtl'] {
    inset-inline: auto var(--p-inset-inline, 20px);
  }
  .panel.enlarged {
    inline-size: 860px;
    block-size: calc(100dvh - 20px - var(--p-inset-block, 20px));
  }
  header {
    display: flex;
    align-items: center;
    gap: 2px;
    padding-block: 10px;
    padding-inline: 16px 10px;
    border-block-end: 1px solid var(--p-line);
    flex: none;
  }
  duolog-peer,
  .title {
    flex: 1;
  }
  /* The words of a status have the room of the picture. */
  @media (max-width: 360px) {
    duolog-peer::part(avatar) {
      display: none;
    }
  }
  .title {
    font-weight: 700;
    font-size: 17px;
  }
  duolog-conversation,
  duolog-start-form {
    flex: 1;
    min-block-size: 0;
  }
  .resuming,
  .after {
    padding: 16px;
    display: grid;
  }
  .after {
    padding-block-start: 0;
    gap: 8px;
  }
  @keyframes rise {
    from {
      opacity: 0;
      transform: translateY(12px);
    }
  }
  @media (max-width: 480px), (max-height: 480px) {
    .panel,
    .panel.enlarged,
    :host([position='start']) .panel,
    :host(:dir(ltr)) .panel[dir='rtl'],
    :host([position='start']:dir(ltr)) .panel[dir='rtl'] {
      inset: 0;
      inline-size: 100vw;
      max-inline-size: none;
      block-size: 100dvh;
      border: 0;
      border-radius: 0;
    }
  }
  @media (max-width: 480px) {
    .panel,
    .panel.enlarged {
      padding-block-end: env(safe-area-inset-bottom);
    }
    .size {
      display: none;
    }
  }
  /* Zoomed, or a phone on its side: the panel scrolls as a whole, and everything can be reached. */
  @media (max-height: 480px) {
    .panel,
    .panel.enlarged {
      overflow-y: auto;
    }
    header {
      padding-block: 4px;
    }
    duolog-conversation,
    duolog-start-form {
      flex: 1 0 auto;
    }
  }
`
