import { describe, expect, it } from 'vitest'
import { hunt } from './mutate.ts'
import { FOLD } from './mutations-fold.ts'

const LINE = /^[^│]{44}│[^│]{36}│[^│]*$/

describe('a counterexample', () => {
  it('NEG-13 is drawn with a column for each party and the log between them, its steps counted, each with the state after it', async () => {
    const [mutation] = FOLD
    if (!mutation) throw new Error('there is no change of the fold')
    const { caught, text, drawn } = await hunt(mutation)
    const lines = drawn.split('\n').filter((line) => line.includes('│'))
    const [head = '', start = ''] = lines
    expect(caught).toBe(true)
    expect(head.split('│').map((cell) => cell.trim())).toEqual(['VISITOR', 'LOG', 'AGENT'])
    expect(start).toContain('idle')
    expect(lines.filter((line) => !LINE.test(line))).toEqual([])
    const steps = lines.flatMap((line) =>
      line
        .split('│')
        .flatMap((cell) => /^ *(?:◀── )?(\d+)\. /.exec(cell)?.[1] ?? [])
        .map(Number),
    )
    expect(steps).toEqual(steps.map((_, index) => index + 1))
    expect(text).toContain(`${steps.length} steps`)
    const written = lines
      .flatMap((line) => /#(\d+) [a-z]/.exec(line.split('│')[1] ?? '')?.[1] ?? [])
      .map(Number)
    expect(written.length).toBeGreaterThan(0)
    expect(lines.some((line) => line.includes('⇒'))).toBe(true)
  })
})
