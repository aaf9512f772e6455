/** A page outside of a contact and inside, as the tests of the membership machine play it. */
import { createActor, fromPromise } from 'xstate'
import { membershipMachine } from '../../machines/index.ts'
import type { MembershipActor, MembershipEmitted, MembershipEvent } from '../../machines/index.ts'
import type { ContactLife, Slot } from '../../protocol/index.ts'
import { machineClock } from '../../sdk/client/clock.ts'
import { TestClock } from '../../testing/index.ts'

export const AGENT = { user: 'agent-1', nick: 'Ada' }
export const LEFT = { vvcu: 'visitor-1', channels: { total: 1 } } as const
export const MOVED = { type: 'log.transferred', body: { toId: 'contact-2' } } as const

interface Way {
  readonly actor: MembershipActor
  readonly clock: TestClock
  readonly told: MembershipEmitted[]
  readonly reasons: (string | undefined)[]
  readonly state: () => string
  readonly play: (...events: readonly MembershipEvent[]) => Way
  readonly ends: { enter: (how: 'done' | 'failed') => void; leave: (how: 'done' | 'failed') => void }
}

/** A page outside of a contact. */
export function outside(life: ContactLife = 'queued', role: Slot = 'visitor'): Way {
  const clock = new TestClock()
  const told: MembershipEmitted[] = []
  const reasons: (string | undefined)[] = []
  const ends: Way['ends'] = { enter: () => {}, leave: () => {} }
  const wait = (name: 'enter' | 'leave'): Promise<void> =>
    new Promise((resolve, reject) => {
      ends[name] = (how) => (how === 'done' ? resolve() : reject(new Error('no way in')))
    })
  const enter = fromPromise<void>(() => wait('enter'))
  const leave = fromPromise<void, { readonly reason: string | undefined }>(({ input }) => {
    reasons.push(input.reason)
    return wait('leave')
  })
  const actor = createActor(membershipMachine.provide({ actors: { enter, leave } }), {
    clock: machineClock(clock),
    input: { role, life },
  })
  actor.on('*', (event) => void told.push(event))
  actor.start()
  const way: Way = {
    actor,
    clock,
    told,
    reasons,
    ends,
    state: () => JSON.stringify(actor.getSnapshot().value).replaceAll(/[{}"]/g, ''),
    play: (...events) => {
      for (const event of events) actor.send(event)
      return way
    },
  }
  return way
}

/** A page inside of a contact. */
export const inside = (life: ContactLife, role: Slot = 'visitor'): Way =>
  outside('queued', role).play({ type: 'contact.enter' }, { type: 'log.entered', life })
