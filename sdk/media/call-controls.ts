import * as v from '../../protocol/checks.ts'
import { readAs } from '../values/stored.ts'
import { partOf } from '../../engines/eager.ts'
import type { EngineControls } from '../../engines/eager.ts'
import { algebra } from '../../protocol/index.ts'
import type { MediaState, Slot } from '../../protocol/index.ts'
import type { KeyValueStore } from '../api/client.ts'
import type { EngineRegistry } from './engine-registry.ts'

const keptSchema = v.record(v.string(), v.object({ muted: v.array(v.string()), held: v.boolean() }))

/** Where it stands for all tabs what a party has muted and put on hold in a contact. */
export const controlsKey = (
  service: string,
  { role, contact }: { readonly role: Slot; readonly contact: string },
): string => `duolog:${service}:${contact}:controls:${role}`

export interface CallControlsOptions {
  readonly store: KeyValueStore
  readonly key: () => string
  /** Whether this page has the call. */
  readonly hasCall: () => boolean
}

/**
 * What the user has muted and put on hold, by engine: it belongs to the contact, and stands for whichever
 * page of the party brings the call back.
 */
export class CallControls {
  readonly #registry: EngineRegistry
  readonly #options: CallControlsOptions

  constructor(registry: EngineRegistry, options: CallControlsOptions) {
    this.#registry = registry
    this.#options = options
  }

  /** Muted media, and whether anything is on hold. */
  get summary(): EngineControls {
    const all = this.#registry.all().flatMap((engine) => engine.controls?.() ?? [])
    return { muted: all.flatMap(({ muted }) => muted), held: all.some(({ held }) => held) }
  }

  /** Remembers them while there is a call: that nothing is muted is known, too. */
  mediaAre(media: MediaState): void {
    if (
      this.#registry
        .all()
        .some((engine) => engine.controls && algebra.mediaOn(partOf(media, engine.id)).length > 0)
    )
      this.keep()
  }

  keep(): void {
    if (!this.#options.hasCall()) return
    const { store, key } = this.#options
    const controls = this.#registry
      .all()
      .flatMap((engine) => (engine.controls ? [[engine.id, engine.controls()]] : []))
    // What cannot be kept must not stand as it was.
    store.removeItem(key())
    store.setItem(key(), JSON.stringify(Object.fromEntries(controls)))
  }

  /**
   * A call is about to come back: as it was left, and where that is not known, with everything muted that it
   * would send.
   */
  restore(media: MediaState): void {
    const kept = this.#read()
    for (const engine of this.#registry.all()) {
      const part = partOf(media, engine.id)
      if (algebra.mediaOn(part).length === 0) continue
      engine.setControls?.(
        kept[engine.id] ?? { muted: Object.keys(part).filter((medium) => part[medium]?.tx), held: false },
      )
    }
  }

  #read(): Readonly<Record<string, EngineControls>> {
    return readAs(keptSchema, this.#options.store.getItem(this.#options.key())) ?? {}
  }
}
