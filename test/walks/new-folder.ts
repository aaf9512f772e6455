/** An empty folder of somebody who has the tarballs, npm and its registry, and nothing of this repository. */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../support/free-port.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** What `scripts/pack.mjs` has made. */
export const SDK = join(root, '.cache/pack/package.tgz')
export const SERVICE = join(root, '.cache/pack/service/service.tgz')

/** The environment of a person's shell: without what the test runner has set. */
const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:npm_|VITEST|NODE_ENV$|NODE_OPTIONS$)/.test(name)),
  )

/** The code block of a page of the documentation with this beginning: a language, or a file of `examples/`. */
export function blockOf(page: string, beginning: string): string {
  const text = readFileSync(join(root, page), 'utf8')
  const start = text.indexOf(`\`\`\`${beginning}\n`)
  const code = text.slice(start + beginning.length + 4)
  const end = code.search(/^\s*```$/m)
  if (start < 0 || end < 0) throw new Error(`${page} has no block \`\`\`${beginning}`)
  return code.slice(0, end)
}

/** What goes on in the folder until it ends. */
export interface Started {
  /** All that was printed so far. */
  output(): string
  stop(): Promise<void>
}

export class NewFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'duolog-walk-'))
  readonly #running: Started[] = []

  constructor() {
    // PostgreSQL has a user of its own, where this one is root.
    chmodSync(this.path, 0o755)
  }

  /** Runs one line of a shell, and gives what it prints. */
  run(line: string, env: Readonly<Record<string, string>> = {}): string {
    try {
      return execFileSync('sh', ['-c', line], {
        cwd: this.path,
        env: { ...environment(), ...env },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    } catch (cause) {
      const { stdout, stderr } = cause as { readonly stdout: string; readonly stderr: string }
      throw new Error(`${line}\n${stdout}${stderr}`, { cause })
    }
  }

  install(...packages: readonly string[]): void {
    this.run(`npm install --no-audit --no-fund --loglevel=error ${packages.join(' ')}`)
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(join(this.path, name)), { recursive: true })
    writeFileSync(join(this.path, name), text)
  }

  /** Starts a program, and waits until it has printed something like `ready`. */
  async start(
    line: string,
    ready: RegExp,
    env: Readonly<Record<string, string>> = {},
  ): Promise<Started & { readonly found: string }> {
    const child = spawn('sh', ['-c', line], {
      cwd: this.path,
      env: { ...environment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let output = ''
    const ended = new Promise<void>((settle) => child.once('close', () => settle()))
    const started: Started = {
      output: () => output,
      stop: async () => {
        if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
          process.kill(-child.pid, 'SIGTERM')
        await ended
      },
    }
    this.#running.push(started)
    const found = await new Promise<string>((settle, reject) => {
      const look = (chunk: Buffer): void => {
        output += chunk.toString()
        const seen = ready.exec(output)
        if (seen) settle(seen[1] ?? seen[0])
      }
      child.stdout.on('data', look)
      child.stderr.on('data', look)
      void ended.then(() => reject(new Error(`${line} has ended: ${output}`)))
    })
    return { ...started, found }
  }

  /** The service as its README says, from its tarball, all of it for this version of Node; gives its origin. */
  async startService(): Promise<string> {
    this.install('--engine-strict', SERVICE)
    const port = await freePort()
    const { found } = await this.start(
      `npx duolog-service --port ${port} --data ./data`,
      /Agent's console\s+(\S+)\/agent\//,
    )
    return found
  }

  /** Stops all that runs, the newest first, and removes the folder. */
  async remove(): Promise<void> {
    for (const each of this.#running.toReversed()) await each.stop()
    rmSync(this.path, { recursive: true, force: true })
  }
}
