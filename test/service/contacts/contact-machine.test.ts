import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type {
  ContactEffect,
  ContactEvent,
  ContactTimer,
} from '../../../service/src/contacts/contact.types.ts'
import { advanceLife, beginLife, isWaiting, lifeName } from '../../../service/src/contacts/life.ts'
import type { StoredLife } from '../../../service/src/contacts/life.ts'

const agent = { user: 'a', nick: 'Ada' }
const present: ContactEvent = { type: 'visitor.present', now: 0 }
const accepted: ContactEvent = { type: 'agent.accepted', agent }
const due = (timer: ContactTimer, isEmpty = false): ContactEvent => ({
  type: `due.${timer}`,
  now: 60_000,
  isEmpty,
})
const start = (): StoredLife => beginLife({ visitor: 'v', isForLater: false }).life

/** The life after some events, through JSON as in the store. */
function run(...events: ContactEvent[]): { life: StoredLife; effects: readonly ContactEffect[] } {
  let step = { life: start(), effects: [] as readonly ContactEffect[] }
  for (const event of events) step = advanceLife(JSON.parse(JSON.stringify(step.life)) as StoredLife, event)
  return step
}

const written = (effects: readonly ContactEffect[]) =>
  effects
    .filter(({ type }) => type.startsWith('write'))
    .map((effect) => ('params' in effect ? [effect.type, effect.params] : [effect.type]))

describe('the machine of a contact', () => {
  it.each([
    [[], 'queued', false],
    [[present], 'queued', true],
    [[present, accepted], 'assigned', false],
    [[present, accepted, { type: 'agent.present' }], 'joined', false],
    [[present, accepted, { type: 'agent.declined' }], 'queued', true],
    [[present, accepted, due('join')], 'queued', true],
    [
      [
        present,
        { type: 'due.grace', slot: 'visitor', session: 's', last: true, toId: 'c-2', isEmpty: false },
      ],
      'queued',
      false,
    ],
    [
      [
        present,
        { type: 'due.grace', slot: 'visitor', session: 's', last: true, toId: 'c-2', isEmpty: false },
        present,
      ],
      'queued',
      true,
    ],
    [
      [
        present,
        { type: 'due.grace', slot: 'visitor', session: 's', last: true, toId: 'c-2', isEmpty: false },
        due('disconnect'),
      ],
      'cleared',
      false,
    ],
    [[due('creation')], 'cleared', false],
    [
      [
        present,
        accepted,
        { type: 'agent.present' },
        { type: 'due.grace', slot: 'agent', session: 's', last: true, toId: 'c-2', isEmpty: false },
      ],
      'transferred',
      false,
    ],
  ] as [ContactEvent[], string, boolean][])('LIFE-10 after %j it is %s', (events, life, waiting) => {
    const after = run(...events).life
    expect([lifeName(after), isWaiting(after)]).toEqual([life, waiting])
  })

  it('LIFE-6 exactly ten seconds of waiting are an abandonment', () => {
    const leave = (now: number) =>
      written(run(present, { type: 'visitor.left', session: 's', last: true, now }).effects)
    expect(leave(9_999).at(-1)).toEqual(['writeCleared', { reason: 'cancel' }])
    expect(leave(10_000).at(-1)).toEqual(['writeCleared', { reason: 'abandon' }])
  })

  it('LIFE-12 a session that is not the last leaves without a reason', () => {
    expect(
      written(
        run(
          present,
          accepted,
          { type: 'agent.present' },
          { type: 'visitor.left', session: 's', last: false, now: 0 },
        ).effects,
      ),
    ).toEqual([['writeLeft', { session: 's', slot: 'visitor', vvcu: 'v' }]])
  })

  it('LIFE-10 a connection that is lost is waited for, and what comes of it is decided by whose it was and whether it was the last', () => {
    const joined = [present, accepted, { type: 'agent.present' }] as const satisfies ContactEvent[]
    expect(run(...joined, { type: 'session.silent', session: 's' }).effects).toEqual([
      { type: 'scheduleGrace', params: { session: 's' } },
    ])
    expect(
      run(...joined, { type: 'session.silent', session: 's' }, { type: 'session.heard', session: 's' })
        .effects,
    ).toEqual([{ type: 'cancelGrace', params: { session: 's' } }])
    const over = (slot: 'visitor' | 'agent', last: boolean) =>
      written(
        run(...joined, { type: 'due.grace', slot, session: 's', last, toId: 'c-2', isEmpty: false }).effects,
      )
    expect(over('visitor', false)).toEqual([['writeLeft', { session: 's', slot: 'visitor', vvcu: 'v' }]])
    expect(over('visitor', true)).toEqual([
      ['writeLeft', { session: 's', slot: 'visitor', vvcu: 'v', reason: 'timeout' }],
    ])
    expect(over('agent', false)).toEqual([['writeLeft', { session: 's', slot: 'agent', user: 'a' }]])
    expect(over('agent', true)).toEqual([
      ['writeLeft', { session: 's', slot: 'agent', user: 'a', reason: 'timeout' }],
      ['writeTransferred', { toId: 'c-2' }],
    ])
    expect(run(due('creation'), { type: 'session.silent', session: 's' }).effects).toEqual([])
  })

  it('LIFE-19 whatever happens, it ends at most once, and nothing happens afterwards', () => {
    const session = fc.record({
      session: fc.constantFrom('s', 't'),
      last: fc.boolean(),
      now: fc.integer({ min: 0, max: 20_000 }),
      isEmpty: fc.boolean(),
    })
    const event = fc.oneof(
      fc.constantFrom<ContactEvent>(
        present,
        accepted,
        { type: 'agent.present' },
        { type: 'agent.declined' },
        { type: 'offer.declined', ...agent },
      ),
      session.map((end): ContactEvent => ({ type: 'visitor.left', ...end })),
      session.map(({ session: id, last }): ContactEvent => ({
        type: 'due.grace',
        slot: 'visitor',
        session: id,
        last,
        toId: 'c-3',
        isEmpty: true,
      })),
      session.map(({ session: id, last }): ContactEvent => ({ type: 'agent.left', session: id, last })),
      session.map(({ session: id, last }): ContactEvent => ({
        type: 'due.grace',
        slot: 'agent',
        session: id,
        last,
        toId: 'c-2',
        isEmpty: false,
      })),
      fc.constantFrom<ContactEvent>(
        due('creation'),
        due('wait'),
        due('join'),
        due('closing'),
        due('disconnect'),
      ),
      fc.constant<ContactEvent>({ type: 'agent.transferred', to: { toId: 'c-2', toTags: [] } }),
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        let step = { life: start(), effects: [] as readonly ContactEffect[] }
        let ends = 0
        for (const each of events) {
          const over = ['cleared', 'transferred'].includes(lifeName(step.life))
          step = advanceLife(step.life, each)
          if (over && step.effects.length > 0) return false
          ends += step.effects.filter(
            ({ type }) => type === 'writeCleared' || type === 'writeTransferred',
          ).length
          if (step.effects.some((effect) => effect.type === 'writeJoined' && effect.params.user === ''))
            return false
        }
        return ends <= 1
      }),
      { numRuns: 500 },
    )
  })
})
