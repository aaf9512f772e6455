import { fromCallback } from 'xstate'
import { partOf } from '../../engines/eager.ts'
import type { EngineEvent, EngineTransition, MediaEngine } from '../../engines/eager.ts'
import type { EngineCommand, EngineReply } from '../../machines/media/index.ts'
import { ContactError, algebra, toContactError } from '../../protocol/index.ts'
import type { Clock, MediaState, PartialMediaState } from '../../protocol/index.ts'
import type { EngineRegistry } from './engine-registry.ts'
import { atOnce } from '../async/at-once.ts'
import { TimeLimit } from '../async/time-limit.ts'

/** How long a cancelled operation may take to settle before its engine is destroyed. */
const SETTLE_LIMIT_MS = 5_000

/** An operation on the engines that takes part in it. */
interface Operation {
  readonly abort: AbortController
  /** What each engine does; never rejects. */
  readonly parts: ReadonlyMap<string, Promise<unknown>>
}

/** What broke. */
interface Loss {
  readonly engines: readonly string[]
  readonly error: ContactError
  /** All without. */
  readonly media?: readonly string[] | undefined
  /** A transition of others was interrupted by it. */
  readonly uncertain?: boolean
}

/** The driver as others than the media machine use it. */
export interface DriverEnd {
  heard(engine: string, event: EngineEvent): void
  /**
   * What `engines` acquired beyond `to` is given back; for when the media machine wants nothing of the
   * engines.
   */
  giveBack(engines: readonly MediaEngine[], to: MediaState): Promise<void>
}

/**
 * Runs the media machine's commands on the engines, one operation at a time. `input` is what the engines
 * carry at the start.
 */
export const engineDriver = (
  registry: EngineRegistry,
  clock: Clock,
  attach: (driver: DriverEnd) => () => void,
) =>
  fromCallback<EngineCommand, MediaState>(({ receive, sendBack, input }) => {
    const driver = new Driver(registry, clock, { reply: sendBack, carried: input })
    const detach = attach(driver)
    receive((command) => driver.carryOut(command))
    return () => {
      detach()
      driver.carryOut({ type: 'engine.stop' })
    }
  })

class Driver implements DriverEnd {
  readonly #registry: EngineRegistry
  readonly #limit: TimeLimit
  readonly #reply: (event: EngineReply) => void
  #running: Operation | null = null
  /**
   * How acquiring devices ahead of a transition ends: null, or why it failed. Engines need not have finished
   * it before anything else.
   */
  #preparing: Promise<ContactError | null> = Promise.resolve(null)
  /** What is given back outside of any transition: the next one comes after it. */
  #givingBack: Promise<void> = Promise.resolve()
  /** What the engines carry, as far as known: what the last finished operation brought them to. */
  #carried: MediaState
  /** What the engines prepare or work for. */
  #wanted: PartialMediaState = {}
  /** Counts commands that make replies of earlier ones stale. */
  #turn = 0

