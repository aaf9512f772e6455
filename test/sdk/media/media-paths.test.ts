import { describe, expect, it } from 'vitest'
import { mediaMachine } from '../../../machines/index.ts'
import type { MediaEvent } from '../../../machines/index.ts'
import { settled } from '../../../testing/index.ts'
import { ME, OTHER, mediaPaths } from '../../support/media-paths.ts'
import type { Path } from '../../support/media-paths.ts'
import { Replay } from './replay.ts'

const PATHS = mediaPaths()

interface Where {
  /** States in which it comes, on a path of few steps. */
  readonly comes: readonly string[]
  /** Why in no other. */
  readonly notElsewhere: string
}

const WORKS = ['transiting.working']
const OFFERING = ['offering.preparing', 'offering.sent', 'offering.awaitingAnswer', 'offering.undoing']
const INSIDE = [
  'idle',
  'offered',
  ...OFFERING,
  'transiting.answered',
  'transiting.awaiting',
  'transiting.failing',
  'transiting.undoing',
  'transiting.working',
]
const LONGER =
  'what else is possible takes more steps than a path has here: the table of the machine and the random walks have it'
const BY_CALL =
  'the SDK gives it to the machine at any time, or refuses it before: each state is called below'
const OWN_LIMIT = 'a limit runs in its own state only'
const RESTORES = 'a call that a page load has cut: played in reload.test.ts'
const DROPPED = 'the driver drops the reply of what another command has replaced'

