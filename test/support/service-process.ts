import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { freePort } from './free-port.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const bundle = join(root, '.cache', 'service-under-test', 'dist', `main-${process.pid}.js`)
let built: Promise<unknown> | null = null

/** Path of the service's program, built once for each process of tests. */
export async function serviceProgram(): Promise<string> {
  built ??= build({
    entryPoints: [join(root, 'service/src/main.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    outfile: bundle,
    logLevel: 'error',
  })
  await built
  return bundle
}

/** As the deployments in `deploy/` start it. */
export const YOUNG_HEAP = '--max-semi-space-size=32'

/** How a process ended. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The service as its users start it: a process of its own. */
export class ServiceProcess {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  #stdout = ''
  #stderr = ''

  private constructor(args: readonly string[]) {
    this.child = spawn(process.execPath, [YOUNG_HEAP, bundle, ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.child.stdout?.on('data', (text) => (this.#stdout += String(text)))
    this.child.stderr?.on('data', (text) => (this.#stderr += String(text)))
    this.ended = new Promise((settle) =>
      this.child.once('close', (code) => settle({ code, stdout: this.#stdout, stderr: this.#stderr })),
    )
  }

  static async run(args: readonly string[]): Promise<ServiceProcess> {
    await serviceProgram()
    return new ServiceProcess(args)
  }

  /** Runs it and waits until it listens. */
  static async start(args: readonly string[]): Promise<ServiceProcess> {
    const service = await ServiceProcess.run(args)
    await Promise.race([
      service.#listening(),
      service.ended.then(({ stderr }) => Promise.reject(new Error(`the service ended: ${stderr}`))),
    ])
    return service
  }

  /** Starts it on a free port, with a data folder. */
  static async startIn(
    folder: string,
    ...flags: readonly string[]
  ): Promise<{ readonly service: ServiceProcess; readonly url: string }> {
    const port = await freePort()
    const service = await ServiceProcess.start(['--port', String(port), '--data', folder, ...flags])
    return { service, url: `http://127.0.0.1:${port}` }
  }

  get output(): string {
    return this.#stdout
  }

  /** What it has written to stderr so far. */
  get errors(): string {
    return this.#stderr
  }

  /** Ends it at once, without a chance to tidy up. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL')
    await this.ended
  }

  /** Asks it to end. */
  async stop(): Promise<Ended> {
    this.child.kill('SIGTERM')
    return this.ended
  }

  #listening(): Promise<void> {
    return new Promise((settle) => {
      const look = (): void => {
        if (this.#stdout.includes('\n')) settle()
      }
      this.child.stdout?.on('data', look)
      look()
    })
  }
}

/** Process id of the database of a data folder. */
export const postmasterOf = (data: string): number =>
  Number.parseInt(readFileSync(join(data, 'pg', 'data', 'postmaster.pid'), 'utf8'), 10)

/** Whether a process runs: one that has ended and waits for its parent does not. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** Sends a signal to a process and its children. */
export function signalAll(pid: number, signal: NodeJS.Signals): void {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number)
  for (const each of [pid, ...children]) process.kill(each, signal)
}
