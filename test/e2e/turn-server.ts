/** A real coturn on loopback, which a test can kill, freeze and start again. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'

const DEADLINE_MS = 5_000
const RELAY_PORTS = 200

/** Path of the server: `DUOLOG_TURNSERVER`, or Debian's. */
const turnServerPath = (): string => process.env['DUOLOG_TURNSERVER'] ?? '/usr/bin/turnserver'

export class TurnServer {
  readonly secret: string
  readonly #port: number
  readonly #folder: string
  #child: ChildProcess | undefined
  /** All that it has logged, over restarts. */
  log = ''

  private constructor(port: number, folder: string, secret: string) {
    this.#port = port
    this.#folder = folder
    this.secret = secret
  }

  /** Starts one on a free port. */
  static async start(secret = 'turn-secret-of-the-tests-0123456789'): Promise<TurnServer> {
    const server = new TurnServer(await freePort(), await mkdtemp(join(tmpdir(), 'duolog-turn-')), secret)
    await server.restart()
    return server
  }

  get url(): string {
    return `turn:127.0.0.1:${this.#port}?transport=udp`
  }

  /** Credentials by which something was relayed so far, in order: `expiry:user`. */
  get usernames(): readonly string[] {
    return [
      ...new Set(
        [...this.log.matchAll(/user <(\d+:[^>]+)>.*ALLOCATE processed, success/g)].map(
          (found) => found[1] ?? '',
        ),
      ),
    ]
  }

  /** Starts it, by default with the secret of before. */
  async restart(secret = this.secret): Promise<void> {
    // Below the ports that the system gives out by itself.
    const low = 20_000 + (this.#port % 60) * RELAY_PORTS
    const args = [
      '-n',
      '--log-file=stdout',
      '--simple-log',
      '--no-cli',
      '-v',
      '--listening-ip=127.0.0.1',
      '--relay-ip=127.0.0.1',
      `--listening-port=${this.#port}`,
    ]
    args.push(
      `--min-port=${low}`,
      `--max-port=${low + RELAY_PORTS - 1}`,
      '--realm=test',
      '--use-auth-secret',
      `--static-auth-secret=${secret}`,
      '--fingerprint',
    )
    args.push(
      '--allow-loopback-peers',
      '--no-tls',
      '--no-dtls',
      '--no-multicast-peers',
      `--pidfile=${join(this.#folder, 'pid')}`,
      `--userdb=${join(this.#folder, 'users')}`,
    )
    const child = spawn(turnServerPath(), args, { stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (this.log += chunk.toString()))
    const from = this.log.length
    await this.until('coturn listens', () => this.log.includes('Total General servers', from))
  }

  /** Ends it at once, with all that it relays. */
  async kill(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (!child || child.exitCode !== null) return
    const closed = new Promise((resolve) => child.once('close', resolve))
    child.kill('SIGKILL')
    await closed
  }

  freeze = (): void => void this.#child?.kill('SIGSTOP')
  thaw = (): void => void this.#child?.kill('SIGCONT')

  /** Waits for something in its log. */
  async until(what: string, holds: () => boolean): Promise<void> {
    const end = Date.now() + DEADLINE_MS
    while (!holds()) {
      if (Date.now() > end)
        throw new Error(`not within ${DEADLINE_MS} ms: ${what}; ${this.log.slice(-2_000)}`)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }

  async close(): Promise<void> {
    await this.kill()
    await rm(this.#folder, { recursive: true, force: true })
  }
}
