/** The machine of a peer session in every state that it can be in, for both sides. */
import { describe, expect, it } from 'vitest'
import { initialTransition, transition } from 'xstate'
import type { AnyStateNode, EventFromLogic, SnapshotFrom } from 'xstate'
import { peerSessionMachine } from '../../engines/webrtc/peer-session.machine.ts'
import type { PeerSessionEmitted, PeerSessionEvent } from '../../engines/webrtc/peer-session.types.ts'

type Snapshot = SnapshotFrom<typeof peerSessionMachine>
type Event = EventFromLogic<typeof peerSessionMachine>

const DATA: Partial<Record<PeerSessionEvent['type'], readonly object[]>> = {
  'wait.begin': [{ limitMs: 15_000 }],
  'remote.wants': [{ isOnItsWay: true }, { isOnItsWay: false }],
}
/** Every event, and the end of every time limit. */
const EVENTS: readonly Event[] = peerSessionMachine.events
  .filter((type) => type !== 'wait.expired')
  .flatMap((type) =>
    (DATA[type as PeerSessionEvent['type']] ?? [{}]).map((data) => ({ type, ...data }) as Event),
  )
/** Who answers keeps an offer until it takes part; who starts attempts never has one. */
const mayHappen = (isInitiator: boolean, { type }: Event): boolean =>
  !isInitiator || (type !== 'remote.offered' && type !== 'remote.withdrew')

const emittedBy = (actions: readonly { readonly type: string; readonly params?: unknown }[]) =>
  actions.flatMap(({ type, params }) =>
    type === 'xstate.emit' ? [(params as { readonly event: PeerSessionEmitted }).event] : [],
  )

const hasAttempt = (at: Snapshot): boolean =>
  typeof at.value.connection === 'object' && 'attempt' in at.value.connection
const isDecided = (at: Snapshot): boolean => at.matches({ call: { agreed: 'decided' } })

const nodesOf = (node: AnyStateNode): AnyStateNode[] => [node, ...Object.values(node.states).flatMap(nodesOf)]

interface Step {
  readonly before: Snapshot
  readonly event: Event
  readonly after: Snapshot
  readonly emitted: readonly PeerSessionEmitted[]
}

/** Every step from every state that can be reached. */
function walk(isInitiator: boolean): readonly Step[] {
  const [first] = initialTransition(peerSessionMachine, { isInitiator })
  const key = ({ value, context }: Snapshot): string => JSON.stringify([value, context])
  const found = new Map([[key(first), first]])
  const steps: Step[] = []
  for (const before of found.values()) {
    for (const event of EVENTS.filter((each) => mayHappen(isInitiator, each))) {
      const [after, actions] = transition(peerSessionMachine, before, event)
      steps.push({ before, event, after, emitted: emittedBy(actions) })
      if (!found.has(key(after))) found.set(key(after), after)
    }
  }
  return steps
}

describe.each([
  { side: 'visitor', isInitiator: true },
  { side: 'agent', isInitiator: false },
])('the peer session of the $side, in every state', ({ isInitiator }) => {
  const steps = walk(isInitiator)
  const wrong = (law: (step: Step) => boolean): unknown =>
    steps
      .filter((step) => !law(step))
      .slice(0, 3)
      .map(({ before, event, after, emitted }) => [before.value, event, after.value, emitted])
  const typesOf = ({ emitted }: Step): string[] => emitted.map(({ type }) => type)

  it('PKG-9 every state of the chart is reached, but what only one side has', () => {
    const reached = new Set(steps.flatMap(({ before }) => before._nodes.map(({ id }) => id)))
    expect(
      nodesOf(peerSessionMachine.root)
        .filter(({ id, type }) => type === 'atomic' && !reached.has(id))
        .map(({ id }) => id),
    ).toEqual(isInitiator ? [] : ['peer-session.connection.attempt.connecting.limited'])
  })

  it('ENG-26 there is no attempt without consent: the visitor starts one after it has agreed, the agent reads one when a call is foreseen, and an attempt answers as soon as its side has agreed', () => {
    expect(
      wrong(
        ({ after }) =>
          !hasAttempt(after) ||
          after.matches({ call: 'agreed' }) ||
          (!isInitiator && after.matches({ call: 'foreseen' })),
      ),
    ).toEqual([])
    expect(
      wrong(
        (step) =>
          !(
            hasAttempt(step.before) &&
            hasAttempt(step.after) &&
            ['call.agree', 'call.want'].includes(step.event.type)
          ) || typesOf(step).includes('agree'),
      ),
    ).toEqual([])
  })

  it('LIFE-20 each attempt is discarded once, before the next one begins; after the end of the call there is none', () => {
    expect(
      wrong((step) => {
        const order = typesOf(step).filter((type) => type === 'begin' || type === 'discard')
        const isNew = typesOf(step).includes('begin')
        const isOver = hasAttempt(step.before) && (isNew || !hasAttempt(step.after))
        return order.join() === [...(isOver ? ['discard'] : []), ...(isNew ? ['begin'] : [])].join()
      }),
    ).toEqual([])
    expect(
      wrong(
        (step) =>
          hasAttempt(step.after) === (hasAttempt(step.before) || typesOf(step).includes('begin')) ||
          typesOf(step).includes('discard'),
      ),
    ).toEqual([])
    expect(
      wrong(
        ({ event, after }) =>
          event.type !== 'call.close' || after.matches({ call: 'apart', connection: { none: 'idle' } }),
      ),
    ).toEqual([])
  })

  it('ENG-18 a loss is reported only of a decided call for which nothing waits; what waits fails instead, and nothing is told twice', () => {
    expect(
      wrong((step) => {
        const [broke, fail] = ['broke', 'fail'].map(
          (type) => typesOf(step).filter((each) => each === type).length,
        )
        const isAwaited = step.before.matches({ waiting: 'yes' })
        return (
          (broke === 0 || (broke === 1 && isDecided(step.before) && !isAwaited)) &&
          (fail === 0 || (fail === 1 && isAwaited))
        )
      }),
    ).toEqual([])
  })

  it('ENG-18 ICE restarts only over a connection that was made, at most five times, and then the connection is given up', () => {
    expect(
      wrong(
        (step) =>
          !typesOf(step).includes('restart') ||
          step.before.matches({ connection: { attempt: { made: 'recovering' } } }),
      ),
    ).toEqual([])
    expect(Math.max(...steps.map(({ after }) => after.context.restarts))).toBe(5)
    expect(
      wrong(
        ({ before, event, after }) =>
          !event.type.startsWith('xstate.after.restartDelay') ||
          before.context.restarts < 5 ||
          !hasAttempt(before) ||
          !before.matches({ connection: { attempt: { made: 'recovering' } } }) ||
          !hasAttempt(after),
      ),
    ).toEqual([])
  })

  it('ENG-20 only the side that answers asks for an attempt, and only where it has none', () => {
    expect(
      wrong((step) => !typesOf(step).includes('ask') || (!isInitiator && !hasAttempt(step.after))),
    ).toEqual([])
  })

  it('ENG-26 a question for an attempt changes nothing while the offer may be on its way', () => {
    expect(
      wrong(
        ({ before, event, after, emitted }) =>
          !(event.type === 'remote.wants' && event.isOnItsWay && hasAttempt(before)) ||
          (emitted.length === 0 && JSON.stringify(after.value) === JSON.stringify(before.value)),
      ),
    ).toEqual([])
  })
})