  constructor(
    registry: EngineRegistry,
    clock: Clock,
    { reply, carried }: { readonly reply: (event: EngineReply) => void; readonly carried: MediaState },
  ) {
    this.#registry = registry
    this.#limit = new TimeLimit(clock, SETTLE_LIMIT_MS)
    this.#reply = reply
    this.#carried = carried
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
        return this.#stop()
    }
  }

  heard(engine: string, event: EngineEvent): void {
    if (event.type === 'capture_ended') this.#reply({ type: 'capture.ended', medium: event.medium })
    if (event.type !== 'broke' || this.#isBystander(engine)) return
    const { media, error } = event
    const others = [...(this.#running?.parts.keys() ?? [])].some((id) => media !== undefined || id !== engine)
    this.#lose({ engines: [engine], error, media, uncertain: others })
  }

  /** Whether other engines are at work, and this one neither takes part nor carries anything. */
  #isBystander(engine: string): boolean {
    const isOn = (media: PartialMediaState): boolean => algebra.mediaOn(partOf(media, engine)).length > 0
    const { parts } = this.#running ?? {}
    return (
      (parts !== undefined || algebra.mediaOn(this.#wanted).length > 0) &&
      parts?.has(engine) !== true &&
      !isOn(this.#carried) &&
      !isOn(this.#wanted)
    )
  }

  giveBack(engines: readonly MediaEngine[], to: MediaState): Promise<void> {
    return (this.#givingBack = this.#undoQuietly(engines, to))
  }

  /** An undo of which the media machine hears only where it fails; a real one takes over from it. */
  async #undoQuietly(engines: readonly MediaEngine[], to: MediaState): Promise<void> {
    const undoing = engines.map((engine) => atOnce(() => engine.undo(partOf(to, engine.id))))
    const operation: Operation = {
      abort: new AbortController(),
      parts: new Map(
        engines.map(({ id }, index) => [id, undoing[index]?.catch(() => {}) ?? Promise.resolve()]),
      ),
    }
    this.#running = operation
    const undone = await Promise.all(undoing.map((done) => this.#limit.within(done)))
    if (operation.abort.signal.aborted) return
    this.#running = null
    this.#destroy(engines.filter((_, index) => undone[index] !== true))
  }

  #prepare(media: PartialMediaState): void {
    const turn = ++this.#turn
    this.#wanted = media
    const asked = this.#registry.all().flatMap((engine) => {
      const part = partOf(media, engine.id)
      return algebra.mediaOn(part).length > 0 ? [atOnce(() => engine.prepare(part, true))] : []
    })
    this.#preparing = Promise.all(asked).then(
      () => null,
      (thrown: unknown) =>
        toContactError(thrown, 'media_failed', 'unable to prepare media; the engine failed'),
    )
    void this.#preparing.then((error) => {
      if (turn === this.#turn)
        this.#reply(
          error === null
            ? { type: 'engine.prepared' }
            : { type: 'engine.unprepared', code: error.code, reason: error.message },
        )
    })
  }

  async #work({
    ref,
    from,
    to,
    wasOffered,
    restore,
  }: Extract<EngineCommand, { type: 'engine.work' }>): Promise<void> {
    const turn = ++this.#turn
    this.#carried = from
    this.#wanted = to
    try {
      const error = await this.#preparing
      await this.#givingBack
      if (turn !== this.#turn) return
      if (error !== null) throw error
      const missing = algebra.mediaOn(to).find((medium) => !this.#registry.get(to[medium]?.engine ?? ''))
      if (missing !== undefined)
        throw new ContactError('engine_failed', `unable to carry ${missing}; its engine is not registered`)
      await this.#transit({ from, to, wasOffered, restore })
      if (turn !== this.#turn) return
      this.#carried = to
      this.#wanted = {}
      this.#reply({ type: 'engine.worked', ref })
    } catch (thrown) {
      const error = toContactError(
        thrown,
        'engine_failed',
        'unable to carry out the transition; the engine failed',
      )
      if (turn === this.#turn)
        this.#reply({ type: 'engine.failed', ref, code: error.code, reason: error.message })
    }
  }

  /**
   * Every engine that has something to change, all at once; the first failure aborts the others, and is
   * thrown when all have settled.
   */
  async #transit({ from, to, ...how }: Omit<EngineTransition, 'signal'>): Promise<void> {
    const abort = new AbortController()
    const failures: unknown[] = []
    const parts = this.#registry.all().flatMap((engine): [string, Promise<void>][] => {
      const [before, after] = [partOf(from, engine.id), partOf(to, engine.id)]
      if (algebra.sameMedia(before, after)) return []
      const done = atOnce(() => engine.transit({ ...how, from: before, to: after, signal: abort.signal }))
      const settled = done.catch((thrown: unknown) => {
        failures.push(thrown)
        abort.abort()
      })
      return [[engine.id, settled]]
    })
    const operation: Operation = { abort, parts: new Map(parts) }
    this.#running = operation
    await Promise.all(operation.parts.values())
    if (this.#running === operation) this.#running = null
    if (failures.length > 0) throw failures[0]
  }

  async #undo(to: MediaState): Promise<void> {
    const turn = ++this.#turn
    this.#wanted = {}
    const before = this.#running
    this.#preparing = Promise.resolve(null)
    before?.abort.abort()
    const engines = this.#registry.all()
    const idle = await Promise.all(
      engines.map(({ id }) => this.#limit.within(before?.parts.get(id) ?? Promise.resolve())),
    )
    if (turn !== this.#turn) return
    const undoing = engines.map((engine, index) =>
      idle[index] === true ? atOnce(() => engine.undo(partOf(to, engine.id))) : null,
    )
    const parts = engines.map(({ id }, index): [string, Promise<unknown>] => [
      id,
      undoing[index]?.catch(() => {}) ?? before?.parts.get(id) ?? Promise.resolve(),
    ])
    this.#running = { abort: new AbortController(), parts: new Map(parts) }
    const undone = await Promise.all(
      undoing.map((done) => (done === null ? Promise.resolve(false) : this.#limit.within(done))),
    )
    if (turn !== this.#turn) return
    this.#running = null
    this.#carried = to
    const broken = engines.filter((_, index) => undone[index] !== true)
    if (broken.length === 0) return this.#reply({ type: 'engine.undone', media: to })
    this.#destroy(broken)
  }

  /** Engines that cannot undo. */
  #destroy(broken: readonly MediaEngine[]): void {
    if (broken.length === 0) return
    for (const engine of broken) void atOnce(() => engine.stop()).catch(() => {})
    this.#lose({
      engines: broken.map(({ id }) => id),
      error: new ContactError('engine_failed', 'unable to undo the transition; the engine failed'),
    })
  }

  /**
   * All media of `engines`, or `media` of them, are gone with what carried them; what else is under way is no
   * longer wanted.
   */
  #lose({ engines, error, media, uncertain = false }: Loss): void {
    this.#turn++
    this.#wanted = {}
    this.#running?.abort.abort()
    const left = Object.entries(this.#carried).filter(
      ([medium, details]) =>
        medium === 'Sharing' || !engines.includes(details?.engine ?? '') || media?.includes(medium) === false,
    )
    this.#carried = Object.fromEntries(left) as unknown as MediaState
    this.#reply({
      type: 'engine.broke',
      engines,
      media: this.#carried,
      reason: error.message,
      ...(uncertain && { uncertain }),
    })
  }

  #stop(): void {
    this.#turn++
    this.#running?.abort.abort()
    this.#limit.stop()
    for (const engine of this.#registry.all()) void atOnce(() => engine.stop()).catch(() => {})
  }
}
