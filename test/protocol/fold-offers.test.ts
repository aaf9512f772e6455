/**
 * The table of docs/negotiation.md, second part: how an offer begins. Every row in every
 * phase, read by both parties.
 */
import { describe, expect, it } from 'vitest'
import { fold } from '../../protocol/index.ts'
import type { Entry, PartialMediaState } from '../../protocol/index.ts'
import { foldAll, left, present } from '../support/entries.ts'
import {
  CALL,
  CHAT,
  IDLE,
  LOGS,
  NET,
  NEXT,
  OFFER,
  OFFERED,
  REF,
  SESSION,
  SHARING,
  TALKING,
  TRANSITING,
} from '../support/fold-phases.ts'
import { each, expectStep, expectVoid, other, seen, write } from '../support/fold-phases.ts'

describe('offer', () => {
  it.each(['visitor', 'agent'] as const)(
    'FOLD-7 NEG-10 by the %s, the other slot being empty, is void',
    (slot) => {
      for (const log of [
        [present(1, slot, SESSION[slot])],
        [...TALKING, left(9, other(slot), SESSION[other(slot)])],
      ]) {
        expectVoid(log, write.offer(NEXT, slot), 'peer_left')
        expectVoid(log, write.direct(NEXT, slot, {}), 'peer_left')
      }
    },
  )

  it.each(each(IDLE))('FOLD-8 in %s, by the %s: it stands under its sequence number', (phase, by) => {
    for (const restore of [false, true]) {
      const one = { ...write.offer(NEXT, by) }
      expectStep(LOGS[phase], { ...one, body: { ...one.body, restore } } as Entry, {
        change: {
          phase: { name: 'offered', ref: NEXT, by, offer: seen(by, OFFER), restore, lifetime: 60_000 },
        },
        fact: { kind: 'offered', ref: NEXT, by },
      })
    }
  })

  it.each([10_000, 300_000])(
    'SND-205 FOLD-8 MED-11 it stands for the time that its entry says: %i ms, for both readers',
    (lifetime) => {
      const one = write.offer(NEXT, 'agent')
      for (const reader of ['visitor', 'agent'] as const) {
        const { phase } = foldAll(reader, [
          ...LOGS.idle,
          { ...one, body: { ...one.body, lifetime } } as Entry,
        ])
        expect(phase).toMatchObject({ name: 'offered', by: 'agent', lifetime })
      }
    },
  )

  it.each(each([...OFFERED, ...TRANSITING]))('FOLD-8 NEG-10 in %s, by the %s: glare', (phase, by) => {
    expectVoid(LOGS[phase], write.offer(NEXT, by), 'glare')
  })
})

describe('direct', () => {
  /** What each party can do by itself in CALL, relative to the visitor. */
  const LESS: Readonly<Record<string, PartialMediaState>> = {
    nothing: {},
    'what is on': CALL,
    'less of it, without Sharing': { ...CHAT, Video: { tx: true, rx: false, ...NET } },
  }

  it.each(each(IDLE))('FOLD-9 in %s, by the %s: what asks no more begins, with nobody ready', (phase, by) => {
    const more = { ...CHAT, Screen: { tx: by === 'visitor', rx: by === 'agent', ...NET } }
    for (const target of [...Object.values(LESS), more]) {
      const kept = Object.fromEntries(Object.entries(target).filter(([medium]) => medium !== 'Sharing'))
      expectStep(LOGS[phase], write.direct(NEXT, by, seen(by, target)), {
        change: {
          phase: {
            name: 'transiting',
            ref: NEXT,
            by,
            target: { ...SHARING, ...kept },
            answer: null,
            restore: false,
            ready: [],
          },
        },
        fact: { kind: 'transiting', ref: NEXT, by },
      })
    }
  })

  it('FOLD-9 the target names what is on, Sharing as it is', () => {
    const target = {
      Sharing: { tx: false, rx: false },
      Chat: { tx: false, rx: false },
      Video: { tx: true, rx: true, ...NET },
    }
    const { state } = fold(foldAll('visitor', TALKING), write.direct(NEXT, 'visitor', target))
    expect(state.phase).toMatchObject({ target: { ...SHARING, Video: CALL.Video } })
    expect(Object.keys('target' in state.phase ? state.phase.target : {})).toEqual(['Sharing', 'Video'])
  })

  it.each(each([...OFFERED, ...TRANSITING]))(
    'FOLD-9 FOLD-10 NEG-10 in %s, by the %s: glare, whatever it asks',
    (phase, by) => {
      for (const target of [{}, { Voice: { tx: true, rx: true, ...NET } }])
        expectVoid(LOGS[phase], write.direct(NEXT, by, target), 'glare')
    },
  )

  it.each([
    ['visitor', 'a medium of which it only transmits', { Voice: { tx: true, rx: true, ...NET } }],
    ['visitor', 'a new medium', { Screen: { tx: false, rx: true, ...NET } }],
    ['visitor', 'another engine', { Video: { tx: true, rx: true, via: 'net', engine: 'Other' } }],
    ['visitor', 'another via', { Video: { tx: true, rx: true, via: 'pstn', engine: 'WebRTC' } }],
    ['agent', 'a new medium', { Screen: { tx: false, rx: true, ...NET } }],
    ['agent', 'another engine', { Voice: { tx: false, rx: true, via: 'net', engine: 'Other' } }],
  ] as const)(
    'FOLD-10 NEG-10 in idle, by the %s, who would have the other transmit %s: offer_required',
    (by, _what, changes) => {
      expectVoid(LOGS.idle, write.direct(NEXT, by, { ...seen(by, CALL), ...changes }), 'offer_required')
    },
  )

  it('FOLD-10 is judged by the media at its position: what the other has just ended is more', () => {
    const shrunk = [...TALKING, present(9, 'agent', 'a1', { after: 'a1', media: { Chat: 'Native' } })]
    expectVoid(shrunk, write.direct(NEXT, 'visitor', CALL), 'offer_required')
    expect(foldAll('visitor', [...TALKING, write.direct(REF, 'visitor', CALL)]).phase.name).toBe('transiting')
  })
})
