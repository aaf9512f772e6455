import { describe, expect, it } from 'vitest'
import { initialContactState } from '../../../protocol/index.ts'
import type { Entry, Slot } from '../../../protocol/index.ts'
import { Channel } from '../../../service/src/connections/channel.ts'
import { Hub } from '../../../service/src/connections/hub.ts'
import { participationAfter } from '../../../service/src/connections/participation.ts'
import { entry, left, serviceEntry } from '../../support/entries.ts'

const AGENT = { slot: 'agent', principal: 'ann', session: 'a1' } as const
const VISITOR = { slot: 'visitor', principal: 'vera', session: 'v1' } as const
const text = (seq: number): Entry => entry(seq, 'visitor', 'v1', 'text', { text: `text ${seq}` })
const declined = (seq: number, user = 'ann'): Entry => serviceEntry(seq, 'declined', { user, nick: user })
const cleared = (seq: number): Entry => serviceEntry(seq, 'cleared', {})

describe('the part of a party', () => {
  it.each([
    ['cleared', cleared(1), 'over', 'over'],
    ['transferred', serviceEntry(1, 'transferred', { toId: 'c2' }), 'over', 'over'],
    ['declined by this agent', declined(1), 'over', 'none'],
    ['declined by another', declined(1, 'bob'), 'none', 'none'],
    ['left by another session', left(1, 'agent', 'a2'), 'none', 'none'],
    ['left by the session of the agent', left(1, 'agent', 'a1'), 'ending', 'none'],
    ['left by the session of the visitor', left(1, 'visitor', 'v1'), 'none', 'ending'],
    ['text', text(1), 'none', 'none'],
  ] as const)('SND-305 after %s', (_name, after, agent, visitor) => {
    expect([participationAfter(AGENT, after), participationAfter(VISITOR, after)]).toEqual([agent, visitor])
  })
})

/** A channel, and what it has brought; its connection takes nothing while `held`. */
function channelOf(
  part: { readonly slot: Slot; readonly principal: string; readonly session: string },
  log: Entry[],
  { cursor = 0, head = 0 } = {},
) {
  const state = { held: false, goOn: (): void => {} }
  const [brought, told]: [number[], string[]] = [[], []]
  const hub = new Hub({
    read: () => Promise.resolve([]),
    onFault: (thrown) => {
      throw thrown
    },
  })
  const channel = new Channel({
    ...{ ...part, contact: 'c', nick: null, cursor, head },
    read: ({ after, limit }) => Promise.resolve(log.filter(({ seq }) => seq > after).slice(0, limit)),
    view: (entries) => entries,
    sink: {
      push: (name, body) => {
        told.push(name)
        brought.push(...('entries' in body ? body.entries.map(({ seq }) => seq) : []))
      },
      hold: () => true,
      release: () => {},
      mayPass: () => true,
      passInTurn: () => {},
      isFull: () => state.held,
      pageBytes: 131_072,
      drained: () => new Promise((settle) => (state.goOn = settle)),
      inTurn: async (work) => {
        while (state.held) await new Promise<void>((settle) => (state.goOn = settle))
        await work()
      },
      isOpen: () => true,
      close: () => {},
      cut: () => {},
    },
    onFault: (thrown) => {
      throw thrown
    },
  })
  hub.attach(channel, { ...initialContactState('visitor'), seq: head })
  channel.start()
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise((settle) => setImmediate(settle))
  }
  const hear = async (...entries: Entry[]): Promise<void> => {
    log.push(...entries)
    hub.appended('c', entries)
    await turns()
  }
  const release = async (): Promise<void> => {
    state.held = false
    state.goOn()
    await turns()
  }
  return { hub, channel, brought, told, hear, release, state, turns }
}

describe('a channel', () => {
  it('SND-305 brings what takes the part away, and nothing after it, though both come at once', async () => {
    const { hub, channel, brought, hear } = channelOf(AGENT, [])
    await hear(text(1))
    await hear(declined(2), text(3))
    await hear(text(4))
    expect([brought, channel.isClosed, hub.size]).toEqual([[1, 2], true, { contacts: 0, channels: 0 }])
  })

  it('SND-305 also where the connection is slow and reads the log long after', async () => {
    const { channel, brought, hear, release, state } = channelOf(AGENT, [])
    state.held = true
    await hear(text(1), declined(2))
    await hear(text(3))
    expect([brought, channel.isClosed]).toEqual([[], false])
    await release()
    expect([brought, channel.isClosed]).toEqual([[1, 2], true])
  })

  it('SND-305 tells nothing else from the loss on, though the connection is slow', async () => {
    const { channel, told, hear, release, state } = channelOf(AGENT, [])
    channel.tell('contact.queue', { contact: 'c', position: 2 })
    state.held = true
    await hear(text(1), declined(2))
    channel.tell('contact.queue', { contact: 'c', position: 1 })
    await release()
    expect(told).toEqual(['contact.queue', 'log.entries'])
  })

  it('SND-305 also where nobody has told of the loss, as on another node', async () => {
    const log = [text(1), declined(2), text(3)]
    const { channel, brought, turns } = channelOf(AGENT, log)
    channel.reach(3)
    await turns()
    expect([brought, channel.isClosed]).toEqual([[1, 2], true])
  })

  it('SND-305 brings what was before it was opened, whatever was lost and got again then', async () => {
    const { channel, brought, hear } = channelOf(AGENT, [text(1), declined(2), text(3)], {
      cursor: 0,
      head: 3,
    })
    await hear(text(4))
    expect([brought, channel.isClosed]).toEqual([[1, 2, 3, 4], false])
  })

  it.each([
    ['left, and with that the contact ended', [left(1, 'visitor', 'v1'), cleared(2), text(3)], [1, 2]],
    ['left, and the contact goes on', [left(1, 'visitor', 'v1'), text(2), text(3)], [1]],
  ] as const)('SND-305 of a session that has %s', async (_name, entries, expected) => {
    const { channel, brought, hear } = channelOf(VISITOR, [])
    await hear(...entries)
    expect([brought, channel.isClosed]).toEqual([expected, true])
  })
})
