/**
 * Colours of both schemes. Pairs that carry text keep a contrast of 4.5 to 1, borders of controls 3 to 1; a
 * test holds that.
 */
export interface Palette {
  readonly page: string
  readonly surface: string
  readonly sunken: string
  readonly text: string
  readonly muted: string
  /** Lines that only separate. */
  readonly line: string
  /** Borders by which a control is recognised. */
  readonly control: string
  readonly accent: string
  readonly onAccent: string
  readonly accentSoft: string
  readonly onAccentSoft: string
  readonly danger: string
  readonly onDanger: string
  readonly dangerSoft: string
  readonly onDangerSoft: string
  readonly noteSoft: string
  readonly onNoteSoft: string
  readonly focus: string
}

export const light: Palette = {
  page: '#f4f2ee',
  surface: '#ffffff',
  sunken: '#f0efeb',
  text: '#1d211f',
  muted: '#58605c',
  line: '#dcdad3',
  control: '#7a827d',
  accent: '#1c6650',
  onAccent: '#ffffff',
  accentSoft: '#dff0e8',
  onAccentSoft: '#0f4a38',
  danger: '#b1281d',
  onDanger: '#ffffff',
  dangerSoft: '#fbe9e6',
  onDangerSoft: '#7d1a12',
  noteSoft: '#fff3d6',
  onNoteSoft: '#5e4200',
  focus: '#0b57d0',
}

export const dark: Palette = {
  page: '#121614',
  surface: '#1b211e',
  sunken: '#252d29',
  text: '#e8eeea',
  muted: '#a8b4ad',
  line: '#36403b',
  control: '#7f8c85',
  accent: '#7fd6b4',
  onAccent: '#06281c',
  accentSoft: '#1d4437',
  onAccentSoft: '#d3f5e6',
  danger: '#ff9d92',
  onDanger: '#3d0905',
  dangerSoft: '#4a1f1b',
  onDangerSoft: '#ffd9d4',
  noteSoft: '#43361a',
  onNoteSoft: '#ffe7b0',
  focus: '#9cc2ff',
}

/** Foreground, background and the contrast that they need. */
export const PAIRS: readonly (readonly [keyof Palette, keyof Palette, number])[] = [
  ['text', 'page', 4.5],
  ['text', 'surface', 4.5],
  ['text', 'sunken', 4.5],
  ['muted', 'page', 4.5],
  ['muted', 'surface', 4.5],
  ['muted', 'sunken', 4.5],
  ['accent', 'surface', 4.5],
  ['accent', 'page', 4.5],
  ['accent', 'sunken', 4.5],
  ['onAccent', 'accent', 4.5],
  ['onAccentSoft', 'accentSoft', 4.5],
  ['danger', 'surface', 4.5],
  ['onDanger', 'danger', 4.5],
  ['onDangerSoft', 'dangerSoft', 4.5],
  ['danger', 'sunken', 4.5],
  ['onNoteSoft', 'noteSoft', 4.5],
  ['control', 'surface', 3],
  ['control', 'page', 3],
  ['focus', 'surface', 3],
  ['focus', 'page', 3],
  ['focus', 'sunken', 3],
]

/** Contrast of two colours `#rrggbb`; see WCAG 2.2, 1.4.3. */
export function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y)
  return (high + 0.05) / (low + 0.05)
}

function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
