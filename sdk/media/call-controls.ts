import * as v from '../../protocol/checks.ts'
import { readAs } from '../values/stored.ts'
import { partOf } from '../../engines/eager.ts'
import type { EngineControls } from '../../engines/eager.ts'
import { algebra } from '../../protocol/index.ts'
import type { MediaState } from '../../protocol/index.ts'
import { saveControls } from './controls-store.ts'
import type { ControlsStore } from './controls-store.ts'
import type { EngineRegistry } from './engine-registry.ts'

const agreedSchema = v.array(v.string())
const keptSchema = v.record(v.string(), v.object({ muted: v.array(v.string()), held: v.boolean() }))

/**
 * What the user has muted and put on hold, by engine: it belongs to the contact, and stands for whichever
 * page of the party brings the call back.
 */
export class CallControls {
  readonly #registry: EngineRegistry
  readonly #options: ControlsStore

  constructor(registry: EngineRegistry, options: ControlsStore) {
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
      saveControls(this.#registry, this.#options)
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

  /** The transmissions that the user has agreed to; null where that is not known. */
  get agreed(): readonly string[] | null {
    const { store, keys } = this.#options
    return readAs(agreedSchema, store.getItem(keys().agreed))
  }

  agree = (transmissions: readonly string[]): void => {
    const { store, keys } = this.#options
    store.setItem(keys().agreed, JSON.stringify(transmissions))
  }

  #read(): Readonly<Record<string, EngineControls>> {
    const { store, keys } = this.#options
    return readAs(keptSchema, store.getItem(keys().controls)) ?? {}
  }
}
