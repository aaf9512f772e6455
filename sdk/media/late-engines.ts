import type { MediaEngine } from '../../engines/eager.ts'
import type { MediaState } from '../../protocol/index.ts'
import { isRecord } from '../values/arguments.ts'
import type { ContactEngines, ContactEnginesOptions } from './contact-engines.ts'
import type { GivenEngine } from './engine-registry.ts'

export interface LateEnginesOptions extends ContactEnginesOptions {
  /** What attaches engines at once, where they are not the page's own; it comes with the negotiation without. */
  readonly enginesCode?: typeof ContactEngines | undefined
}

/**
 * The engines of a contact. Those of the page are attached when the negotiation comes: what they carry is known
 * before, nothing is carried, and a signal that comes early waits in its engine.
 */
export class LateEngines {
  readonly #options: LateEnginesOptions
  readonly #given = new Map<string, GivenEngine>()
  #now: ContactEngines | null = null

  constructor(options: LateEnginesOptions) {
    this.#options = options
    if (options.enginesCode) this.attached(options.enginesCode)
    options.relay.on('signal', (body) => {
      if (!isRecord(body) || typeof body['engine'] !== 'string') return
      const { registry } = this.#now ?? {}
      const engine = registry ? registry.called(body['engine']) : this.get(body['engine'])
      engine?.receive(body['data'] ?? null)
    })
  }

  /** With the code that attaches them. */
  attached(code: typeof ContactEngines): ContactEngines {
    return (this.#now ??= new code(this.#options, [...this.#given.values()]))
  }

  /** The engine itself, as it was given. */
  get(id: string): MediaEngine | undefined {
    return this.#now ? this.#now.registry.get(id) : this.#given.get(id)?.engine
  }

  /** Adds an engine, and tells which media it carries. @throws as `add` of the registry */
  async add(engine: MediaEngine): Promise<readonly string[]> {
    if (this.#now) return this.#now.registry.add(engine)
    const media = await engine.capabilities()
    this.#given.set(engine.id, { engine, media })
    return Object.keys(media)
  }

  /** A state with each engine's local information joined in. */
  withData = (media: MediaState): MediaState => this.#now?.registry.withData(media) ?? media

  /** Gives back all devices and connections; resolves when that is done, or an engine does not answer. */
  async stop(): Promise<void> {
    if (this.#now) return this.#now.stop()
    await Promise.all([...this.#given.values()].map(({ engine }) => engine.stop()))
  }
}
