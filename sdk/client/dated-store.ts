import * as v from '../../protocol/checks.ts'
import type { KeyValueStore } from '../api/client.ts'
import { readAs } from '../values/stored.ts'

/** How many keys are kept, and for how long after they were written last, milliseconds. */
interface Bounds {
  /** Names the list of the keys. */
  readonly name: string
  /** The oldest give way. */
  readonly most: number
  readonly longestMs: number
}

/** 30 days. */
const DATED: Bounds = { name: 'dates', most: 256, longestMs: 30 * 86_400_000 }
/** That a contact is secure is not forgotten for its age: the service could lower the contact then. */
const SECURE: Bounds = { name: 'secure', most: 1_024, longestMs: Number.POSITIVE_INFINITY }
/** A key that is written again is noted once a day. */
const FRESH_MS = 86_400_000

const datesSchema = v.array(v.object({ key: v.string(), at: v.number() }))
type Dates = v.InferOutput<typeof datesSchema>

/**
 * A store for what belongs to a contact and is erased with it: nobody may open the contact again, so each key has
 * an age, and all together a bound.
 */
export const datedStore = (store: KeyValueStore, service: string, today?: () => number): KeyValueStore =>
  bounded(store, { ...DATED, service, today })

/** A store of which contacts are secure: the newest 1,024, whatever else is kept. */
export const secureStore = (store: KeyValueStore, service: string, today?: () => number): KeyValueStore =>
  bounded(store, { ...SECURE, service, today })

interface Bounded extends Bounds {
  readonly service: string
  /** Date.now() without. */
  readonly today: (() => number) | undefined
}

/** Keeps a list of its keys. What another tab has written is read anew each time. */
function bounded(
  store: KeyValueStore,
  { service, name, most, longestMs, today = Date.now }: Bounded,
): KeyValueStore {
  const own = `duolog:${service}:${name}`
  const read = (): Dates => readAs(datesSchema, store.getItem(own)) ?? []
  const save = (dates: Dates): void => {
    if (dates.length > 0) store.setItem(own, JSON.stringify(dates))
    else store.removeItem(own)
  }
  return {
    getItem: (key) => store.getItem(key),
    setItem(key, value) {
      const now = today()
      const before = read()
      const isFresh = before.some((known) => known.key === key && now - known.at < FRESH_MS)
      if (!isFresh) {
        const all = [...before.filter((known) => known.key !== key), { key, at: now }]
        const kept = all.filter(({ at }) => now - at < longestMs).slice(-most)
        for (const old of all) if (!kept.includes(old)) store.removeItem(old.key)
        save(kept)
      }
      store.setItem(key, value)
    },
    removeItem(key) {
      const dates = read()
      const kept = dates.filter((known) => known.key !== key)
      if (kept.length < dates.length) save(kept)
      store.removeItem(key)
    },
  }
}
