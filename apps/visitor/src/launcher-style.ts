import { FONTS } from '../../ui/src/fonts.ts'
import { dark, light } from '../../ui/src/palette.ts'
import type { Palette } from '../../ui/src/palette.ts'

/** Where the widget stands, and its button: the same before and after the panel is loaded. */
export const placeCss = `
  :host {
    position: fixed;
    inset-block-end: var(--p-inset-block, 20px);
    inset-inline-end: var(--p-inset-inline, 20px);
    z-index: var(--p-z-index, 2147483000);
  }
  :host([position='start']) {
    inset-inline: var(--p-inset-inline, 20px) auto;
  }
  :host([hidden]:not([in-call])) {
    display: none !important;
  }
  @media print {
    :host {
      display: none;
    }
  }
`

const COLOURS = ['accent', 'onAccent', 'focus'] as const

const colours = (palette: Palette): string =>
  COLOURS.map((name) => `--p-${name === 'onAccent' ? 'on-accent' : name}:${palette[name]}`).join(';')

/** The button as the loader shows it; the panel's own styles give the same. */
export const launcherCss = `${placeCss}
  :host {
    color-scheme: light dark;
    ${colours(light)};
    font: 400 15px/1.45 var(--p-font, ${FONTS});
  }
  @media (prefers-color-scheme: dark) {
    :host(:not([theme='light'])) { ${colours(dark)} }
  }
  :host([theme='dark']) { ${colours(dark)} }
  button {
    box-sizing: border-box;
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: 8px;
    min-block-size: 52px;
    padding: 8px 20px;
    border: 1px solid var(--p-accent);
    border-radius: var(--p-button-radius, 999px);
    background: var(--p-accent);
    color: var(--p-on-accent);
    font: inherit;
    font-weight: 600;
    line-height: 1.2;
    cursor: pointer;
    box-shadow: 0 12px 40px rgb(20 30 25 / 22%), 0 2px 8px rgb(20 30 25 / 12%);
  }
  button:hover { filter: brightness(1.12) }
  button[aria-busy='true'] { cursor: progress }
  button:focus-visible { outline: 3px solid var(--p-focus); outline-offset: 2px }
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
  @media (forced-colors: active) { button { border-color: ButtonText } }
`