/** Every event of the machine: where it comes on the paths that are played, and why not elsewhere. */
const WHERE: Readonly<Record<MediaEvent['type'], Where>> = {
  'log.slotHeld': {
    comes: ['init.announcing', 'init.reannouncing'],
    notElsewhere: 'it answers an own present',
  },
  'log.slotLost': {
    comes: INSIDE.filter((state) => state !== 'transiting.failing' && state !== 'offering.undoing'),
    notElsewhere: `in init the slot is not held; ${LONGER}`,
  },
  'log.slotFreed': { comes: [], notElsewhere: 'another page holds the slot and goes: played below' },
  'log.voided': {
    comes: ['offering.sent', 'offering.undoing'],
    notElsewhere: `only an own offer on its way is void; an own present only behind another page’s; ${LONGER}`,
  },
  'log.offered': {
    comes: [
      'idle',
      'init.displaced',
      'init.reannouncing',
      'init.stopping',
      'offering.preparing',
      'offering.sent',
      'offering.undoing',
      'transiting.undoing',
    ],
    notElsewhere: 'while a phase stands in the log, another offer is void',
  },
  'log.offering': {
    comes: ['init.reannouncing', 'offering.sent', 'offering.undoing'],
    notElsewhere: 'only an own offer that is on its way is read back',
  },
  'log.transiting': {
    comes: [
      'init.reannouncing',
      'offering.sent',
      'offering.awaitingAnswer',
      'offering.undoing',
      'transiting.answered',
    ],
    notElsewhere: LONGER,
  },
  'log.readied': {
    comes: [
      'init.reannouncing',
      'transiting.awaiting',
      'transiting.failing',
      'transiting.undoing',
      'transiting.working',
    ],
    notElsewhere: 'no transition runs',
  },
  'log.committed': {
    comes: ['init.reannouncing', 'transiting.awaiting'],
    notElsewhere: `this side is not ready; ${LONGER}`,
  },
  'log.ended': {
    comes: [
      'init.reannouncing',
      ...INSIDE.filter((state) => state !== 'idle' && state !== 'offering.preparing'),
    ],
    notElsewhere: `no phase runs; ${LONGER}`,
  },
  'log.partyChanged': { comes: INSIDE.filter((state) => state !== 'offering.undoing'), notElsewhere: LONGER },
  'log.refused': {
    comes: [],
    notElsewhere: 'the service in memory takes what fits its schema: played in refused.test.ts',
  },
  'log.closed': { comes: [], notElsewhere: 'the agent leaves, or nobody is there: played below' },
  'media.offer': { comes: ['idle'], notElsewhere: BY_CALL },
  'media.transit': { comes: ['idle'], notElsewhere: BY_CALL },
  'media.answer': { comes: ['offered'], notElsewhere: BY_CALL },
  'media.reject': { comes: ['offered'], notElsewhere: BY_CALL },
  'holder.gone': {
    comes: [],
    notElsewhere: 'it is about the page that holds the slot: played in tabs.test.ts',
  },
  'holder.here': { comes: [], notElsewhere: 'the same' },
  'media.takeOver': {
    comes: [],
    notElsewhere: 'the SDK gives it to a page that does not hold the slot: played in tabs.test.ts',
  },
  'media.withdraw': { comes: OFFERING, notElsewhere: BY_CALL },
  'capabilities.set': { comes: [], notElsewhere: BY_CALL },
  'contact.leave': {
    comes: ['init.announcing', 'init.displaced', 'init.reannouncing', 'init.stopping', ...INSIDE],
    notElsewhere: 'closed: it has left',
  },
  'engine.prepared': { comes: ['offering.preparing', 'transiting.answered'], notElsewhere: DROPPED },
  'engine.unprepared': { comes: ['offering.preparing', 'transiting.answered'], notElsewhere: DROPPED },
  'engine.worked': { comes: WORKS, notElsewhere: DROPPED },
  'engine.failed': { comes: WORKS, notElsewhere: DROPPED },
  'engine.undone': {
    comes: ['init.stopping', 'offering.undoing', 'transiting.undoing'],
    notElsewhere: DROPPED,
  },
  'engine.broke': {
    comes: ['init.reannouncing', ...INSIDE],
    notElsewhere: `elsewhere in init engines carry nothing; ${LONGER}`,
  },
  'capture.ended': {
    comes: INSIDE.filter((state) => state !== 'offering.preparing'),
    notElsewhere: `in init nothing is captured; ${LONGER}`,
  },
  'first.due': { comes: [], notElsewhere: 'the first offer of a contact: played in first-offer.test.ts' },
  'call.interrupted': { comes: [], notElsewhere: RESTORES },
  'call.ended': { comes: [], notElsewhere: RESTORES },
  'call.late': { comes: [], notElsewhere: RESTORES },
  'window.closed': {
    comes: INSIDE.filter((state) => state !== 'transiting.awaiting' && state !== 'transiting.failing'),
    notElsewhere: `losing the slot closes it; ${LONGER}`,
  },
}
const LIMITS: Readonly<Record<string, Where>> = {
  'xstate.after.answerLimit.media.offered': { comes: ['offered'], notElsewhere: OWN_LIMIT },
  'xstate.after.offerLifetime.media.offering': { comes: OFFERING, notElsewhere: OWN_LIMIT },
  'xstate.after.successionLimit.media.init.succeeding': { comes: [], notElsewhere: OWN_LIMIT },
  'xstate.after.transitionLimit.media.transiting.awaiting': {
    comes: ['transiting.awaiting'],
    notElsewhere: OWN_LIMIT,
  },
  'xstate.after.transitionLimit.media.transiting.working': { comes: WORKS, notElsewhere: OWN_LIMIT },
}

