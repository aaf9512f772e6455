import { html, svg } from 'lit'
import type { TemplateResult } from 'lit'

const icon = (paths: TemplateResult): TemplateResult =>
  html`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">${paths}</svg>`

export const icons = {
  chat: icon(svg`<path d="M4 5h16v11H9l-5 4z"/><path d="M8 9h8M8 12.5h5"/>`),
  close: icon(svg`<path d="M6 6l12 12M18 6L6 18"/>`),
  down: icon(svg`<path d="M5 9l7 7 7-7"/>`),
  enlarge: icon(svg`<path d="M14 4h6v6M20 4l-7 7M10 20H4v-6M4 20l7-7"/>`),
  shrink: icon(svg`<path d="M20 10h-6V4M14 10l7-7M4 14h6v6M10 14l-7 7"/>`),
  exit: icon(svg`<path d="M10 4H5v16h5M15 8l4 4-4 4M19 12H9"/>`),
  clip: icon(
    svg`<path d="M19 11.500l-7.800 7.800a5 5 0 0 1-7-7l8.300-8.300a3.300 3.300 0 0 1 4.700 4.700l-8.200 8.200a1.700 1.700 0 0 1-2.400-2.400L14 7.200"/>`,
  ),
  file: icon(svg`<path d="M6 3h8l5 5v13H6z"/><path d="M14 3v5h5"/>`),
  star: icon(
    svg`<path d="M12 3.5l2.600 5.400 5.900.800-4.300 4.100 1 5.900-5.200-2.800-5.200 2.800 1-5.900-4.300-4.100 5.900-.800z"/>`,
  ),
  save: icon(svg`<path d="M12 4v11M7 10.500l5 5 5-5M5 20h14"/>`),
  send: icon(svg`<path d="M5 12h13M12.5 5.500L19 12l-6.5 6.5"/>`),
  phone: icon(
    svg`<path d="M5 4h4l1.5 5L8 10.500a11 11 0 0 0 5.5 5.500L15 13.500l5 1.500v4a2 2 0 0 1-2 2A15 15 0 0 1 3 6a2 2 0 0 1 2-2z"/>`,
  ),
  hangUp: icon(
    svg`<path d="M3 14c5-5.5 13-5.5 18 0l-2.5 2.8-3.7-1.600v-2.400a11 11 0 0 0-5.6 0v2.400l-3.7 1.600z"/>`,
  ),
  video: icon(svg`<rect x="3" y="6" width="12" height="12" rx="2"/><path d="M15 11l6-3.500v9L15 13"/>`),
  videoOff: icon(
    svg`<path d="M7 6h6a2 2 0 0 1 2 2v6M14 17.600a2 2 0 0 1-1 .400H5a2 2 0 0 1-2-2V8a2 2 0 0 1 1.5-1.900M15 11l6-3.500v9l-3-1.700M3 3l18 18"/>`,
  ),
  screen: icon(
    svg`<rect x="3" y="4" width="18" height="12" rx="2"/><path d="M9 20h6M12 16v4M12 13V8M9.5 10L12 7.5 14.5 10"/>`,
  ),
  screenOff: icon(
    svg`<rect x="3" y="4" width="18" height="12" rx="2"/><path d="M9 20h6M12 16v4M10 8l4 4M14 8l-4 4"/>`,
  ),
  mic: icon(svg`<rect x="9" y="3" width="6" height="11" rx="3"/><path d="M5 11a7 7 0 0 0 14 0M12 18v3"/>`),
  micOff: icon(
    svg`<path d="M9 9V6a3 3 0 0 1 6 0v5M14.3 13.500A3 3 0 0 1 9 11.500M5 11a7 7 0 0 0 11.5 5.400M19 11a7 7 0 0 1-.500 2.500M12 18v3M3 3l18 18"/>`,
  ),
  camera: icon(svg`<path d="M4 8h3l2-3h6l2 3h3v11H4z"/><circle cx="12" cy="13" r="3.5"/>`),
  cameraOff: icon(
    svg`<path d="M8 6.500L9 5h6l2 3h3v9.500M17.5 19H4V8h2.500M9.7 10.300a3.5 3.5 0 0 0 4.9 5M3 3l18 18"/>`,
  ),
  hold: icon(svg`<path d="M9 5v14M15 5v14"/>`),
  devices: icon(
    svg`<path d="M4 7h9M17 7h3M4 17h3M11 17h9"/><circle cx="15" cy="7" r="2"/><circle cx="9" cy="17" r="2"/>`,
  ),
  smile: icon(
    svg`<circle cx="12" cy="12" r="9"/><path d="M8 14.500a5 5 0 0 0 8 0M9 9.500v.100M15 9.500v.100"/>`,
  ),
  play: icon(svg`<path d="M7 4.500v15l12-7.500z"/>`),
  eye: icon(svg`<path d="M2.5 12c4-7 15-7 19 0-4 7-15 7-19 0z"/><circle cx="12" cy="12" r="3"/>`),
  picture: icon(
    svg`<rect x="3" y="5" width="18" height="14" rx="2"/><rect x="12" y="11.500" width="6.500" height="5"/>`,
  ),
  clock: icon(svg`<circle cx="12" cy="12" r="8"/><path d="M12 8v4.500l3 2"/>`),
  check: icon(svg`<path d="M5 12.500l4.5 4.500L19 7.5"/>`),
  checks: icon(svg`<path d="M2.5 12.500L7 17l8-9M11 16l1 1 9.5-9.5"/>`),
  lock: icon(svg`<rect x="5" y="11" width="14" height="9" rx="2"/><path d="M8 11V8a4 4 0 0 1 8 0v3"/>`),
  shield: icon(
    svg`<path d="M12 3l8 3v6c0 4.500-3.200 7.800-8 9-4.800-1.200-8-4.500-8-9V6z"/><path d="M8.500 12l2.500 2.500 4.500-5"/>`,
  ),
  stop: icon(svg`<path d="M8 3h8l5 5v8l-5 5H8l-5-5V8z"/><path d="M9 9l6 6M15 9l-6 6"/>`),
  alert: icon(svg`<path d="M12 4l9 16H3z"/><path d="M12 10v4.500M12 17.400v.100"/>`),
  offline: icon(
    svg`<path d="M3 3l18 18M5 12.500a10 10 0 0 1 4-2.300M14 9.900a10 10 0 0 1 5 2.600M8.5 16a5 5 0 0 1 7 0M2 9a15 15 0 0 1 4.5-2.700M11 5a15 15 0 0 1 11 4M12 19.500v.100"/>`,
  ),
  bell: icon(svg`<path d="M6 16V11a6 6 0 0 1 12 0v5l1.500 2h-15zM10 21h4"/>`),
  soundOff: icon(svg`<path d="M4 9.500v5h4l5 4v-13l-5 4zM16.500 9.500l5 5M21.500 9.500l-5 5"/>`),
  sound: icon(svg`<path d="M4 9.500v5h4l5 4v-13l-5 4zM16.5 9a4.5 4.5 0 0 1 0 6M19 6.500a8 8 0 0 1 0 11"/>`),
  back: icon(svg`<path d="M15 5l-7 7 7 7"/>`),
  pen: icon(svg`<path d="M4 20l1-4.500L15.500 5l3.500 3.500L8.500 19zM13.500 7l3.500 3.500"/>`),
  pass: icon(svg`<path d="M4 12h13M12.500 6.500L18 12l-5.500 5.500M21 5v14"/>`),
  person: icon(svg`<circle cx="12" cy="8" r="4"/><path d="M4.5 20.5a7.5 7.5 0 0 1 15 0"/>`),
  people: icon(
    svg`<circle cx="9" cy="8" r="3.5"/><path d="M3 20a6 6 0 0 1 12 0M16 5a3.5 3.5 0 0 1 0 6.500M17.5 14.500A6 6 0 0 1 21 20"/>`,
  ),
} as const
