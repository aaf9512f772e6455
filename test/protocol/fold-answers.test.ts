/**
 * The table of docs/negotiation.md, third part: how an offer ends, who may end it, and which session counts.
 * Every row in every phase, read by both parties.
 */
import { describe, expect, it } from 'vitest'
import type { Entry, PartialMediaState, Slot } from '../../protocol/index.ts'
import { CAPABILITIES, entry, foldAll, left, present } from '../support/entries.ts'
import {
  ANSWER,
  CALL,
  CHAT,
  ENDED,
  IDLE,
  LOGS,
  NATIVE,
  NET,
  NEXT,
  OFFERED,
  PHASES,
  REF,
  SESSION,
  SHARING,
  TALKING,
  TARGET,
  TRANSITING,
} from '../support/fold-phases.ts'
import { authorOf, each, expectStep, expectVoid, other, seen, write } from '../support/fold-phases.ts'
import type { PhaseName } from '../support/fold-phases.ts'

const REFUSAL: PartialMediaState = { ...CHAT, Video: { tx: true, rx: true, ...NET } }
const BEYOND: PartialMediaState = { ...ANSWER, Screen: { tx: true, rx: true, ...NET } }
const NEITHER = [...IDLE, ...TRANSITING] as const

/** What ends a phase, each by whom it may be written, and where it has an effect. */
const ENDINGS: Readonly<Record<string, (by: Slot, how?: { ref?: number; session?: string }) => Entry>> = {
  answer: (by, how = {}) => write.answer(by, ANSWER, how),
  reject: write.reject,
  withdraw: write.withdraw,
  ready: write.ready,
  failed: write.failed,
}

describe('answer', () => {
  it.each(OFFERED)('FOLD-11 in %s: one that satisfies leads to transiting, with nobody ready', (phase) => {
    const by = authorOf(phase)
    expectStep(LOGS[phase], write.answer(other(by)), {
      change: {
        phase: {
          name: 'transiting',
          ref: REF,
          by,
          restore: false,
          target: seen(by, TARGET),
          answer: seen(by, ANSWER),
          ready: [],
        },
      },
      fact: { kind: 'transiting', ref: REF, by },
    })
  })

  it('FOLD-11 keeps that the offer was a restore', () => {
    const offer = { ...write.offer(REF, 'visitor') }
    const log = [
      ...TALKING,
      { ...offer, body: { ...offer.body, restore: true } } as Entry,
      write.answer('agent', ANSWER, { seq: 10 }),
    ]
    expect(foldAll('visitor', log).phase).toMatchObject({ restore: true })
  })

  it.each(each(NEITHER))(
    'FOLD-11 FOLD-12 FOLD-13 NEG-10 in %s, by the %s: void, whatever it says',
    (phase, by) => {
      for (const answer of [ANSWER, REFUSAL, BEYOND])
        expectVoid(LOGS[phase], write.answer(by, answer), 'over')
    },
  )

  it.each(OFFERED)(
    'FOLD-12 in %s: one that breaks a required ends the offer and carries the answer',
    (phase) => {
      const by = authorOf(phase)
      for (const answer of [REFUSAL, {}]) {
        expectStep(LOGS[phase], write.answer(other(by), answer), {
          change: ENDED,
          fact: { kind: 'ended', ref: REF, by, ending: { kind: 'refused', answer: seen(by, answer) } },
        })
      }
    },
  )

  it.each(OFFERED)(
    'FOLD-13 in %s: one that turns on what was off, or is carried otherwise, ends the offer',
    (phase) => {
      const by = authorOf(phase)
      const unasked = { ...ANSWER, Voice: { tx: false, rx: true, ...NET } }
      const otherwise = { ...ANSWER, Video: { tx: true, rx: false, via: 'net', engine: 'Other' } }
      for (const answer of [BEYOND, unasked, otherwise, { ...REFUSAL, Voice: NATIVE }]) {
        expectStep(LOGS[phase], write.answer(other(by), answer), {
          change: ENDED,
          fact: { kind: 'ended', ref: REF, by, ending: { kind: 'invalid_answer' } },
        })
      }
    },
  )
})

