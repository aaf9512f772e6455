/**
 * The table of docs/negotiation.md, first part: who is there. Every row in every
 * phase, read by both parties.
 */
import { describe, expect, it } from 'vitest'
import { initialSharedState } from '../../protocol/index.ts'
import type { Entry, Fact, MediaState, SharedState, Slot } from '../../protocol/index.ts'
import { CAPABILITIES, entry, foldAll, left, present, serviceEntry } from '../support/entries.ts'
import {
  CALL,
  CHAT,
  ENDED,
  HOLDS,
  LOGS,
  NATIVE,
  NEXT,
  OFFERED,
  PHASES,
  SESSION,
  SHARING,
  TALKING,
} from '../support/fold-phases.ts'
import {
  authorOf,
  each,
  expectNothing,
  expectStep,
  expectVoid,
  other,
  write,
} from '../support/fold-phases.ts'
import { mirrorState } from '../support/mirror.ts'

const again = (
  slot: Slot,
  session: string,
  {
    after = SESSION[slot],
    media = HOLDS,
  }: { after?: string | null; media?: Readonly<Record<string, string>> } = {},
): Entry => present(NEXT, slot, session, { after, media })
const sessions = (change: Partial<SharedState['session']>): SharedState['session'] => ({
  ...SESSION,
  ...change,
})

describe('start', () => {
  it('ALG-20 NEG-1 nobody is there, the phase is idle, Chat is as the initial offer says to the agent', () => {
    const state = initialSharedState('agent', { Chat: { tx: 'required', rx: 'off' } })
    expect(state).toEqual({
      reader: 'agent',
      phase: { name: 'idle' },
      media: { ...SHARING, Chat: { ...NATIVE, rx: false } },
      session: { visitor: null, agent: null },
    })
    expect(initialSharedState('visitor', { Chat: { tx: 'required', rx: 'off' } })).toEqual(mirrorState(state))
    expect(initialSharedState('visitor').media).toEqual({ ...SHARING, ...CHAT })
  })

  it('FOLD-1 the phases that these tests start from', () => {
    const phases = PHASES.map((phase) => foldAll('visitor', LOGS[phase]))
    for (const { media, session } of phases)
      expect({ media, session }).toEqual({ media: CALL, session: SESSION })
    expect(
      phases.map(({ phase }) => [phase.name, 'by' in phase && phase.by, 'ready' in phase && phase.ready]),
    ).toEqual([
      ['idle', false, false],
      ['offered', 'visitor', false],
      ['offered', 'agent', false],
      ['transiting', 'visitor', []],
      ['transiting', 'agent', []],
      ['transiting', 'agent', ['visitor']],
      ['transiting', 'visitor', ['agent']],
    ])
  })
})

describe('present', () => {
  it('FOLD-1 enters an empty slot', () => {
    const fact: Fact = { kind: 'present', slot: 'agent', session: 'a1', previous: null }
    expectStep([present(1, 'visitor', 'v1', { media: HOLDS })], present(2, 'agent', 'a1', { media: HOLDS }), {
      change: { session: SESSION, media: { ...SHARING, ...CHAT } },
      fact,
    })
  })

  it.each(each(PHASES))(
    'FOLD-1 in %s, by the %s: a new session takes the slot and keeps the media that it holds',
    (phase, slot) => {
      const stands = OFFERED.includes(phase as (typeof OFFERED)[number]) && authorOf(phase) !== slot
      const media: MediaState = { ...SHARING, ...CHAT, ...(CALL.Voice && { Voice: CALL.Voice }) }
      expectStep(
        LOGS[phase],
        again(slot, 'x2', { media: { Chat: 'Native', Voice: 'WebRTC', Video: 'Other' } }),
        {
          change: { ...(!stands && ENDED), media, session: sessions({ [slot]: 'x2' }) },
          fact: { kind: 'present', slot, session: 'x2', previous: SESSION[slot] },
        },
      )
    },
  )

  it.each(each(PHASES))('FOLD-1 in %s, by the %s: the same session again, with less', (phase, slot) => {
    const stands = OFFERED.includes(phase as (typeof OFFERED)[number]) && authorOf(phase) !== slot
    expectStep(LOGS[phase], again(slot, SESSION[slot], { media: {} }), {
      change: { ...(!stands && ENDED), media: SHARING },
      fact: { kind: 'present', slot, session: SESSION[slot], previous: SESSION[slot] },
    })
  })

  it.each(each(PHASES))(
    'FOLD-2 NEG-10 in %s, by the %s: after any other session it is void',
    (phase, slot) => {
      for (const after of [null, 'a0', 'x2', SESSION[other(slot)]]) {
        expectVoid(LOGS[phase], again(slot, 'x2', { after }), 'superseded')
        expectVoid(LOGS[phase], again(slot, SESSION[slot], { after }), 'superseded')
      }
    },
  )

  it('FOLD-2 NEG-10 after a session, where the slot is empty, it is void', () => {
    expectVoid([present(1, 'visitor', 'v1')], present(2, 'agent', 'a1', { after: 'a0' }), 'superseded')
    expectVoid(
      [...TALKING, left(9, 'agent', 'a1')],
      present(NEXT, 'agent', 'a1', { after: 'a1' }),
      'superseded',
    )
  })
})

