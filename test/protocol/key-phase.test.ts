import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldContact, initialContactState } from '../../protocol/index.ts'
import type { ContactState, Entry, PartyBodies, PartyEntryType, Slot } from '../../protocol/index.ts'
import { entry, left, present, serviceEntry } from '../support/entries.ts'
import { agreement, keyId, sealedBodies } from '../support/sealed-bodies.ts'

const ID = keyId(1)
const { keyCommit, keyShare, keyReveal } = agreement(ID)
const OTHER = agreement(keyId(2))

const write = <T extends PartyEntryType>(
  type: T,
  body: PartyBodies[T],
  slot: Slot = 'visitor',
  session: string = slot === 'visitor' ? 'v1' : 'a1',
): ((seq: number) => Entry) => {
  return (seq) => entry(seq, slot, session, type, body)
}
type Line = (seq: number) => Entry

const visitor: Line = (seq) => present(seq, 'visitor', 'v1')
const agent: Line = (seq) => present(seq, 'agent', 'a1')
const commit = write('keyCommit', keyCommit)
const share = (ref: number): Line => write('keyShare', keyShare(ref), 'agent')
const reveal = (ref: number): Line => write('keyReveal', keyReveal(ref))

/** A log up to each phase, with both slots held. */
const LOGS = {
  none: [visitor, agent],
  committed: [visitor, agent, commit],
  shared: [visitor, agent, commit, share(3)],
  agreed: [visitor, agent, commit, share(3), reveal(4)],
} as const
const PHASES = {
  none: { name: 'none' },
  committed: { name: 'committed', ref: 3 },
  shared: { name: 'shared', ref: 4 },
  agreed: { name: 'agreed', id: ID, since: 5 },
} as const
type PhaseName = keyof typeof LOGS
const NAMES = Object.keys(LOGS) as PhaseName[]

interface Run {
  readonly state: ContactState
  readonly fact: unknown
}
function run(lines: readonly Line[], secure = true): Run {
  let last: Run = { state: initialContactState('visitor', { secure }), fact: null }
  for (const [index, line] of lines.entries()) last = foldContact(last.state, line(index + 1))
  return last
}
const after = (phase: PhaseName, ...lines: readonly Line[]): Run => run([...LOGS[phase], ...lines])
const VOID = (reason: string): unknown => ({ kind: 'void', reason })