describe('reject and withdraw', () => {
  it.each(OFFERED)('FOLD-14 in %s: reject by the other slot ends the offer', (phase) => {
    const by = authorOf(phase)
    expectStep(LOGS[phase], write.reject(other(by)), {
      change: ENDED,
      fact: { kind: 'ended', ref: REF, by, ending: { kind: 'rejected', reason: 'busy' } },
    })
  })

  it.each(each(NEITHER))('FOLD-14 NEG-10 in %s: reject by the %s is void', (phase, by) => {
    expectVoid(LOGS[phase], write.reject(by), 'over')
  })

  it.each(OFFERED)('FOLD-15 in %s: withdraw by the offering slot ends the offer', (phase) => {
    const by = authorOf(phase)
    expectStep(LOGS[phase], write.withdraw(by), {
      change: ENDED,
      fact: { kind: 'ended', ref: REF, by, ending: { kind: 'withdrawn', reason: 'timeout' } },
    })
  })

  it.each(each(NEITHER))('FOLD-15 NEG-10 in %s: withdraw by the %s is void', (phase, by) => {
    expectVoid(LOGS[phase], write.withdraw(by), 'over')
  })
})

describe('ready', () => {
  it.each(each(['transiting by visitor', 'transiting by agent']))(
    'FOLD-16 in %s: the first is that of the %s',
    (phase, slot) => {
      const { phase: before } = foldAll('visitor', LOGS[phase])
      expect(before.name).toBe('transiting')
      if (before.name === 'transiting')
        expectStep(LOGS[phase], write.ready(slot), {
          change: { phase: { ...before, ready: [slot] } },
          fact: { kind: 'ready', ref: REF, slot },
        })
    },
  )

  it.each(each(['transiting by visitor', 'transiting by agent']))(
    'FOLD-16 in %s, the %s being ready: that of the other commits',
    (phase, slot) => {
      const by = authorOf(phase)
      const log = [...LOGS[phase], write.ready(slot, { seq: 12 })]
      expectStep(log, write.ready(other(slot)), {
        change: { ...ENDED, media: seen(by, TARGET) },
        fact: { kind: 'committed', ref: REF, by, answer: seen(by, ANSWER) },
      })
    },
  )

  it('FOLD-16 a direct change commits without an answer', () => {
    expectStep(LOGS['visitor ready'], write.ready('agent'), {
      change: { ...ENDED, media: { ...SHARING, ...CHAT } },
      fact: { kind: 'committed', ref: REF, by: 'agent', answer: null },
    })
  })

  it('FOLD-16 NEG-10 of a slot that is ready is void', () => {
    expectVoid(LOGS['visitor ready'], write.ready('visitor'), 'over')
    expectVoid(LOGS['agent ready'], write.ready('agent'), 'over')
  })

  it.each(each([...IDLE, ...OFFERED]))('FOLD-16 NEG-10 in %s: that of the %s is void', (phase, slot) => {
    expectVoid(LOGS[phase], write.ready(slot), 'over')
  })
})

describe('failed', () => {
  it.each(each(TRANSITING))(
    'FOLD-17 in %s: that of the %s ends the transition, the media stay',
    (phase, slot) => {
      expectStep(LOGS[phase], write.failed(slot), {
        change: ENDED,
        fact: {
          kind: 'ended',
          ref: REF,
          by: authorOf(phase),
          ending: { kind: 'failed', by: slot, code: 'media_denied' },
        },
      })
    },
  )

  it.each(each([...IDLE, ...OFFERED]))('FOLD-17 NEG-10 in %s: that of the %s is void', (phase, slot) => {
    expectVoid(LOGS[phase], write.failed(slot), 'over')
  })
})

