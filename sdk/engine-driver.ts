import { fromCallback } from 'xstate'
import { partOf } from '../engines/light.ts'
import type { EngineEvent } from '../engines/light.ts'
import type { EngineCommand, EngineReply } from '../machines/index.ts'
import { ContactError, algebra, toContactError } from '../protocol/index.ts'
import type { Clock, MediaState, PartialMediaState } from '../protocol/index.ts'
import type { EngineRoster } from './engine-roster.ts'

const { mediaOn, sameMedia } = algebra

/** How long a cancelled operation may take to settle before its engine is destroyed. */
const SETTLE_LIMIT_MS = 5_000

interface Operation {
  readonly abort: AbortController
  readonly settled: Promise<unknown>
}

/** Runs the media machine's commands on the engines, one operation at a time. */
export const engineDriver = (roster: EngineRoster, clock: Clock, listen: (onEvent: (engine: string, event: EngineEvent) => void) => () => void) =>
  fromCallback<EngineCommand>(({ receive, sendBack }) => {
    const reply = (event: EngineReply): void => sendBack(event)
    const driver = new Driver(roster, clock, reply)
    const unlisten = listen((engine, event) => driver.heard(engine, event))
    receive((command) => driver.carryOut(command))
    return () => {
      unlisten()
      driver.carryOut({ type: 'engine.stop' })
    }
  })

class Driver {
  readonly #roster: EngineRoster
  readonly #clock: Clock
  readonly #reply: (event: EngineReply) => void
  #running: Operation | null = null
  /** What the engines carry, as far as known: what the last finished operation brought them to. */
  #carried: MediaState = { Sharing: { tx: false, rx: false } }
  /** Counts commands that make replies of earlier ones stale. */
  #turn = 0

  constructor(roster: EngineRoster, clock: Clock, reply: (event: EngineReply) => void) {
    this.#roster = roster
    this.#clock = clock
    this.#reply = reply
  }

  carryOut(command: EngineCommand): void {
    switch (command.type) {
      case 'engine.prepare':
        return this.#prepare(command.media)
      case 'engine.work':
        return void this.#work(command)
      case 'engine.undo':
        return void this.#undo(command.to)
      case 'engine.stop':
        return void this.#stop()
    }
  }

  heard(engine: string, event: EngineEvent): void {
    if (event.type === 'capture_ended') this.#reply({ type: 'capture.ended', medium: event.medium })
    if (event.type === 'broke') this.#destroy([engine], event.error)
  }

  #prepare(media: PartialMediaState): void {
    const turn = ++this.#turn
    const asked = this.#roster.all().flatMap((engine) => {
      const part = partOf(media, engine.id)
      return mediaOn(part).length > 0 ? [attempt(() => engine.prepare(part))] : []
    })
    const settled = Promise.allSettled(asked)
    this.#running = { abort: new AbortController(), settled }
    void settled.then((results) => {
      if (turn !== this.#turn) return
      const failed = results.find((result) => result.status === 'rejected')
      if (!failed) return this.#reply({ type: 'engine.prepared' })
      const error = toContactError(failed.reason, 'media_failed', 'unable to prepare media; the engine failed')
      this.#reply({ type: 'engine.unprepared', code: error.code, reason: error.message })
    })
  }

  async #work({ ref, from, to, wasOffered, restore }: Extract<EngineCommand, { type: 'engine.work' }>): Promise<void> {
    const turn = ++this.#turn
    const before = this.#running?.settled
    const abort = new AbortController()
    const run = async (): Promise<void> => {
      await before
      const missing = mediaOn(to).find((medium) => !this.#roster.get(to[medium]?.engine ?? ''))
      if (missing !== undefined) throw new ContactError('engine_failed', `unable to carry ${missing}; its engine is not registered here`)
      await allOrNone(
        this.#roster.all().flatMap((engine) => {
          const [part, wanted] = [partOf(from, engine.id), partOf(to, engine.id)]
          return sameMedia(part, wanted) ? [] : [() => engine.transit({ from: part, to: wanted, wasOffered, restore, signal: abort.signal })]
        }),
        abort,
      )
    }
    const done = run()
    this.#running = { abort, settled: done.catch(() => {}) }
    try {
      await done
      if (turn !== this.#turn) return
      this.#carried = to
      this.#reply({ type: 'engine.worked', ref })
    } catch (thrown) {
      const error = toContactError(thrown, 'engine_failed', 'unable to carry out the transition; the engine failed')
      if (turn === this.#turn) this.#reply({ type: 'engine.failed', ref, code: error.code, reason: error.message })
    }
  }

  async #undo(to: MediaState): Promise<void> {
    const turn = ++this.#turn
    const before = this.#running
    before?.abort.abort()
    const undo = async (): Promise<readonly string[]> => {
      const settled = before ? await this.#within(SETTLE_LIMIT_MS, before.settled) : true
      const engines = this.#roster.all()
      if (!settled) return engines.filter(({ id }) => mediaOn(partOf(to, id)).length > 0 || id !== 'Native').map(({ id }) => id)
      const results = await Promise.all(engines.map((engine) => this.#within(SETTLE_LIMIT_MS, attempt(() => engine.undo(partOf(to, engine.id))))))
      return engines.filter((_, index) => results[index] !== true).map(({ id }) => id)
    }
    const done = undo()
    this.#running = { abort: new AbortController(), settled: done }
    const broken = await done
    if (turn !== this.#turn) return
    this.#carried = to
    if (broken.length === 0) return this.#reply({ type: 'engine.undone', media: to })
    this.#destroy(broken, new ContactError('engine_failed', 'unable to undo a transition; the engine had to be destroyed'))
  }

  #destroy(ids: readonly string[], error: ContactError): void {
    this.#turn++
    this.#running?.abort.abort()
    for (const id of ids) void attempt(() => this.#roster.get(id)?.stop()).catch(() => {})
    const left = Object.fromEntries(Object.entries(this.#carried).filter(([medium, details]) => medium === 'Sharing' || !ids.includes(details?.engine ?? '')))
    this.#carried = left as unknown as MediaState
    this.#reply({ type: 'engine.broke', media: this.#carried, reason: error.message })
  }

  async #stop(): Promise<void> {
    this.#turn++
    this.#running?.abort.abort()
    await Promise.allSettled(this.#roster.all().map((engine) => attempt(() => engine.stop())))
  }

  /** Whether `settles` fulfils in time. */
  #within(limitMs: number, settles: Promise<unknown>): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = this.#clock.setTimeout(() => resolve(false), limitMs)
      const done = (ok: boolean): void => {
        this.#clock.clearTimeout(timer)
        resolve(ok)
      }
      settles.then(
        () => done(true),
        () => done(false),
      )
    })
  }
}

/** Calls an engine so that a synchronous throw is a rejection, too, and the call itself still happens at once. */
const attempt = async <T>(call: () => T): Promise<Awaited<T>> => await call()

/** Runs all at once; the first failure aborts the others, and is thrown when all have settled. */
async function allOrNone(calls: readonly (() => Promise<void>)[], abort: AbortController): Promise<void> {
  const failures: unknown[] = []
  await Promise.all(
    calls.map((call) =>
      attempt(call).catch((thrown: unknown) => {
        failures.push(thrown)
        abort.abort()
      }),
    ),
  )
  if (failures.length > 0) throw failures[0]
}
