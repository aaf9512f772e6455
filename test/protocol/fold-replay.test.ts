/** Folding: from any position, without a change of the state before it, with names of any kind. */
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { algebra, fold, initialContactState, foldContact, initialSharedState } from '../../protocol/index.ts'
import type { Entry, SharedState, Slot } from '../../protocol/index.ts'
import { foldAll, foldSteps, present } from '../support/entries.ts'
import type { Step } from '../support/entries.ts'
import { TRICKY_NAMES } from '../support/media-arbitraries.ts'
import { mirrorState } from '../support/mirror.ts'
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

describe('folding', () => {
  it('FOLD-22 from a stored state at any position gives the same as from the start', () => {
    fc.assert(
      fc.property(logs, fc.nat(), fc.constantFrom<Slot>('visitor', 'agent'), (log, cut, reader) => {
        const position = log.length === 0 ? 0 : cut % log.length
        const stored = JSON.parse(JSON.stringify(foldAll(reader, log.slice(0, position)))) as SharedState
        expect(foldAll(reader, log.slice(position), stored)).toEqual(foldAll(reader, log))
      }),
      RUNS,
    )
  })

  it('FOLD-22 leaves the state before it untouched', () => {
    eachStep(({ before, entry }) => {
      const copy = structuredClone(before)
      fold(before, entry)
      expect(before).toEqual(copy)
    })
  })

  it('FOLD-22 the contact’s fold has the same shared state', () => {
    fc.assert(
      fc.property(logs, (log) => {
        const contact = log.reduce(
          (state, one) => foldContact(state, one).state,
          initialContactState('visitor'),
        )
        expect(contact.shared).toEqual(foldAll('visitor', log))
        expect(contact.seq).toBe(log.at(-1)?.seq ?? 0)
      }),
      RUNS,
    )
  })

  it('FOLD-22 NEG-1 media, engines and vias of any name neither throw nor part the readers', () => {
    const name = fc.constantFrom('Voice', ...TRICKY_NAMES)
    const via = fc.constantFrom('net', ...TRICKY_NAMES)
    const on = fc.record({ tx: fc.boolean(), rx: fc.boolean(), via, engine: name })
    fc.assert(
      fc.property(
        fc.dictionary(name, on),
        fc.dictionary(name, on),
        fc.dictionary(name, name),
        (asked, given, holds) => {
          const offer = Object.fromEntries(
            Object.entries(asked).map(([medium, { tx, rx, ...rest }]) => [
              medium,
              { tx: tx ? 'optional' : 'off', rx: rx ? 'required' : 'off', ...rest },
            ]),
          )
          const bodies = [
            ['offer', { offer, restore: false }],
            ['answer', { ref: 3, answer: given }],
            ['ready', { ref: 3 }],
            ['failed', { ref: 3, code: 'media_denied' }],
            ['offer', { offer, restore: false }],
            ['answer', { ref: 7, answer: asked }],
            ['direct', { target: given, restore: false }],
          ] as const
          const written = bodies.flatMap(([type, body], index) =>
            ['v1', 'a1'].map((session, which) => ({
              seq: 3 + 2 * index + which,
              type,
              body,
              session,
              slot: session === 'v1' ? 'visitor' : 'agent',
            })),
          )
          const wire = JSON.parse(
            JSON.stringify([
              present(1, 'visitor', 'v1'),
              present(2, 'agent', 'a1'),
              ...written,
              present(30, 'agent', 'a2', { after: 'a1', media: holds }),
            ]),
          ) as Entry[]
          const state = foldAll('visitor', wire)
          expect(foldAll('agent', wire)).toEqual(mirrorState(state))
          expect(Object.getPrototypeOf(state.media)).toBe(Object.prototype)
          expect(algebra.diff(initialSharedState('visitor').media, state.media).removed.media).toEqual({
            Chat: 'Native',
          })
        },
      ),
    )
  })
})