describe('who counts', () => {
  const all = (slot: Slot, session: string): Entry[] => [
    write.offer(NEXT, slot, session),
    write.direct(NEXT, slot, {}, session),
    ...Object.values(ENDINGS).map((ending) => ending(slot, { session })),
    entry(NEXT, slot, session, 'capabilities', { capabilities: CAPABILITIES }),
  ]

  it.each(each(PHASES))(
    'FOLD-18 NEG-10 in %s: a session that does not hold the slot of the %s writes void entries',
    (phase, slot) => {
      for (const session of ['a0', 'x2', SESSION[other(slot)]])
        for (const one of all(slot, session)) expectVoid(LOGS[phase], one, 'not_holder')
    },
  )

  it.each(each(IDLE))(
    'FOLD-18 NEG-10 in %s: with the slot of the %s empty, the session that held it writes void entries',
    (phase, slot) => {
      for (const one of all(slot, SESSION[slot]))
        expectVoid([...LOGS[phase], left(10, slot, SESSION[slot])], one, 'not_holder')
    },
  )

  it.each(each([...OFFERED, ...TRANSITING]))(
    'FOLD-20 NEG-10 in %s: what the %s writes about another offer is void',
    (phase, slot) => {
      for (const ref of [4, REF - 1, REF + 1])
        for (const ending of Object.values(ENDINGS)) expectVoid(LOGS[phase], ending(slot, { ref }), 'over')
    },
  )

  it.each(OFFERED)(
    'FOLD-21 NEG-10 in %s: its author cannot answer or reject it, the other cannot withdraw it',
    (phase) => {
      const by = authorOf(phase)
      for (const answer of [ANSWER, REFUSAL, BEYOND])
        expectVoid(LOGS[phase], write.answer(by, answer), 'over')
      expectVoid(LOGS[phase], write.reject(by), 'over')
      expectVoid(LOGS[phase], write.withdraw(other(by)), 'over')
    },
  )
})

describe('runs of several entries', () => {
  const run = (phase: PhaseName, ...entries: readonly Entry[]): unknown => {
    const { phase: last, media } = foldAll('visitor', [...LOGS[phase], ...entries])
    return { phase: last.name, media }
  }

  it('FOLD-14 FOLD-20 an answer that crosses a withdraw decides nothing, not even the next offer (CE-5)', () => {
    const next = [
      write.withdraw('visitor'),
      write.offer(21, 'visitor'),
      write.answer('agent', ANSWER, { seq: 22 }),
    ]
    expect(run('offered by visitor', ...next)).toEqual({ phase: 'offered', media: CALL })
  })

  it('FOLD-1 FOLD-16 a page that reloads after it was ready is not committed to (CE-2)', () => {
    const reload = present(21, 'visitor', 'v2', { after: 'v1', media: { Chat: 'Native' } })
    expect(run('visitor ready', reload, write.ready('agent', { seq: 22 }))).toEqual({
      phase: 'idle',
      media: { ...SHARING, ...CHAT },
    })
  })

  it('FOLD-1 FOLD-11 an offer that outlives the reload of the party it was made to can be answered', () => {
    const reload = present(21, 'agent', 'a2', { after: 'a1', media: { Chat: 'Native' } })
    const answer = write.answer('agent', ANSWER, { seq: 22, session: 'a2' })
    expect(
      run(
        'offered by visitor',
        reload,
        answer,
        write.ready('visitor', { seq: 23 }),
        write.ready('agent', { seq: 24, session: 'a2' }),
      ),
    ).toEqual({
      phase: 'idle',
      media: TARGET,
    })
  })

  it('FOLD-2 FOLD-18 a superseded tab that announces itself late takes nothing back (D1)', () => {
    const second = present(21, 'visitor', 'v2', { after: 'v1' })
    const late = present(22, 'visitor', 'v1', { after: 'v1' })
    expect(
      foldAll('visitor', [...TALKING, second, late, write.ready('visitor', { seq: 23 })]).session,
    ).toEqual({ visitor: 'v2', agent: 'a1' })
  })

  it('FOLD-16 FOLD-17 a failure that comes after the commit is void', () => {
    expectVoid([...LOGS['agent ready'], write.ready('visitor', { seq: 13 })], write.failed('agent'), 'over')
  })
})
