import { setTimeout as delay } from 'node:timers/promises'
import { createClient } from '../../sdk/index.ts'
import type { Client, KeyValueStore } from '../../sdk/index.ts'
import { codeOf } from './notes.ts'
import type { Notes } from './notes.ts'
import type { PartyTask } from './party.types.ts'
import type { Random } from './random.ts'
import { Talker } from './talker.ts'

export interface PartyParts {
  readonly task: PartyTask
  readonly name: string
  readonly notes: Notes
  readonly random: Random
}

const AGAIN_MS = 1_000

/** A store as a browser has one for an origin. */
function storage(): KeyValueStore {
  const kept = new Map<string, string>()
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  }
}

/** A visitor with one page at a time, which is loaded anew now and then, leaves, and comes again. */
export class VisitorTab {
  readonly #parts: PartyParts
  readonly #storage = storage()
  #client: Client
  #talker: Talker | null = null

  constructor(parts: PartyParts) {
    this.#parts = parts
    this.#client = this.#page()
  }

  /** Acts until it is to rest. */
  async run(rest: AbortSignal): Promise<void> {
    const { random, task, notes } = this.#parts
    while (!rest.aborted) {
      try {
        if (!this.#talker || this.#talker.isOver) await this.#enter()
        else await this.#act(this.#talker)
      } catch (thrown) {
        notes.note(`${task.process}/0`, { what: 'failed', doing: 'visitor', code: codeOf(thrown) })
        await delay(AGAIN_MS)
      }
      const wait = -Math.log(1 - random()) * task.everyMs
      await delay(wait, undefined, { signal: rest }).catch(() => {})
    }
  }

  async answered(): Promise<void> {
    await this.#talker?.answered()
  }

  async hasRead(last: Readonly<Record<string, string>>): Promise<void> {
    await this.#talker?.hasRead(last)
  }

  async conclude(): Promise<void> {
    await this.#talker?.conclude()
  }

  async end(): Promise<void> {
    await this.#client.close()
  }

  async #act(talker: Talker): Promise<void> {
    const dice = this.#parts.random()
    if (dice < 0.003) {
      await talker.leave()
    } else if (dice < 0.01) {
      talker.close()
      await this.#client.close()
      this.#client = this.#page()
    } else talker.act()
  }

  async #enter(): Promise<void> {
    const { notes, random, name } = this.#parts
    const { contact } = await this.#client.resumeContact()
    const entered = contact ?? (await this.#client.createContact({ nick: name }))
    this.#talker = new Talker(entered, notes, random)
    this.#talker.say()
  }

  #page(): Client {
    return createClient({ service: this.#parts.task.url, storage: this.#storage })
  }
}
