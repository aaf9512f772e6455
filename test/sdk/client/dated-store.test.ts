import { expect, it } from 'vitest'
import { datedStore, secureStore } from '../../../sdk/client/dated-store.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import type { KeyValueStore } from '../../../sdk/api/client.ts'
import { settled } from '../../../testing/index.ts'
import { required, offering, answering } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

const DAY = 86_400_000
const SERVICE = 'http://localhost'
const DATES = `duolog:${SERVICE}:dates`

/** A store, and what was written into it at a time of day. */
function dated() {
  const store = memoryStore()
  const time = { now: 0 }
  return { store, time, keys: datedStore(store, SERVICE, () => time.now) }
}

it('SND-304 SND-9 what a contact has in the browser goes 30 days after it was written last', () => {
  const { store, time, keys } = dated()
  keys.setItem('old', '1')
  time.now = 20 * DAY
  keys.setItem('again', '1')
  time.now = 40 * DAY
  keys.setItem('again', '2')
  expect([store.getItem('old'), store.getItem('again')]).toEqual([null, '2'])
  time.now = 69 * DAY
  keys.setItem('other', '3')
  expect(store.getItem('again')).toBe('2')
})

it('SND-306 SND-9 the keys of contacts have a bound: the oldest give way', () => {
  const { store, keys } = dated()
  for (let n = 0; n < 300; n++) keys.setItem(`key-${n}`, '1')
  const kept = Array.from({ length: 300 }, (_, n) => store.getItem(`key-${n}`)).filter(
    (value) => value !== null,
  )
  expect([kept.length, store.getItem('key-0'), store.getItem('key-299')]).toEqual([256, null, '1'])
})

it('SND-304 SND-9 nothing is left where every key is removed, or what stands there is of another form', () => {
  const { store, keys } = dated()
  store.setItem(DATES, '{"a"')
  keys.setItem('a', '1')
  keys.removeItem('a')
  expect([store.getItem('a'), store.getItem(DATES)]).toEqual([null, null])
})

it('SND-304 SND-9 what a page has of contacts that nobody opened again is erased by the next one', async () => {
  const values = new Map<string, string>()
  const store: KeyValueStore = {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  }
  const forgotten = `duolog:${SERVICE}:contact-of-long-ago:controls:agent`
  store.setItem(forgotten, '{}')
  store.setItem(DATES, JSON.stringify([{ key: forgotten, at: Date.now() - 31 * DAY }]))
  const world = new World({ store })
  const visitor = await world.visitor().client.createContact()
  const agent = await world.agent().client.accept(visitor.id)
  await agent.join()
  answering(agent)
  await visitor.offerMedia(offering({ Voice: required }))
  await settled()
  expect([...values.keys()].filter((key) => key.includes('controls'))).toEqual([
    `duolog:${SERVICE}:${visitor.id}:controls:visitor`,
  ])
  await visitor.leave()
  await settled()
  expect([...values.keys()].filter((key) => /controls|dates/.test(key))).toEqual([])
})

it('SND-342 that a contact is secure is kept of the newest 1,024, however old, and beside 256 other keys', () => {
  const store = memoryStore()
  const time = { now: 0 }
  const pins = secureStore(store, SERVICE, () => time.now)
  const others = datedStore(store, SERVICE, () => time.now)
  for (let n = 0; n < 1_030; n++) pins.setItem(`pin-${n}`, '1')
  for (let n = 0; n < 300; n++) others.setItem(`key-${n}`, '1')
  time.now = 4_000 * DAY
  pins.setItem('pin-new', '1')
  const kept = Array.from({ length: 1_030 }, (_, n) => store.getItem(`pin-${n}`) !== null)
  expect([kept.indexOf(true), kept.filter(Boolean).length, pins.getItem('pin-new')]).toEqual([7, 1_023, '1'])
  for (let n = 0; n < 1_030; n++) pins.removeItem(`pin-${n}`)
  pins.removeItem('pin-new')
  expect(store.getItem(`duolog:${SERVICE}:secure`)).toBe(null)
})

it('SND-342 the pins of an agent who takes many secure contacts are bounded, and an old one still counts', async () => {
  const values = new Map<string, string>()
  const store: KeyValueStore = {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  }
  const keyOf = (n: number): string => `duolog:${SERVICE}:other-${n}:secure`
  const all = Array.from({ length: 1_024 }, (_, n) => ({ key: keyOf(n), at: 0 }))
  for (const { key } of all) values.set(key, '1')
  values.set(`duolog:${SERVICE}:secure`, JSON.stringify(all))
  const visitor = await new World({ store }).visitor().client.createContact({ secure: true })
  expect([...values.values()].filter((value) => value === '1').length).toBe(1_024)
  expect([values.has(keyOf(0)), values.has(keyOf(1))]).toEqual([false, true])
  expect(values.get(`duolog:${SERVICE}:${visitor.id}:secure`)).toBe('1')
})
