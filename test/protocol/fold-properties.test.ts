/** What holds of every log, whoever wrote it. */
import fc from 'fast-check'
import { read } from '../../protocol/checks.ts'
import { describe, expect, it, vi } from 'vitest'
import { otherSlot } from '../../protocol/index.ts'
import type { Entry, Phase, SharedState } from '../../protocol/index.ts'
import { entrySchema } from '../../protocol/entry-schema.ts'
import { foldSteps } from '../support/entries.ts'
import type { Step } from '../support/entries.ts'
import { mirrorFact, mirrorState } from '../support/mirror.ts'
import { logs } from './random-log.ts'

const RUNS = { numRuns: 120 }

/** Random logs are long: how fast the machine is decides nothing here. */
vi.setConfig({ testTimeout: 120_000 })

/** Checks every step of random logs as the visitor reads them. */
const eachStep = (check: (step: Step) => void): void => {
  fc.assert(
    fc.property(logs, (log) => {
      for (const step of foldSteps('visitor', log)) check(step)
    }),
    RUNS,
  )
}

const remoteMedia = ({ media }: SharedState): string[] =>
  Object.keys(media).filter((medium) => medium !== 'Sharing' && media[medium]?.engine !== 'Native')
const refOf = (phase: Phase): number | null => (phase.name === 'idle' ? null : phase.ref)

describe('the random logs', () => {
  it('NEG-1 SND-206 reach everything that an entry can do, and pass the wire schema', () => {
    const sample = fc.sample(logs, { numRuns: 400, seed: 7 })
    const steps = sample.flatMap((log) => foldSteps('visitor', log))
    const kinds = new Set(
      steps.map(({ fact }) =>
        [fact.kind, 'reason' in fact && fact.reason, 'ending' in fact && fact.ending.kind]
          .filter(Boolean)
          .join(' '),
      ),
    )
    const voids = ['not_holder', 'superseded', 'peer_left', 'glare', 'offer_required', 'over'].map(
      (reason) => `void ${reason}`,
    )
    const endings = ['refused', 'invalid_answer', 'rejected', 'withdrawn', 'failed'].map(
      (ending) => `ended ${ending}`,
    )
    expect(kinds).toEqual(
      new Set([
        'none',
        'present',
        'absent',
        'offered',
        'transiting',
        'ready',
        'committed',
        ...voids,
        ...endings,
      ]),
    )
    expect(steps.filter(({ fact }) => fact.kind === 'committed').length).toBeGreaterThan(300)
    expect(steps.filter(({ after }) => remoteMedia(after).length > 0).length).toBeGreaterThan(300)
    expect(
      steps.filter(
        ({ before, entry: { type } }) =>
          remoteMedia(before).length > 0 && (type === 'present' || type === 'left'),
      ).length,
    ).toBeGreaterThan(100)
    for (const { entry } of steps.slice(0, 2000)) expect(read(entrySchema, entry)).toEqual(entry)
  })
})

