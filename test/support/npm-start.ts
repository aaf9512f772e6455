/** The product in a process of its own: as a person starts it, and as `npm start` has built it. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import { freePort } from './free-port.ts'
import { preparedData } from './prepared-store.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** What `npm start` runs after the build (`scripts/start.mjs`). */
const BUILT = ['--enable-source-maps', join(root, 'service/dist/main.js')]
const STARTED = /Agent's console\s+(\S+)\/agent\//

/** What stops the products that run. */
const running = new Set<() => Promise<void>>()
// A hook that fails, or takes too long, stops nothing: its test file ends with all that it has started.
afterAll(async () => {
  await Promise.all([...running].map((stop) => stop()))
})

export interface StartedProduct {
  /** Origin of the service. */
  readonly url: string
  /** All that was printed so far. */
  readonly output: () => string
  stop(): Promise<void>
}

export interface Run {
  readonly code: number | null
  readonly output: string
}

/** Runs `npm start` with arguments until it ends by itself. */
export const runStart = (args: readonly string[]): Promise<Run> =>
  runToEnd('npm', ['start', '--silent', '--', ...args])

/** The same without the build. */
export async function runBuilt(args: readonly string[]): Promise<Run> {
  return runToEnd(process.execPath, [...BUILT, ...args])
}

async function runToEnd(program: string, args: readonly string[]): Promise<Run> {
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, output }
}

/**
 * Starts the product as it is built, with more arguments if given, and waits until it says where it is.
 * `data`: its folder, which is removed at its end; by default one with an empty store.
 */
export async function startProduct(
  args: readonly string[] = [],
  data = preparedData(),
): Promise<StartedProduct> {
  const child = spawn(
    process.execPath,
    [...BUILT, '--port', String(await freePort()), '--data', data.folder, ...args],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    },
  )
  let output = ''
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
  const stop = async (): Promise<void> => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGTERM')
    await ended
    data.remove()
    running.delete(stop)
  }
  running.add(stop)
  const url = await new Promise<string>((resolve, reject) => {
    const look = (chunk: Buffer): void => {
      output += chunk.toString()
      const address = STARTED.exec(output)?.[1]
      if (address !== undefined) resolve(address)
    }
    child.stdout.on('data', look)
    child.stderr.on('data', look)
    void ended.then(() => reject(new Error(`the product ended: ${output}`)))
  })
  return { url, output: () => output, stop }
}
