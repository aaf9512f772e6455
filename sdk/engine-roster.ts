import { partOf } from '../engines/light.ts'
import type { EngineHost, MediaEngine } from '../engines/light.ts'
import { algebra, isName } from '../protocol/index.ts'
import type { JsonValue, MediaCapabilities, MediaState } from '../protocol/index.ts'

const { mediaOn } = algebra

/** The engines of one contact. */
export class EngineRoster {
  readonly #engines = new Map<string, MediaEngine>()
  readonly #vias = new Map<string, string>()
  readonly #hostFor: (engine: string) => EngineHost

  constructor(hostFor: (engine: string) => EngineHost) {
    this.#hostFor = hostFor
  }

  get = (id: string): MediaEngine | undefined => this.#engines.get(id)

  all = (): readonly MediaEngine[] => [...this.#engines.values()]

  remove = (id: string): void => void this.#engines.delete(id)

  /** Adds an engine and tells which media it carries. */
  async add(engine: MediaEngine): Promise<readonly string[]> {
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
