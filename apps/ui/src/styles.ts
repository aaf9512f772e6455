import { css, unsafeCSS } from 'lit'
import { FONTS } from './fonts.ts'
import { dark, light } from './palette.ts'
import type { Palette } from './palette.ts'

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
const properties = (palette: Palette): string =>
  Object.entries(palette)
    .map(([name, colour]: [string, string]) => `--p-${kebab(name)}: ${colour};`)
    .join(' ')

const darkProperties = `${properties(dark)} --p-shadow: 0 12px 40px rgb(0 0 0 / 60%), 0 0 0 1px var(--p-line);`

/** Colours, for the outermost element of an app. A page may set `--p-accent` and the like on it. */
export const theme = css`
  :host {
    color-scheme: light dark;
    ${unsafeCSS(properties(light))}
    --p-radius: 10px;
    --p-shadow: 0 12px 40px rgb(20 30 25 / 22%), 0 2px 8px rgb(20 30 25 / 12%);
    font: 400 15px/1.45 var(--p-font, ${unsafeCSS(FONTS)});
    color: var(--p-text);
  }
  @media (prefers-color-scheme: dark) {
    :host(:not([theme='light'])) {
      ${unsafeCSS(darkProperties)}
    }
  }
  :host([theme='light']) {
    color-scheme: light;
  }
  :host([theme='dark']) {
    color-scheme: dark;
    ${unsafeCSS(darkProperties)}
  }
`

/** Controls, for every element. */
export const base = css`
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  [hidden] {
    display: none !important;
  }
  h2,
  h3,
  p,
  ul,
  dl,
  dd {
    margin: 0;
    padding: 0;
  }
  ul {
    list-style: none;
  }
  :focus-visible {
    outline: 3px solid var(--p-focus);
    outline-offset: 2px;
  }
  button {
    font: inherit;
    font-weight: 600;
    line-height: 1.2;
    color: inherit;
    min-block-size: 40px;
    padding: 8px 14px;
    border: 1px solid var(--p-control);
    border-radius: var(--p-button-radius, 999px);
    background: transparent;
    cursor: pointer;
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: 8px;
    transition:
      background-color 0.15s,
      filter 0.15s;
  }
  button:hover {
    background: color-mix(in srgb, currentcolor 10%, transparent);
  }
  button.primary {
    background: var(--p-accent);
    border-color: var(--p-accent);
    color: var(--p-on-accent);
  }
  button.danger {
    background: var(--p-danger);
    border-color: var(--p-danger);
    color: var(--p-on-danger);
  }
  button.primary:hover,
  button.danger:hover {
    filter: brightness(1.12);
  }
  button.icon {
    inline-size: 40px;
    padding: 0;
    border-color: transparent;
    flex: none;
  }
  button.plain {
    min-block-size: 28px;
    padding: 2px 8px;
    border-color: transparent;
    text-decoration: underline;
    text-underline-offset: 2px;
  }
  button[aria-disabled='true'] {
    opacity: 0.6;
    cursor: not-allowed;
  }
  svg {
    inline-size: 20px;
    block-size: 20px;
    flex: none;
    fill: none;
    stroke: currentcolor;
    stroke-width: 1.8;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
  .flips:dir(rtl) svg {
    transform: scaleX(-1);
  }
  label {
    font-weight: 600;
  }
  /* A name or a label in the other direction begins where its neighbours do. What is read as a text has its own side. */
  :where([dir='auto']:not(.bubble, .text, .question, .excerpt, .card *, button, input, textarea)) {
    text-align: -webkit-match-parent;
    text-align: match-parent;
  }
  /* What stands in an empty field is of the page. */
  :is(input, textarea):placeholder-shown {
    direction: inherit;
  }
  input:is([type='text'], [type='email'], [type='tel'], [type='number'], [type='date']),
  textarea {
    font: inherit;
    /* A telephone zooms into a field with smaller letters. */
    font-size: 16px;
    color: var(--p-text);
    background: var(--p-surface);
    border: 1px solid var(--p-control);
    border-radius: var(--p-radius);
    padding: 9px 12px;
    inline-size: 100%;
    min-block-size: 42px;
  }
  /* The parts of a date are higher than a line. */
  input[type='date'] {
    padding-block: 0;
  }
  input[aria-invalid='true'],
  textarea[aria-invalid='true'] {
    border-color: var(--p-danger);
  }
  input::placeholder,
  textarea::placeholder {
    color: var(--p-muted);
    opacity: 1;
  }
  input[type='checkbox'] {
    inline-size: 20px;
    block-size: 20px;
    accent-color: var(--p-accent);
    margin: 0;
    flex: none;
  }
  .failure:where(:not(:empty)) {
    padding: 8px 12px;
    border-radius: var(--p-radius);
    background: var(--p-danger-soft);
    color: var(--p-on-danger-soft);
  }
  .hidden-text {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    margin: -1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  /* Forced colours take backgrounds away: a button that is pressed keeps one. */
  @media (forced-colors: active) {
    button[aria-pressed='true'],
    button[aria-current='true'] {
      forced-color-adjust: none;
      background: Highlight !important;
      color: HighlightText !important;
      border-color: Highlight;
    }
    button[aria-current='true'] :not(.avatar, .avatar *) {
      color: inherit;
    }
    button.primary,
    button.danger {
      border-color: ButtonText;
    }
    .badge,
    .avatar,
    :where(.failure:not(:empty), .closed, .excess, .waiting) {
      border: 1px solid;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    *,
    *::before,
    *::after {
      animation: none !important;
      transition: none !important;
      scroll-behavior: auto !important;
    }
  }
`

/** A picture of somebody, or their initials. */
export const avatarStyle = css`
  .avatar {
    inline-size: 40px;
    block-size: 40px;
    border-radius: 50%;
    flex: none;
    display: grid;
    place-items: center;
    position: relative;
    overflow: hidden;
    font-weight: 700;
    background: var(--p-accent-soft);
    color: var(--p-on-accent-soft);
  }
  .avatar img {
    position: absolute;
    inset: 0;
    inline-size: 100%;
    block-size: 100%;
    object-fit: cover;
  }
`

/** A card that asks for an answer. */
export const cardStyle = css`
  .card {
    border-radius: var(--p-radius);
    background: var(--p-accent-soft);
    color: var(--p-on-accent-soft);
    /* Forced colours take the background away. */
    border: 1px solid transparent;
  }
  .buttons {
    display: flex;
    gap: 8px;
  }
  .buttons button {
    flex: 1;
  }
  button:not(.primary) {
    border-color: currentcolor;
  }
`

/** A dialog, for every element that asks something. */
export const dialogStyle = css`
  dialog {
    inline-size: min(360px, calc(100vw - 32px));
    padding: 20px;
    border: 1px solid var(--p-line);
    border-radius: 16px;
    background: var(--p-surface);
    color: var(--p-text);
    box-shadow: var(--p-shadow);
  }
  dialog::backdrop {
    background: rgb(10 14 12 / 45%);
  }
  dialog h2 {
    font-size: 18px;
    margin-block-end: 12px;
    overflow-wrap: anywhere;
  }
  .buttons {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    margin-block-start: 16px;
  }
  .buttons button {
    flex: 1;
    padding-inline: 10px;
  }
`
