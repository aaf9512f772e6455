import { expect, it } from 'vitest'
import type { Bus, BusMessage, HintResult } from '../../../service/src/bus/bus.ts'
import { AppendedHints } from '../../../service/src/cluster/appended-hints.ts'
import type { HintBody } from '../../../service/src/cluster/hint-kinds.ts'
import { NodeLink } from '../../../service/src/cluster/node-link.ts'
import { Metrics } from '../../../service/src/http/metrics.ts'
import { entry } from '../../support/entries.ts'

const text = (seq: number) => entry(seq, 'visitor', 's', 'text', { text: 'hello' })

/** The way of a node whose bus gives a result, with what was sent over it and what failed. */
function linkOver(result: HintResult | null) {
  const sent: (readonly [string, BusMessage])[] = []
  const faults: unknown[] = []
  const take = (to: string, message: BusMessage): HintResult => {
    sent.push([to, message])
    return result ?? 'offline'
  }
  const bus: Pick<Bus, 'node' | 'isUp' | 'hint' | 'hintAll'> = {
    ...{ node: 'own', isUp: true, hint: take },
    hintAll: (message) => take('all', message),
  }
  const metrics = new Metrics()
  const link = new NodeLink({
    ...{ metrics, isAlone: result === null, onFault: (thrown) => faults.push(thrown) },
    bus: () => (result === null ? null : (bus as Bus)),
  })
  return { link, sent, faults, metrics }
}

it('CLU-60 a hint reaches those who take its kind, as it was sent', () => {
  const { link, faults } = linkOver('sent')
  const taken: unknown[] = []
  link.on('moved', () => {
    throw new Error('a subscriber has failed')
  })
  link.on('moved', (body, from) => taken.push([body, from]))
  link.handlers.hint('other', { kind: 'moved', body: { contact: 'c', session: 's', epoch: 3, later: 1 } })
  expect(taken).toEqual([[{ contact: 'c', session: 's', epoch: 3 }, 'other']])
  expect(faults).toHaveLength(1)
})

it.each([
  ['of a later version', 'unheardOf', {}],
  ['that is a member of every object', 'constructor', {}],
  ['without its members', 'moved', { contact: 'c' }],
  ['with entries that are none', 'appended', { contacts: [{ contact: 'c', entries: [{ seq: 'x' }] }] }],
  ['with a body that is none', 'erased', null],
])('CLU-60 a hint %s is passed over, and counted', async (_what, kind, body) => {
  const { link, faults, metrics } = linkOver('sent')
  const taken: unknown[] = []
  for (const known of ['moved', 'appended', 'erased'] as const) link.on(known, (each) => taken.push(each))
  link.handlers.hint('other', { kind, body })
  expect({ taken, faults }).toEqual({ taken: [], faults: [] })
  expect(await metrics.text()).toMatch(/bus_messages_total\{kind="\w+",way="dropped"\} 1/)
  expect(await metrics.text()).not.toContain('kind="constructor"')
})

it('CLU-61 what is sent, taken, not sent and missed is counted by kind and way', async () => {
  const [up, down] = [linkOver('sent'), linkOver('offline')]
  up.link.tellAll('match', { reason: 'c' })
  up.link.handlers.hint('other', { kind: 'match', body: { reason: 'c' } })
  up.link.handlers.missed('other')
  down.link.tell('other', 'erased', { contacts: ['c'] })
  const numbers = await up.metrics.text()
  expect(numbers).toContain('duolog_bus_messages_total{kind="match",way="out"} 1')
  expect(numbers).toContain('duolog_bus_messages_total{kind="match",way="in"} 1')
  expect(numbers).toContain('duolog_bus_gaps_total 1')
  expect(await down.metrics.text()).toContain('duolog_bus_messages_total{kind="erased",way="unsent"} 1')
})

