/** Icons of the console alone: no visitor loads them. */
import { html, svg } from 'lit'
import type { TemplateResult } from 'lit'

const icon = (paths: TemplateResult): TemplateResult =>
  html`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">${paths}</svg>`

export const deskIcons = {
  hidden: icon(
    svg`<path d="M3 3l18 18M10 5.200A10 10 0 0 1 12 5c5 0 8.500 4.500 10 7a18 18 0 0 1-2.500 3.200M6.500 7A17 17 0 0 0 2 12c1.500 2.500 5 7 10 7a10 10 0 0 0 5-1.400M9.900 9.900a3 3 0 0 0 4.200 4.200"/>`,
  ),
  replies: icon(svg`<path d="M4 4h16v12H9l-5 4zM13.500 7l-3 6"/>`),
  past: icon(svg`<circle cx="10.500" cy="10.500" r="6.500"/><path d="M15.500 15.500L21 21"/>`),
  bin: icon(svg`<path d="M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.500 11v5M13.500 11v5"/>`),
  overview: icon(svg`<path d="M4 20V10M10 20V4M16 20v-7M22 20H2"/>`),
} as const