describe('every log', () => {
  it('NEG-1 both parties see mirror images at every position, and learn the same', () => {
    fc.assert(
      fc.property(logs, (log) => {
        const agent = foldSteps('agent', log)
        for (const [index, { after, fact }] of foldSteps('visitor', log).entries()) {
          expect(agent[index]?.after).toEqual(mirrorState(after))
          expect(agent[index]?.fact).toEqual(mirrorFact(fact))
        }
      }),
      RUNS,
    )
  })

  it('NEG-6 media that need the remote are on only between two sessions that hold them', () => {
    fc.assert(
      fc.property(logs, (log) => {
        /** The sessions between which each medium runs. */
        const running = new Map<string, SharedState['session']>()
        for (const { entry, after, fact } of foldSteps('visitor', log)) {
          if (fact.kind === 'committed')
            for (const medium of Object.keys(after.media)) running.set(medium, after.session)
          if (fact.kind === 'present' && entry.type === 'present') {
            for (const [medium, between] of running) {
              if (entry.body.media[medium] === after.media[medium]?.engine)
                running.set(medium, { ...between, [fact.slot]: fact.session })
            }
          }
          for (const medium of remoteMedia(after)) {
            expect([after.session.visitor, after.session.agent]).not.toContain(null)
            expect(running.get(medium)).toEqual(after.session)
          }
        }
      }),
      RUNS,
    )
  })

  it('NEG-6 a present only ever turns off, and exactly what its session does not hold', () => {
    eachStep(({ entry, before, after, fact }) => {
      if (entry.type !== 'present' || fact.kind !== 'present') return
      const held = Object.entries(before.media).filter(
        ([medium, one]) =>
          medium === 'Sharing' ||
          (Object.hasOwn(entry.body.media, medium) && entry.body.media[medium] === one?.engine),
      )
      expect(after.media).toEqual(Object.fromEntries(held))
    })
  })

  it('NEG-10 a void entry leaves the very same state, and so does one that means nothing', () => {
    eachStep(({ before, after, fact }) => {
      if (fact.kind === 'void' || fact.kind === 'none') expect(after).toBe(before)
      else if (fact.kind !== 'present') expect(after).not.toEqual(before)
    })
  })

  it('NEG-10 FOLD-18 only the session that holds its slot changes anything but by its present', () => {
    eachStep(({ entry, before, fact }) => {
      if (
        entry.slot === 'service' ||
        entry.type === 'present' ||
        fact.kind === 'void' ||
        fact.kind === 'none'
      )
        return
      expect(entry.session).toBe(before.session[entry.slot])
    })
  })

  it('NEG-11 a phase ends only by an entry about it, from one entitled', () => {
    eachStep(({ entry, before, after }) => {
      if (before.phase.name === 'idle' || refOf(after.phase) === before.phase.ref) return
      expect(after.phase).toEqual({ name: 'idle' })
      expect(isEntitled(entry, before, before.phase)).toBe(true)
    })
  })

  it('NEG-11 a phase begins only by an offer of the holder, and goes on only by an answer or a ready', () => {
    eachStep(({ entry, before, after }) => {
      const [from, to] = [before.phase, after.phase]
      if (to.name === 'idle' || to === from) return
      if (from.name === 'idle') {
        expect([entry.type === 'offer' || entry.type === 'direct', to.ref, to.by]).toEqual([
          true,
          entry.seq,
          entry.slot,
        ])
        expect(to.name).toBe(entry.type === 'offer' ? 'offered' : 'transiting')
        expect([before.session.visitor, before.session.agent]).not.toContain(null)
        return
      }
      expect([to.ref, to.by, to.restore]).toEqual([from.ref, from.by, from.restore])
      expect('ref' in entry.body && entry.body.ref).toBe(from.ref)
      if (from.name === 'offered')
        expect([entry.type, entry.slot, to.name, 'ready' in to && to.ready]).toEqual([
          'answer',
          otherSlot(from.by),
          'transiting',
          [],
        ])
      else expect([entry.type, 'ready' in to && to.ready]).toEqual(['ready', [...from.ready, entry.slot]])
    })
  })

  it('NEG-7 media change only by a commit, which both are ready for, or by someone who is gone', () => {
    eachStep(({ before, after, fact }) => {
      if (fact.kind === 'committed') {
        expect(before.phase).toMatchObject({ name: 'transiting', ref: fact.ref, ready: [expect.any(String)] })
        expect(after.media).toEqual('target' in before.phase && before.phase.target)
      } else if (fact.kind === 'present' || fact.kind === 'absent') {
        for (const [medium, one] of Object.entries(after.media)) expect(one).toEqual(before.media[medium])
      } else {
        expect(after.media).toBe(before.media)
      }
    })
  })

  it('NEG-7 a direct change never has the other party transmit anew', () => {
    eachStep(({ entry, before, after }) => {
      if (entry.type !== 'direct' || after.phase.name !== 'transiting' || before.phase.name !== 'idle') return
      const direction = entry.slot === 'visitor' ? 'rx' : 'tx'
      for (const [medium, one] of Object.entries(after.phase.target)) {
        const now = before.media[medium]
        if (medium !== 'Sharing' && one?.[direction])
          expect([now?.[direction], now?.via, now?.engine]).toEqual([true, one.via, one.engine])
      }
    })
  })

  it('ALG-5 Sharing stays on, and what is kept is on', () => {
    eachStep(({ after: { media } }) => {
      expect(media.Sharing).toEqual({ tx: true, rx: true, via: 'net', engine: 'Native' })
      for (const one of Object.values(media)) expect(one?.tx === true || one?.rx === true).toBe(true)
    })
  })
})

/** Whether `entry` may end `phase`, after the words of the table and not after the code. */
function isEntitled(
  entry: Entry,
  { session }: SharedState,
  phase: Exclude<Phase, { name: 'idle' }>,
): boolean {
  switch (entry.type) {
    case 'transferred':
    case 'cleared':
      return true
    case 'left':
      return session[entry.body.slot] === entry.body.session
    case 'present':
      return (
        session[entry.slot] === entry.body.after && (phase.name === 'transiting' || phase.by === entry.slot)
      )
    case 'answer':
    case 'reject':
      return (
        phase.name === 'offered' &&
        entry.body.ref === phase.ref &&
        entry.slot !== phase.by &&
        session[entry.slot] === entry.session
      )
    case 'withdraw':
      return (
        phase.name === 'offered' &&
        entry.body.ref === phase.ref &&
        entry.slot === phase.by &&
        session[entry.slot] === entry.session
      )
    case 'failed':
      return (
        phase.name === 'transiting' && entry.body.ref === phase.ref && session[entry.slot] === entry.session
      )
    case 'ready':
      return (
        phase.name === 'transiting' &&
        entry.body.ref === phase.ref &&
        phase.ready.length === 1 &&
        !phase.ready.includes(entry.slot) &&
        session[entry.slot] === entry.session
      )
    default:
      return false
  }
}
