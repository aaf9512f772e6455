import { expect, it } from 'vitest'
import { initialContactState } from '../../../protocol/index.ts'
import type { Entry, Slot } from '../../../protocol/index.ts'
import { Channel } from '../../../service/src/connections/channel.ts'
import { Hub } from '../../../service/src/connections/hub.ts'
import type { Page } from '../../../service/src/log/read-log.ts'
import { entry, serviceEntry } from '../../support/entries.ts'

const fault = (thrown: unknown): never => {
  throw thrown
}

/** A hub with an open channel of each session named, and who has been told what. */
function openHub(...sessions: readonly (readonly [contact: string, slot: Slot])[]) {
  const told: string[] = []
  const log: Entry[] = []
  const read = ({ after, limit }: Page) =>
    Promise.resolve(log.filter(({ seq }) => seq > after).slice(0, limit))
  const hub = new Hub({ read: (_contact, page) => read(page), onFault: fault })
  for (const [contact, slot] of sessions) {
    const channel = new Channel({
      ...{
        contact,
        slot,
        session: `${contact}-${slot}`,
        principal: `${slot}-1`,
        nick: null,
        cursor: 0,
        head: 0,
      },
      read,
      view: (entries) => entries,
      sink: {
        push: (_name, body) =>
          void told.push(
            `${contact}-${slot} ${'entries' in body ? body.entries.map(({ seq }) => seq).join() : ''}`,
          ),
        hold: () => true,
        release: () => {},
        mayPass: () => true,
        passInTurn: () => {},
        isFull: () => false,
        pageBytes: 131_072,
        isOpen: () => true,
        drained: () => Promise.resolve(),
        inTurn: (work) => work(),
        close: () => {},
        cut: () => {},
      },
      onFault: fault,
    })
    hub.attach(channel, initialContactState('visitor'))
    channel.start()
  }
  return { hub, told, log }
}

it('LOG-2 what is stored together leaves for those who wait for it before it leaves for those who wrote it', async () => {
  const { hub, told } = openHub(['a', 'visitor'], ['a', 'agent'], ['b', 'visitor'], ['b', 'agent'])
  hub.appended('a', [entry(1, 'visitor', 'a-visitor', 'text', { text: 'hello' })])
  hub.appended('b', [entry(1, 'agent', 'b-agent', 'text', { text: 'hello' })])
  await Promise.resolve()
  expect(told).toEqual(['a-agent 1', 'b-visitor 1', 'a-visitor 1', 'b-agent 1'])
})

it('LOG-2 LOG-5 entries of both sides and of the service in one turn reach each in order', async () => {
  const { hub, told } = openHub(['a', 'visitor'], ['a', 'agent'])
  hub.appended('a', [
    entry(1, 'visitor', 'a-visitor', 'text', { text: 'one' }),
    entry(2, 'agent', 'a-agent', 'text', { text: 'two' }),
  ])
  await Promise.resolve()
  hub.appended('a', [
    serviceEntry(3, 'left', { slot: 'visitor', session: 'a-visitor', channels: { total: 0 } }),
  ])
  expect(told).toEqual(['a-visitor 1,2', 'a-agent 1,2', 'a-visitor 3', 'a-agent 3'])
})

it('SND-107 a gap is mended up to the last entry that was heard of, not the first', async () => {
  const { hub, log } = openHub(['a', 'visitor'])
  log.push(
    ...Array.from({ length: 501 }, (_, index) =>
      entry(index + 1, 'agent', 'a-agent', 'text', { text: 'hello' }),
    ),
  )
  hub.appended('a', log.slice(499))
  await expect.poll(() => hub.stateOf('a')?.seq).toBe(501)
})
