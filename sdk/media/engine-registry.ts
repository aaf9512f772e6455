import { partOf } from '../../engines/eager.ts'
import type { EngineHost, MediaEngine } from '../../engines/eager.ts'
import { containedEngine } from './contained-engine.ts'
import type { ContainedEngine } from './contained-engine.ts'
import { ContactError, algebra, isName, within } from '../../protocol/index.ts'
import type { MediaState } from '../../protocol/index.ts'

/** How long an engine may take to say what it carries, and to be attached. */
const ANSWER_LIMIT_MS = 5_000
const silent = (): ContactError =>
  new ContactError('engine_failed', 'unable to attach the engine; it does not answer')

/** An engine, and what it carries. */
export interface GivenEngine {
  readonly engine: MediaEngine
  readonly media: Awaited<ReturnType<MediaEngine['capabilities']>>
}

/** The engines of one contact. */
export class EngineRegistry {
  /** As they were given. */
  readonly #given = new Map<string, MediaEngine>()
  /** As they are called. */
  readonly #engines = new Map<string, MediaEngine>()
  readonly #vias = new Map<string, string>()
  /** Ids that are in use, or about to be. */
  readonly #taken = new Set<string>()
  readonly #hostFor: (engine: string) => EngineHost

  readonly #onThrow: (engine: string, operation: string) => void
  readonly #over: AbortSignal | undefined

  /** `onThrow`: an engine threw where nobody waits for it; `over`: none is added any more. */
  constructor(
    hostFor: (engine: string) => EngineHost,
    onThrow: (engine: string, operation: string) => void = () => {},
    over?: AbortSignal,
  ) {
    this.#hostFor = hostFor
    this.#onThrow = onThrow
    this.#over = over
  }

  /** The engine itself, as it was given. */
  get = (id: string): MediaEngine | undefined => this.#given.get(id)

  all = (): readonly MediaEngine[] => [...this.#engines.values()]

  /** The engine as it is called. */
  called = (id: string): MediaEngine | undefined => this.#engines.get(id)

  /** Gives back what they hold. Never rejects. */
  stop = (): Promise<unknown> => Promise.allSettled(this.all().map((engine) => engine.stop()))

  /**
   * Adds an engine and tells which media it carries; of two with one id the first.
   * @throws {@link ContactError} `invalid_argument`; the reason of `over`; what the engine throws
   */
  async add(engine: MediaEngine): Promise<readonly string[]> {
    const { id } = engine
    if (this.#taken.has(id))
      throw new ContactError('invalid_argument', 'unable to register the engine; its id is taken')
    this.#taken.add(id)
    try {
      return await this.#attach(engine)
    } catch (thrown) {
      this.#taken.delete(id)
      throw thrown
    }
  }

  /** Adds an engine of the page, which neither fails nor takes time. */
  adopt({ engine, media }: GivenEngine): void {
    this.#taken.add(engine.id)
    this.#keep({ engine, media }, this.#contained(engine))
    engine.attach(this.#hostFor(engine.id))
  }

  async #attach(given: MediaEngine): Promise<readonly string[]> {
    const { id } = given
    const engine = this.#contained(given)
    const host = this.#hostFor(id)
    const media = await this.#answered(engine.capabilities(), host)
    if (!Object.keys(media).every(isName)) throw new Error('a medium is no name')
    await this.#attached(engine, host)
    this.#keep({ engine: given, media }, engine)
    return Object.keys(media)
  }

  #contained(given: MediaEngine): ContainedEngine {
    return containedEngine(given, (operation) => this.#onThrow(given.id, operation))
  }

  #keep({ engine: given, media }: GivenEngine, engine: ContainedEngine): void {
    const { id } = given
    this.#given.set(id, given)
    this.#engines.set(id, engine)
    for (const [medium, { via }] of Object.entries(media)) this.#vias.set(`${medium} ${id}`, via)
  }

  viaOf = (medium: string, engine: string): string | undefined => this.#vias.get(`${medium} ${engine}`)

  /** A state with each engine's local information joined in. */
  withData = (media: MediaState): MediaState => {
    const result: Record<string, unknown> = { ...media }
    for (const engine of this.all()) {
      const data = engine.data()
      for (const medium of algebra.mediaOn(partOf(media, engine.id)))
        if (data[medium]) result[medium] = { ...media[medium], data: data[medium] }
    }
    return result as unknown as MediaState
  }

  /**
   * Attaches an engine; one that fails, takes too long, or comes too late, is stopped and no longer heard.
   * @throws what the engine throws; {@link ContactError} `engine_failed`
   */
  async #attached(engine: ContainedEngine, host: EngineHost): Promise<void> {
    const refused = new AbortController()
    try {
      await this.#answered(engine.attach(hostUntil(refused.signal, host)), host)
    } catch (thrown) {
      refused.abort()
      engine.stop().catch(() => {})
      throw thrown
    }
  }

  async #answered<T>(answer: Promise<T>, { clock }: EngineHost): Promise<T> {
    const result = await within(answer, { clock, ms: ANSWER_LIMIT_MS, over: this.#over }, silent)
    this.#over?.throwIfAborted()
    return result
  }
}

/** The host until `over`: what the engine tells after that has no effect. */
function hostUntil(over: AbortSignal, host: EngineHost): EngineHost {
  return {
    ...host,
    signal: (data) => over.aborted || host.signal(data),
    report: (event) => over.aborted || host.report(event),
    observed: (observation) => over.aborted || host.observed(observation),
  }
}
