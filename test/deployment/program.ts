/** A program of a deployment: a process with its output in a file. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

export interface ProgramParts {
  readonly command: string
  readonly args: readonly string[]
  readonly log: string
  readonly env?: Readonly<Record<string, string>>
  /** Unprivileged user, where this one is root and the program wants none. */
  readonly account?: { readonly uid: number; readonly gid: number } | null
}

const READY_MS = 60_000
const LOOK_MS = 50
/** What an exception leaves in a log stands before its stack and the version of Node. */
const SAYS_ERROR = /^\w*Error\b.*/
const LAST_LINES = 40
const LINE_LIMIT = 300

export class Program {
  readonly child: ChildProcess
  /** Resolves with its exit code, null where a signal has ended it. */
  readonly ended: Promise<number | null>
  readonly #parts: ProgramParts
  #isToldToEnd = false

  constructor(parts: ProgramParts) {
    const log = openSync(parts.log, 'a')
    this.#parts = parts
    this.child = spawn(parts.command, parts.args, {
      ...parts.account,
      cwd: '/',
      // Ctrl-C of a terminal goes to the deployment, which ends its programs in order.
      detached: true,
      stdio: ['ignore', log, log],
      env: { ...process.env, ...parts.env },
    })
    closeSync(log)
    this.ended = new Promise((settle) => {
      this.child.once('exit', (code) => settle(code))
      this.child.once('error', () => settle(127))
    })
  }

  get pid(): number {
    return this.child.pid ?? 0
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null
  }

  /** Whether it was sent a signal that ends programs. */
  get isToldToEnd(): boolean {
    return this.#isToldToEnd
  }

  /** The last line of its log that names an error, else the last one. */
  lastWords(): string {
    const lines = readFileSync(this.#parts.log, 'utf8').trimEnd().split('\n').slice(-LAST_LINES)
    return (lines.findLast((line) => SAYS_ERROR.test(line)) ?? lines.at(-1) ?? '').slice(0, LINE_LIMIT)
  }

  signal(signal: NodeJS.Signals): void {
    if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') this.#isToldToEnd = true
    this.child.kill(signal)
  }

  /** Sends a signal and waits for the end. */
  async end(signal: NodeJS.Signals): Promise<void> {
    this.signal(signal)
    await this.ended
  }

  /** Waits until it can be used. */
  async ready(isReady: () => Promise<boolean>): Promise<void> {
    const limit = Date.now() + READY_MS
    while (!(await isReady().catch(() => false))) {
      if (!this.isRunning || Date.now() > limit)
        throw new Error(`unable to start ${this.#parts.command}; see ${this.#parts.log}`)
      await delay(LOOK_MS)
    }
  }
}
