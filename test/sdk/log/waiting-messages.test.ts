import { expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import type { UnsentEntry } from '../../../protocol/index.ts'
import type { KeyValueStore } from '../../../sdk/api/client.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { SavedState, eraseSaved } from '../../../sdk/contact/saved-state.ts'
import { Outbox } from '../../../sdk/log/outbox.ts'
import { TestClock, settled } from '../../../testing/index.ts'
import { joined, openTab, textsOf, watch } from '../../support/contacts.ts'

const text = (id: string): UnsentEntry => ({ id, type: 'text', body: { text: id } })

/** A store that tells its keys, and counts what is written. */
function counted() {
  const [inner, keys, seen] = [memoryStore(), new Set<string>(), { writes: 0, characters: 0 }]
  const store: KeyValueStore = {
    getItem: (key) => inner.getItem(key),
    setItem: (key, value) => {
      keys.add(key)
      seen.writes++
      seen.characters += value.length
      inner.setItem(key, value)
    },
    removeItem: (key) => {
      keys.delete(key)
      inner.removeItem(key)
    },
  }
  return { store, keys, seen }
}

it('SND-306 LOG-6 what is written for messages that wait grows with the messages, not with what waits already', async () => {
  const pair = await joined()
  const setItem = pair.tab.setItem.bind(pair.tab)
  let characters = 0
  pair.tab.setItem = (key, value) => {
    characters += value.length
    setItem(key, value)
  }
  pair.link.faults = { onConnect: ({ slot }) => (slot === 'visitor' ? 'drop' : 'pass') }
  pair.link.cut('visitor')
  await settled()
  const heard = textsOf(pair.agent)
  const all = Array.from({ length: 300 }, (_, index) => `${index} ${'x'.repeat(900)}`)
  for (const one of all) void watch(pair.visitor.sendText(one))
  pair.link.faults = {}
  await pair.clock.advance(10_000)
  expect(heard).toEqual(all)
  expect(characters).toBeLessThan(300 * 2_000)
})

it('SND-306 LOG-6 messages that waited are sent by the next page in their order, those that were stored are not', async () => {
  const pair = await joined()
  pair.link.faults = { onConnect: ({ slot }) => (slot === 'visitor' ? 'drop' : 'pass') }
  pair.link.cut('visitor')
  await settled()
  const heard = textsOf(pair.agent)
  for (const one of ['one', 'two', 'three']) void watch(pair.visitor.sendText(one))
  await settled()
  pair.link.faults = {}
  await openTab(pair, pair.tab)
  await pair.clock.advance(10_000)
  expect(heard).toEqual(['one', 'two', 'three'])
  await openTab(pair, pair.tab)
  await pair.clock.advance(10_000)
  expect(heard).toEqual(['one', 'two', 'three'])
})

it('SND-306 a tab keeps what waits, forgets what does not, and erases all of a contact', () => {
  const { store, keys, seen } = counted()
  const kept = new SavedState(store, 'k')
  kept.saveUnsent([text('a'), text('b'), text('c')])
  kept.saveUnsent([text('b'), text('c')])
  kept.saveUnsent([text('b'), text('c'), text('d')])
  const before = { ...seen }
  kept.saveUnsent([text('b'), text('c'), text('d')])
  expect(seen).toEqual(before)
  expect(new SavedState(store, 'k').unsent).toEqual([text('b'), text('c'), text('d')])
  kept.saveUnsent([])
  expect([new SavedState(store, 'k').unsent, keys.size]).toEqual([[], 0])
  kept.saveUnsent([text('e')])
  kept.save({ cursor: 1 })
  eraseSaved(store, 'k')
  expect([...keys]).toEqual([])
  kept.erase()
  kept.saveUnsent([text('f')])
  expect([...keys]).toEqual([])
})

it.each([
  ['no numbers', '{}'],
  ['one number', '[0]'],
  ['far too many', '[0,1e15]'],
  ['none at all', '[5,5]'],
  ['no JSON', 'x'],
])('SND-306 what is of another form in the store is passed over: %s', (_name, numbers) => {
  const { store } = counted()
  store.setItem('k:unsent', numbers)
  expect(new SavedState(store, 'k').unsent).toEqual([])
})

it('SND-306 a message of another form is passed over, and the others are sent', () => {
  const { store, keys } = counted()
  new SavedState(store, 'k').saveUnsent([text('a'), text('b'), text('c')])
  store.setItem('k:unsent:1', '{"id":"b","type":"offer","body":{}}')
  const kept = new SavedState(store, 'k')
  expect(kept.unsent).toEqual([text('a'), text('c')])
  eraseSaved(store, 'k')
  expect([...keys]).toEqual([])
})

it('SND-306 LOG-6 a call that the service refuses for a while is made again after that, not before', async () => {
  const clock = new TestClock()
  let calls = 0
  const outbox = new Outbox({
    ...{ contact: 'c', session: () => 's', clock, keep: () => {} },
    append: (drafts) =>
      ++calls === 1
        ? Promise.reject(new ContactError('rate_limited', 'no', { retryAfterMs: 20_000 }))
        : Promise.resolve(drafts.map(({ id }, index) => ({ id, seq: index + 1 }))),
  })
  const sending = watch(outbox.add(text('a')))
  outbox.resume()
  await clock.advance(19_999)
  expect([calls, sending.result]).toEqual([1, 'pending'])
  await clock.advance(1)
  expect([calls, sending.result]).toEqual([2, { value: 1 }])
})
