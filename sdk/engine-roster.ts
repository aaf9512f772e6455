import { partOf } from '../engines/light.ts'
import type { EngineHost, MediaEngine } from '../engines/light.ts'
import { ContactError, algebra, isName } from '../protocol/index.ts'
import type { JsonValue, MediaCapabilities, MediaState } from '../protocol/index.ts'

const { mediaOn } = algebra

/** The engines of one contact. */
export class EngineRoster {
  readonly #engines = new Map<string, MediaEngine>()
  readonly #vias = new Map<string, string>()
  /** Ids that are in use, or about to be. */
  readonly #taken = new Set<string>()
  readonly #hostFor: (engine: string) => EngineHost

  constructor(hostFor: (engine: string) => EngineHost) {
    this.#hostFor = hostFor
  }

  get = (id: string): MediaEngine | undefined => this.#engines.get(id)

  all = (): readonly MediaEngine[] => [...this.#engines.values()]

  /** Adds an engine and tells which media it carries; of two with one id the first. @throws {@link ContactError} `invalid_argument`; what the engine throws */
  async add(engine: MediaEngine): Promise<readonly string[]> {
    const { id } = engine
    if (this.#taken.has(id)) throw new ContactError('invalid_argument', 'unable to register the engine; its id is taken')
    this.#taken.add(id)
    try {
      return await this.#attach(engine)
    } catch (thrown) {
      this.#taken.delete(id)
      throw thrown
    }
  }

  async #attach(engine: MediaEngine): Promise<readonly string[]> {
    const media = await engine.capabilities()
    if (!Object.keys(media).every(isName)) throw new Error('a medium is no name')
    engine.attach(this.#hostFor(engine.id))
    this.#engines.set(engine.id, engine)
    for (const [medium, { via }] of Object.entries(media)) this.#vias.set(`${medium} ${engine.id}`, via)
    return Object.keys(media)
  }

  viaOf = (medium: string, engine: string): string | undefined => this.#vias.get(`${medium} ${engine}`)

  /** A state with each engine's local information joined in. */
  withData(media: MediaState): MediaState {
    const result: Record<string, unknown> = { ...media }
    for (const engine of this.all()) {
      const data = engine.data()
      for (const medium of mediaOn(partOf(media, engine.id))) if (data[medium]) result[medium] = { ...media[medium], data: data[medium] }
    }
    return result as unknown as MediaState
  }

  receive(engine: string, data: JsonValue): void {
    this.#engines.get(engine)?.receive(data)
  }
}

/** Capabilities with the media of an engine added. */
export function withEngine(capabilities: MediaCapabilities, engine: string, media: readonly string[]): MediaCapabilities {
  const Media: Record<string, MediaCapabilities['Media'][string]> = { ...capabilities.Media }
  for (const medium of media) Media[medium] = { ...Media[medium], Engines: { ...Media[medium]?.Engines, [engine]: true } }
  return { ...capabilities, Media }
}
