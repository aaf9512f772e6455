import { svg } from 'lit'
import type { TemplateResult } from 'lit'

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const NEAR_PX = 20

/**
 * A curve from one box to another, between the sides that face each other; a loop where they are the same.
 */
export function curve(from: Box, to: Box): string {
  const a = { x: from.x + from.width / 2, y: from.y + from.height / 2 }
  const b = { x: to.x + to.width / 2, y: to.y + to.height / 2 }
  if (from === to) return `M ${a.x + 8} ${from.y} c 4 -18, -20 -18, -16 -1`
  const isLevel = Math.abs(b.x - a.x) * 0.6 > Math.abs(b.y - a.y)
  if (isLevel) {
    const side = Math.sign(b.x - a.x)
    const [start, end] = [a.x + (side * from.width) / 2, b.x - side * (to.width / 2 + 3)]
    const bend = Math.max(14, Math.abs(end - start) / 3) * side
    const lift = Math.abs(end - start) > 120 ? -22 : 0
    return `M ${start} ${a.y} C ${start + bend} ${a.y + lift}, ${end - bend} ${b.y + lift}, ${end} ${b.y}`
  }
  const side = Math.sign(b.y - a.y)
  if (Math.abs(b.y - a.y) - (from.height + to.height) / 2 < NEAR_PX)
    return `M ${a.x} ${a.y + (side * from.height) / 2 - side} L ${b.x} ${b.y - side * (to.height / 2 + 2)}`
  const [start, end] = [a.y + (side * from.height) / 2, b.y - side * (to.height / 2 + 3)]
  const bend = Math.max(12, Math.abs(end - start) / 2) * side
  return `M ${a.x} ${start} C ${a.x} ${start + bend}, ${b.x} ${end - bend}, ${b.x} ${end}`
}

/** Arrows over a chart: the transition that was taken last, and those that are possible. */
export const arrows = (taken: string | null, possible: readonly string[]): TemplateResult => svg`
  <defs><marker id="head" viewBox="0 0 8 8" refX="5" refY="4" markerWidth="5" markerHeight="5" orient="auto-start-reverse"><path d="M 0 0 L 8 4 L 0 8 z"></path></marker></defs>
  ${possible.map((path) => svg`<path class="possible" fill="none" d=${path} marker-end="url(#head)"></path>`)}
  ${
    taken === null
      ? null
      : svg`<path fill="none" d=${taken} marker-end="url(#head)" data-testid="taken"></path>`
  }
`