/** Plays a path; what is wrong after a step is told with the steps so far. */
async function problemsOf({ start, steps }: Path): Promise<string[]> {
  const replay = await Replay.start(start)
  const taken: string[] = []
  const outcomes: string[] = []
  for (const step of steps) {
    taken.push(`${step.who} ${step.name}`)
    outcomes.push(...step.settled.map((one) => one.replace(/ \{.*| null$/, '')))
    try {
      await replay.take(step)
    } catch (cause) {
      return [`${String(cause)} at: ${taken.join(', ')}`]
    }
    const wrong = replay.differences(step)
    for (const session of [ME, OTHER]) {
      const expected = outcomes
        .filter((one) => one.startsWith(`${session} `))
        .map((one) => one.slice(session.length + 1))
      const actual = replay.page(session).settled
      if (expected.join() !== actual.join())
        wrong.push(
          `${session} has settled ${actual.join() || 'nothing'}, should have ${expected.join() || 'nothing'}`,
        )
    }
    if (wrong.length > 0) return [...wrong, `after: ${taken.join(', ')}`]
  }
  return []
}

const played = (event: string): string[] =>
  PATHS.flatMap((path) => (path.event === event ? [path.state] : [])).toSorted()

/** A shortest way into each state. */
const WAYS = new Map<string, Path>()
for (const path of PATHS.toSorted((a, b) => a.steps.length - b.steps.length))
  if (!WAYS.has(path.state)) WAYS.set(path.state, path)

/** Two SDKs in a state, with an offer behind them that is over. */
async function into(state: string): Promise<Replay> {
  const path = WAYS.get(state)
  if (!path) throw new Error(`there is no way to ${state}`)
  const replay = await Replay.start(path.start, true)
  for (const step of path.steps.slice(0, -1)) await replay.take(step)
  return replay
}

describe('the SDK goes the ways of its media machine', () => {
  it.each(PATHS.map((path) => [path.state, path.event, path] as const))(
    'NEG-1 NEG-3 NEG-8 MED-35 in %s comes %s',
    async (_state, _event, path) => {
      expect(await problemsOf(path)).toEqual([])
    },
  )

  it.each(Object.entries({ ...WHERE, ...LIMITS }))(
    'MED-35 it is known where %s comes, and why not elsewhere',
    (event, { comes, notElsewhere }) => {
      expect(played(event)).toEqual(comes.toSorted())
      expect(notElsewhere).not.toBe('')
    },
  )

  it('MED-35 no event and no state of the machine is left out', () => {
    const named = Object.keys({ ...WHERE, ...LIMITS })
    // That an actor fails has a test in media.test.ts.
    const others = mediaMachine.events.filter(
      (type) => !type.endsWith('*') && !type.startsWith('xstate.error.'),
    )
    expect(others.filter((type) => !named.includes(type))).toEqual([])
    const { states } = mediaMachine.root
    const leaves = Object.values(states)
      .flatMap((state) => (Object.keys(state.states).length === 0 ? [state] : Object.values(state.states)))
      .filter(({ always }) => always?.every(({ guard }) => guard !== undefined) !== false)
      .map(({ path }) => path.join('.'))
    // To `succeeding` leads what the service says of a page, not an entry: played in tabs.test.ts.
    expect([...WAYS.keys(), 'init.closed', 'init.succeeding'].toSorted()).toEqual(leaves.toSorted())
  })

  describe.each([...WAYS.keys()])('called in %s', (state) => {
    it('MED-4 MED-13 CAP-3 an operation that does not fit is refused or ignored, new capabilities are taken', async () => {
      const replay = await into(state)
      const { here, offers } = replay.page(ME)
      const before = [here.mediaState, here.data().mediaState, [...replay.page(ME).settled]]
      offers[0]?.callback('late')
      offers[0]?.callback(null, {})
      if (!state.startsWith('offering')) here.withdrawOffer()
      const refused = state === 'idle' ? [] : [here.offerMedia({}), here.mergeAndTransitMedia({})]
      const results = await Promise.allSettled(refused)
      expect(
        results.map((result) => result.status === 'rejected' && (result.reason as { code: string }).code),
      ).toEqual(refused.map(() => 'invalid_state'))
      await here.setLocalCapability('Custom', { is: 'new' })
      await settled()
      expect([here.mediaState, here.data().mediaState, replay.page(ME).settled]).toEqual(before)
      expect(await here.getLocalCapabilities()).toMatchObject({ Custom: { is: 'new' } })
    })

    it('LIFE-19 MED-34 log.closed: the agent leaves, and everything ends', async () => {
      const replay = await into(state)
      const page = replay.page(ME)
      const { here } = page
      replay.page(OTHER).gate.open()
      void replay.page(OTHER).here.leave()
      await settled()
      for (const { gate, engine } of replay.pages.values()) {
        void engine.stop()
        gate.open()
      }
      await settled()
      expect([here.mediaState, here.data().state, here.data().mediaState]).toEqual([
        'init',
        'cleared',
        { Sharing: { tx: false, rx: false } },
      ])
      expect(page.pending).toBe(0)
    })
  })

  it('LIFE-12 RES-6 log.slotFreed: the newer tab leaves, and the older comes back', async () => {
    const replay = await into('init.displaced')
    const newer = [...replay.pages].findLast(([name]) => name.startsWith('visitor'))?.[1]
    newer?.gate.open()
    await settled()
    void newer?.here.leave()
    await settled()
    replay.page(ME).gate.open()
    await settled()
    expect(replay.page(ME).here.mediaState).toBe('idle')
  })
})