describe('absence', () => {
  const gone = (slots: readonly Slot[]): { change: Partial<SharedState>; fact: Fact } => ({
    change: {
      ...ENDED,
      media: { ...SHARING, ...CHAT },
      session: sessions(Object.fromEntries(slots.map((slot) => [slot, null]))),
    },
    fact: { kind: 'absent', slots },
  })

  it.each(each(PHASES))('FOLD-3 in %s: the session of the %s ends', (phase, slot) => {
    expectStep(LOGS[phase], left(NEXT, slot, SESSION[slot]), gone([slot]))
  })

  it('FOLD-3 media of Native stay on, also over the telephone', () => {
    const log = [
      ...TALKING,
      write.direct(9, 'visitor', {
        Chat: { ...NATIVE, rx: false },
        Voice: { tx: true, rx: false, via: 'pstn', engine: 'Native' },
      }),
    ]
    const media = {
      ...SHARING,
      Chat: { ...NATIVE, rx: false },
      Voice: { tx: true, rx: false, via: 'pstn', engine: 'Native' },
    }
    const committed = [...log, write.ready('visitor', { seq: 10 }), write.ready('agent', { seq: 11 })]
    expectStep(committed, left(NEXT, 'agent', 'a1'), {
      change: { media, session: sessions({ agent: null }) },
      fact: { kind: 'absent', slots: ['agent'] },
    })
  })

  it.each(each(PHASES))(
    'FOLD-3 in %s: the end of another session of the %s changes nothing',
    (phase, slot) => {
      for (const session of ['a0', 'x2', SESSION[other(slot)]])
        expectNothing(LOGS[phase], left(NEXT, slot, session))
    },
  )

  it.each(PHASES)('FOLD-4 in %s: transferred is the absence of the agent', (phase) => {
    expectStep(LOGS[phase], serviceEntry(NEXT, 'transferred', { toId: 'c2' }), gone(['agent']))
  })

  it.each(PHASES)('FOLD-5 in %s: cleared is the absence of both', (phase) => {
    expectStep(LOGS[phase], serviceEntry(NEXT, 'cleared', { reason: 'user' }), gone(['visitor', 'agent']))
  })

  it('FOLD-4 FOLD-5 of those who are not there changes nothing', () => {
    const alone = [...TALKING, left(9, 'agent', 'a1')]
    expectNothing(alone, left(NEXT, 'agent', 'a1'))
    expectNothing(alone, serviceEntry(NEXT, 'transferred', { toId: 'c2' }))
    expectNothing([...alone, left(10, 'visitor', 'v1')], serviceEntry(NEXT, 'cleared', {}))
    expectStep(alone, serviceEntry(NEXT, 'cleared', {}), {
      change: { session: { visitor: null, agent: null } },
      fact: { kind: 'absent', slots: ['visitor'] },
    })
  })
})

describe('what is not about media', () => {
  const card = { user: 'u1', nick: 'Ada' }
  const messages = (session: string, slot: Slot): Entry[] => [
    entry(NEXT, slot, session, 'text', { text: 'hello' }),
    entry(NEXT, slot, session, 'link', { url: 'https://example.org/' }),
    entry(NEXT, slot, session, 'action', { code: 'Wave', args: [] }),
    entry(NEXT, slot, session, 'ack', { ref: 'm8' }),
  ]

  it.each(each(PHASES))('FOLD-6 in %s: capabilities and messages of the %s change nothing', (phase, slot) => {
    for (const one of [
      ...messages(SESSION[slot], slot),
      entry(NEXT, slot, SESSION[slot], 'capabilities', { capabilities: CAPABILITIES }),
    ])
      expectNothing(LOGS[phase], one)
  })

  it.each(PHASES)('FOLD-6 in %s: assigned, joined and declined change nothing', (phase) => {
    for (const type of ['assigned', 'joined', 'declined'] as const)
      expectNothing(LOGS[phase], serviceEntry(NEXT, type, card))
  })

  it.each(PHASES)('FOLD-6 in %s: an entry of a type that is not known changes nothing', (phase) => {
    expectNothing(LOGS[phase], {
      ...entry(NEXT, 'visitor', 'v1', 'text', { text: '' }),
      type: 'later',
    } as unknown as Entry)
  })

  it.each(each(PHASES))('FOLD-19 in %s: messages of any session of the %s count', (phase, slot) => {
    for (const session of ['a0', 'x2'])
      for (const one of messages(session, slot)) expectNothing(LOGS[phase], one)
  })
})
