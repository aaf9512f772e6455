import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { freePort } from './free-port.ts'

/** Path of the server: `DUOLOG_NATS_SERVER`, or Debian's. */
const natsServerPath = (): string => process.env['DUOLOG_NATS_SERVER'] ?? '/usr/sbin/nats-server'
const READY = 'Server is ready'

/** A real NATS server on loopback. */
export class NatsServer {
  readonly port: number
  readonly #child: ChildProcess
  readonly #ended: Promise<void>

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.port = port
    this.#ended = new Promise((settle) => child.once('close', () => settle()))
  }

  /** Starts it, with more arguments, and waits until it takes connections. */
  static async start(...more: readonly string[]): Promise<NatsServer> {
    const port = await freePort()
    const ports = ['-a', '127.0.0.1', '-p', String(port)]
    const child = spawn(natsServerPath(), [...ports, ...more], { stdio: ['ignore', 'ignore', 'pipe'] })
    let log = ''
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (text) => {
        log += String(text)
        if (log.includes(READY)) resolve()
      })
      child.once('error', reject)
      child.once('close', () => reject(new Error(`nats-server ended: ${log}`)))
    })
    return new NatsServer(child, port)
  }

  /** SIGSTOP takes the server's time away, SIGCONT gives it back, SIGKILL ends it. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#ended
  }
}
