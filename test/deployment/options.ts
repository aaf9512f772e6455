/** What `npm run cluster` and `npm run chaos` are asked for. */
import { chmodSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

interface ClusterOptions {
  readonly nodes: number
  /** Of the load balancer. */
  readonly port: number
  /** The folder that is kept. */
  readonly data: string | undefined
}

const MOST_PORTS = 65_535

/** @throws Error with one line for the person who has typed them */
export function clusterOptions(args: string[]): ClusterOptions {
  const { values } = parseArgs({
    args,
    options: {
      nodes: { type: 'string', default: '3' },
      port: { type: 'string', default: '8090' },
      data: { type: 'string' },
    },
  })
  const { nodes, port, data } = values
  return { nodes: numberOf('nodes', nodes), port: numberOf('port', port, { most: MOST_PORTS }), data }
}

/** @throws Error where it is no number within these bounds */
export function numberOf(
  option: string,
  text: string,
  { least = 1, most = Number.MAX_SAFE_INTEGER, isWhole = true } = {},
): number {
  const number = Number(text)
  if ((isWhole ? /^\d+$/ : /^\d+(\.\d+)?$/).test(text) && number >= least && number <= most) return number
  throw new Error(`--${option} must be a ${isWhole ? 'whole ' : ''}number from ${least} on; it is "${text}"`)
}

/** What these arguments ask for; else the process ends with one line. */
export function optionsOrExit<T>(read: () => T): T {
  try {
    return read()
  } catch (thrown) {
    process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`)
    process.exit(2)
  }
}

/**
 * The folder of a deployment: the given one, or a new one for the time of the run. Its path is absolute, since the
 * programs run in `/`, and the account of PostgreSQL gets through it.
 */
export function deploymentFolder(given: string | undefined, kind: string): string {
  const folder = given === undefined ? mkdtempSync(join(tmpdir(), `duolog-${kind}-`)) : resolve(given)
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o755)
  return folder
}
