import * as v from '../../protocol/checks.ts'
import type { KeyValueStore } from '../api/client.ts'
import { readAs } from '../values/stored.ts'

/** Keys that are kept; the oldest give way. */
const MOST = 256
/** A key that was not written for so long is erased: 30 days. */
const LONGEST_MS = 30 * 86_400_000
/** A key that is written again is noted once a day. */
const FRESH_MS = 86_400_000

const datesSchema = v.array(v.object({ key: v.string(), at: v.number() }))
type Dates = v.InferOutput<typeof datesSchema>

/** Where it stands when the keys were written. */
const datesKey = (service: string): string => `duolog:${service}:dates`

/**
 * A store for what belongs to a contact and is erased with it: nobody may open the contact again, so each key has
 * an age, and all together a bound. What another tab has written is read anew each time.
 */
export function datedStore(
  store: KeyValueStore,
  service: string,
  today: () => number = Date.now,
): KeyValueStore {
  const own = datesKey(service)
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
        const kept = all.filter(({ at }) => now - at < LONGEST_MS).slice(-MOST)
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
