/** Something that was measured. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** What it is to be; without it the figure only explains others. */
  readonly limit?: string
  readonly holds?: boolean
}

export type Bench = () => Promise<readonly Figure[]>

type Measured = Pick<Figure, 'name' | 'value' | 'unit'>

export const atMost = (figure: Measured, limit: number): Figure => ({
  ...figure,
  limit: `≤ ${show(limit)}`,
  holds: figure.value <= limit,
})
export const atLeast = (figure: Measured, limit: number): Figure => ({
  ...figure,
  limit: `≥ ${show(limit)}`,
  holds: figure.value >= limit,
})

/** One line a figure. */
export function showFigures(figures: readonly Figure[]): string {
  const line = ({ name, value, unit, limit, holds }: Figure): string => {
    const verdict = holds === undefined ? '' : holds ? '  holds' : '  MISSED'
    return `  ${name.padEnd(58)} ${show(value).padStart(9)} ${unit.padEnd(11)} ${(limit ?? '').padEnd(10)}${verdict}`.trimEnd()
  }
  return figures.map(line).join('\n')
}

const show = (value: number): string => value.toFixed(value >= 1_000 ? 0 : value >= 10 ? 1 : 2)

/** The value below which this part of the values lies. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)