it('CLU-61 a node that is alone tells nobody, and misses nobody', async () => {
  const { link, metrics } = linkOver(null)
  link.tellAll('match', { reason: 'c' })
  expect(link.isUp).toBe(true)
  await expect(link.ask('other', 'relay', {})).rejects.toMatchObject({ code: 'offline' })
  expect(await metrics.text()).not.toContain('kind="match"')
})

it('CLU-60 a question is answered by who answers its kind, and by nobody else', async () => {
  const { link } = linkOver('sent')
  link.answer('concluded', ({ contact }) => Promise.resolve(contact === 'c'))
  const ask = (kind: string, body: unknown) => link.handlers.request('other', { kind, body })
  expect(await ask('concluded', { contact: 'c', head: 1 })).toBe(true)
  await expect(ask('concluded', { contact: 'c' })).rejects.toThrow('unable to answer')
  await expect(ask('relay', {})).rejects.toThrow('unable to answer')
  await expect(ask('unheardOf', {})).rejects.toThrow('unable to answer')
})

type Items = HintBody<'appended'>['contacts']

/** What is told of entries to a bus that takes only so many entries in a message. */
function hintsOver(most: number) {
  const told: (readonly [string, Items])[] = []
  const later: { readonly run: () => void; readonly delayMs: number }[] = []
  const hints = new AppendedHints(
    (node, items) => {
      const count = items.reduce((sum, item) => sum + ('entries' in item ? item.entries.length : 0), 0)
      if (count > most) return 'too_large'
      told.push([node, [...items]])
      return 'sent'
    },
    (run, delayMs) => later.push({ run, delayMs }),
  )
  return { hints, told, later }
}

const sizes = (told: readonly (readonly [string, Items])[]) =>
  told.map(([node, items]) => [
    node,
    items.map((item) =>
      'entries' in item ? `${item.contact}:${item.entries.length}` : `${item.contact}>${item.head}`,
    ),
  ])

it('CLU-62 what one turn stores is one message for each node, however many contacts it is of', async () => {
  const { hints, told, later } = hintsOver(100)
  hints.add('a', [text(1)], ['n', 'm'])
  hints.add('b', [text(4), text(5)], ['n'])
  hints.add('c', [text(1)], [])
  expect(told).toEqual([])
  await Promise.resolve()
  expect(sizes(told)).toEqual([
    ['n', ['a:1', 'b:2']],
    ['m', ['a:1']],
  ])
  later.shift()?.run()
  hints.add('a', [text(2)], ['n'])
  await Promise.resolve()
  expect(sizes(told).at(-1)).toEqual(['n', ['a:1']])
})

it('CLU-134 what is stored within a millisecond after a message is one, and nothing waits after a silence', async () => {
  const { hints, told, later } = hintsOver(100)
  hints.add('a', [text(1)], ['n'])
  await Promise.resolve()
  expect(told).toHaveLength(1)
  hints.add('a', [text(2)], ['n'])
  hints.add('b', [text(7)], ['n'])
  await Promise.resolve()
  hints.add('a', [text(3)], ['n'])
  await Promise.resolve()
  expect(told).toHaveLength(1)
  expect(later.map(({ delayMs }) => delayMs)).toEqual([1])
  later.shift()?.run()
  expect(sizes(told).slice(1)).toEqual([['n', ['a:1', 'b:1', 'a:1']]])
  expect(later).toHaveLength(1)
  later.shift()?.run()
  expect(later).toEqual([])
  hints.add('a', [text(4)], ['n'])
  await Promise.resolve()
  expect(sizes(told).at(-1)).toEqual(['n', ['a:1']])
})

it('CLU-62 what is too large for a message goes in several, in order; of a contact that is, only the end', async () => {
  const { hints, told } = hintsOver(2)
  hints.add('a', [text(1), text(2)], ['n'])
  hints.add('b', [text(7), text(8), text(9)], ['n'])
  hints.add('c', [text(1)], ['n'])
  await Promise.resolve()
  expect(sizes(told)).toEqual([
    ['n', ['a:2']],
    ['n', ['b>9']],
    ['n', ['c:1']],
  ])
})
