import { loadavg } from 'node:os'
import { showFigures } from '../figures.ts'
import type { Bench } from '../figures.ts'
import { RELAY, serveRelay } from './relay.ts'

/**
 * Measures and prints, with exit code 1 where a figure does not hold. The same program is the relay where it
 * is started as such.
 */
export async function runBench(name: string, bench: Bench): Promise<void> {
  if (process.argv[2] === RELAY) {
    serveRelay()
    return
  }
  const figures = await bench()
  process.stdout.write(
    `\n${name} (load of the machine ${(loadavg()[0] ?? 0).toFixed(1)})\n${showFigures(figures)}\n`,
  )
  process.exit(figures.some(({ holds }) => holds === false) ? 1 : 0)
}