describe('the fold of the agreement on a key', () => {
  it('ENC-100 a contact that is not secure has no keys: the entries of the agreement are void in it', () => {
    const { state, fact } = run([visitor, agent, commit], false)
    expect([state.keys, fact]).toEqual([null, VOID('over')])
    expect(initialContactState('agent').keys).toBeNull()
    expect(initialContactState('agent', { secure: true }).keys).toEqual(PHASES.none)
  })

  it.each(NAMES)('ENC-101 keyCommit, keyShare and keyReveal lead to %s', (phase) => {
    const { state, fact } = run(LOGS[phase])
    expect(state.keys).toEqual(PHASES[phase])
    expect(fact).not.toEqual(VOID('over'))
  })

  it('ENC-102 the visitor commits before an agent is there', () => {
    expect(run([visitor, commit]).state.keys).toEqual({ name: 'committed', ref: 2 })
  })

  const steps: [string, PhaseName | null, Line][] = [
    ['keyCommit', 'none', commit],
    ['keyShare of the commit', 'committed', share(3)],
    ['keyReveal of the share', 'shared', reveal(4)],
    ['keyCommit of another session', null, write('keyCommit', keyCommit, 'visitor', 'v2')],
    ['keyCommit of the agent', null, write('keyCommit', keyCommit, 'agent')],
    [
      'keyCommit of the agent under the session of the visitor',
      null,
      write('keyCommit', keyCommit, 'agent', 'v1'),
    ],
    ['keyShare of another entry', null, share(2)],
    ['keyShare of another session', null, write('keyShare', keyShare(3), 'agent', 'a2')],
    ['keyShare of the visitor', null, write('keyShare', keyShare(3))],
    ['keyReveal of the commit', null, reveal(3)],
    ['keyReveal of another session', null, write('keyReveal', keyReveal(4), 'visitor', 'v2')],
    ['keyReveal of the agent', null, write('keyReveal', keyReveal(4), 'agent')],
  ]
  it.each(steps)('ENC-103 %s counts in its phase only, and changes nothing else', (_name, own, line) => {
    for (const phase of NAMES) {
      const { state, fact } = after(phase, line)
      if (phase === own) expect(fact).toEqual({ kind: 'none' })
      else expect([state.keys, fact]).toEqual([PHASES[phase], VOID('over')])
    }
  })

  const changes: [string, Line, readonly PhaseName[]][] = [
    ['another session of the visitor', (seq) => present(seq, 'visitor', 'v2', { after: 'v1' }), []],
    ['left of the visitor', (seq) => left(seq, 'visitor', 'v1'), []],
    ['cleared', (seq) => serviceEntry(seq, 'cleared', {}), []],
    [
      'another session of the agent',
      (seq) => present(seq, 'agent', 'a2', { after: 'a1' }),
      ['none', 'committed'],
    ],
    ['left of the agent', (seq) => left(seq, 'agent', 'a1'), ['none', 'committed']],
    ['transferred', (seq) => serviceEntry(seq, 'transferred', { toId: 'c-2' }), ['none', 'committed']],
    ['present of the same session', (seq) => present(seq, 'visitor', 'v1', { after: 'v1' }), NAMES],
    ['present of a session that follows', (seq) => present(seq, 'visitor', 'v2', { after: 'v2' }), NAMES],
    ['left of a session that holds no slot', (seq) => left(seq, 'visitor', 'v2'), NAMES],
  ]
  it.each(changes)('ENC-104 what a change of the sessions leaves: %s', (_name, line, kept) => {
    for (const phase of NAMES) {
      const expected = kept.includes(phase) ? PHASES[phase] : PHASES.none
      expect([phase, after(phase, line).state.keys]).toEqual([phase, expected])
    }
  })

  const bodies = Object.entries(sealedBodies(ID)) as [PartyEntryType, PartyBodies[PartyEntryType]][]
  const others = sealedBodies(keyId(2)) as unknown as PartyBodies
  it.each(bodies)('ENC-105 ENC-620 %s counts under the agreed key only', (type, body) => {
    const own = after('agreed', write(type, body))
    expect(own.fact).not.toEqual(VOID('other_key'))
    const { seal: _none, ...clear } = body as unknown as { readonly seal: unknown }
    const isAck = type === 'ack'
    for (const phase of NAMES) {
      const wrong = [write(type, others[type]), write(type, clear as never)]
      if (phase !== 'agreed') wrong.push(write(type, body))
      for (const line of wrong) {
        const { state, fact } = after(phase, line)
        expect(fact).toEqual(isAck ? { kind: 'none' } : VOID('other_key'))
        const { repeated, ...rest } = state
        expect({ ...rest, seq: 0 }).toEqual({ ...run(LOGS[phase]).state, seq: 0 })
        expect(repeated).toBe(['action', 'link', 'text'].includes(type) ? 1 : undefined)
      }
    }
  })

  it('ENC-106 an offer under another key begins nothing; one under the agreed key does', () => {
    const offer = (id: string): Line => write('offer', sealedBodies(id).offer as never)
    expect(after('agreed', offer(ID)).state.shared.phase.name).toBe('offered')
    expect(after('agreed', offer(keyId(2))).state.shared.phase.name).toBe('idle')
  })

  it('ENC-107 in a contact that is not secure a seal changes nothing', () => {
    const offer = write('offer', sealedBodies(ID).offer as never)
    expect(run([visitor, agent, offer], false).state.shared.phase.name).toBe('offered')
  })

  it('ENC-108 after a change of the sessions the agreement begins again, with new numbers', () => {
    const again = after(
      'agreed',
      (seq) => present(seq, 'visitor', 'v2', { after: 'v1' }),
      write('keyCommit', OTHER.keyCommit, 'visitor', 'v2'),
      share(7),
      write('keyReveal', OTHER.keyReveal(8), 'visitor', 'v2'),
    )
    expect(again.state.keys).toEqual({ name: 'agreed', id: keyId(2), since: 9 })
  })

  it('ENC-109 whatever is written, a key is agreed only by commit, share and reveal of the two holders', () => {
    const any = fc.constantFrom<Line>(
      ...[visitor, agent, commit, ...steps.map(([, , line]) => line), ...changes.map(([, line]) => line)],
      ...[1, 2, 3, 4, 5, 6].flatMap((ref) => [share(ref), reveal(ref)]),
      ...bodies.map(([type, body]) => write(type, body)),
    )
    fc.assert(
      fc.property(fc.array(any, { maxLength: 14 }), (lines) => {
        let state = initialContactState('agent', { secure: true })
        for (const [index, line] of lines.entries()) {
          const one = line(index + 1)
          const before = state
          const { state: next, fact } = foldContact(before, one)
          state = next
          const { keys } = state
          if (keys?.name === 'agreed' && before.keys?.name !== 'agreed') {
            expect(one).toMatchObject({ type: 'keyReveal', session: before.shared.session.visitor })
            expect(before.keys).toMatchObject({ name: 'shared', ref: (one.body as { ref: number }).ref })
          }
          if (keys?.name === 'shared' && before.keys?.name !== 'shared')
            expect(one).toMatchObject({ type: 'keyShare', session: before.shared.session.agent })
          if (keys?.name === 'agreed') expect(Object.values(state.shared.session)).not.toContain(null)
          if (fact.kind === 'void') expect(state.shared).toBe(before.shared)
        }
      }),
      { numRuns: 2000 },
    )
  })
})
