/** The history of a process: a file that is only appended to. */
import { openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Fact, Seen } from './facts.ts'

/** Between two looks whether this process has the time that it needs. */
const LOOK_MS = 500
const LATE_MS = 250

export class Notes {
  readonly process: string
  readonly #file: number
  #pages = 0

  constructor(folder: string, process: string) {
    this.process = process
    this.#file = openSync(join(folder, `history-${process}.jsonl`), 'a')
  }

  /** A name for the next page of this process. */
  page(): string {
    this.#pages += 1
    return `${this.process}/${this.#pages}`
  }

  /** Is in the file when this returns: a SIGKILL takes nothing away. */
  note(page: string, seen: Seen): void {
    const fact: Fact = { at: Date.now(), page, ...seen }
    writeSync(this.#file, `${JSON.stringify(fact)}\n`)
  }

  /** From now on it notes when this process, and so maybe the others of the machine, has no time. */
  watchTime(): void {
    let last = performance.now()
    setInterval(() => {
      const late = Math.round(performance.now() - last - LOOK_MS)
      last = performance.now()
      if (late > LATE_MS) this.note(`${this.process}/0`, { what: 'late', ms: late })
    }, LOOK_MS).unref()
  }
}

export const codeOf = (thrown: unknown): string =>
  thrown !== null && typeof thrown === 'object' && 'code' in thrown ? String(thrown.code) : String(thrown)
