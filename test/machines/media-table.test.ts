import { describe, expect, it } from 'vitest'
import { mediaMachine } from '../../machines/index.ts'
import type { MediaEvent } from '../../machines/index.ts'
import type { SharedState } from '../../protocol/index.ts'
import { BODY_CALL, CAPABILITIES, CHAT_ONLY, TALK, WAYS, way } from '../support/chart.ts'
import type { Chart } from '../support/chart.ts'
import { NATIVE, START, on } from '../support/contacts.ts'
import { IMPOSSIBLE, TABLE } from './media-table.cases.ts'

type Sent = MediaEvent | { readonly type: `xstate.after.${string}` }

const CALL = { ...START, Voice: on(true, true) }
const idle = (shared: SharedState): SharedState => ({ ...shared, phase: { name: 'idle' } })
const alone = (shared: SharedState): SharedState => ({
  ...idle(shared),
  session: { ...shared.session, agent: null },
})
const owned = (shared: SharedState, visitor: string | null): SharedState => ({
  ...idle(shared),
  session: { ...shared.session, visitor },
})
const offered = (shared: SharedState, by: 'visitor' | 'agent'): SharedState => ({
  ...shared,
  phase: { name: 'offered', ref: 90, by, offer: TALK, restore: false, lifetime: 60_000 },
})
const transiting = (shared: SharedState): SharedState => ({
  ...shared,
  phase: {
    name: 'transiting',
    ref: ref(shared),
    by: 'agent',
    target: START,
    answer: null,
    restore: false,
    ready: [],
  },
})
const ref = ({ phase }: SharedState): number => (phase.name === 'idle' ? 91 : phase.ref)

/** Every event of the machine, as it may come in any state. */
const EVENTS: Readonly<Record<string, (chart: Chart) => Sent>> = {
  'log.slotHeld': ({ shared }) => ({ type: 'log.slotHeld', shared: owned(shared, 'v') }),
  'log.voided': ({ shared, context }) => ({
    type: 'log.voided',
    id: context.own?.id ?? `v.${context.written}`,
    reason: 'glare',
    shared,
  }),
  'log.offering': ({ shared, context }) => ({
    type: 'log.offering',
    id: context.own?.id ?? 'x',
    ref: 90,
    shared: offered(shared, 'visitor'),
  }),
  'log.offered': ({ shared }) => ({ type: 'log.offered', ref: 90, shared: offered(shared, 'agent') }),
  'log.transiting': ({ shared, context }) => ({
    type: 'log.transiting',
    id: context.own?.id ?? 'x',
    ref: ref(shared),
    shared: transiting(shared),
  }),
  'log.readied': ({ shared }) => ({ type: 'log.readied', ref: ref(shared), shared }),
  'log.committed': ({ shared }) => ({
    type: 'log.committed',
    ref: ref(shared),
    answer: null,
    shared: { ...idle(shared), media: CALL },
  }),
  'log.ended': ({ shared }) => ({
    type: 'log.ended',
    ref: ref(shared),
    ending: { kind: 'rejected', reason: 'no' },
    shared: idle(shared),
  }),
  'log.partyChanged': ({ shared }) => ({ type: 'log.partyChanged', shared: alone(shared) }),
  'log.slotLost': ({ shared }) => ({ type: 'log.slotLost', shared: owned(shared, 'v2') }),
  'log.slotFreed': ({ shared }) => ({ type: 'log.slotFreed', shared: owned(shared, null) }),
  'holder.gone': () => ({ type: 'holder.gone' }),
  'holder.here': () => ({ type: 'holder.here' }),
  'media.takeOver': () => ({ type: 'media.takeOver' }),
  'log.closed': ({ shared }) => ({ type: 'log.closed', shared: alone(shared) }),
  'media.offer': () => ({ type: 'media.offer', id: 'new', offer: CHAT_ONLY, restore: false }),
  'media.offer of a device': () => ({ type: 'media.offer', id: 'new', offer: TALK, restore: false }),
  'media.transit': () => ({ type: 'media.transit', id: 'new', target: { Sharing: NATIVE }, restore: false }),
  'media.answer': ({ shared }) => ({ type: 'media.answer', ref: ref(shared), answer: BODY_CALL }),
  'media.answer to another': () => ({ type: 'media.answer', ref: 7_777, answer: BODY_CALL }),
  'media.reject': ({ shared }) => ({ type: 'media.reject', ref: ref(shared), reason: 'no' }),
  'media.reject of another': () => ({ type: 'media.reject', ref: 7_777, reason: 'no' }),
  'media.withdraw': () => ({ type: 'media.withdraw' }),
  'capabilities.set': () => ({ type: 'capabilities.set', capabilities: { ...CAPABILITIES, Mobile: true } }),
  'contact.leave': () => ({ type: 'contact.leave' }),
  'engine.prepared': () => ({ type: 'engine.prepared' }),
  'engine.unprepared': () => ({ type: 'engine.unprepared', code: 'media_denied', reason: 'no' }),
  'engine.worked': ({ shared }) => ({ type: 'engine.worked', ref: ref(shared) }),
  'engine.worked for another': () => ({ type: 'engine.worked', ref: 7_777 }),
  'engine.failed': ({ shared }) => ({
    type: 'engine.failed',
    ref: ref(shared),
    code: 'media_denied',
    reason: 'no',
  }),
  'engine.failed for another': () => ({
    type: 'engine.failed',
    ref: 7_777,
    code: 'media_denied',
    reason: 'no',
  }),
  'engine.undone': ({ shared }) => ({ type: 'engine.undone', media: shared.media }),
  'engine.broke': () => ({
    type: 'engine.broke',
    engines: ['Native', 'WebRTC'],
    media: START,
    reason: 'gone',
  }),
  'engine.broke, of an unused one': () => ({
    type: 'engine.broke',
    engines: ['Spare'],
    media: START,
    reason: 'gone',
  }),
  'log.refused': ({ context }) => ({
    type: 'log.refused',
    id: context.own?.id ?? 'x',
    code: 'too_large',
    reason: 'no',
  }),
  'log.refused, the present': ({ context }) => ({
    type: 'log.refused',
    id: `v.${context.written}`,
    code: 'invalid_state',
    reason: 'no',
  }),
  'capture.ended': () => ({ type: 'capture.ended', medium: 'Voice' }),
  'window.closed': () => ({ type: 'window.closed' }),
}

const leadsTo = (state: string, event: string): string | undefined =>
  TABLE[state]?.[event] ?? IMPOSSIBLE[state]?.[event]

/** Limits that each state sets, by the event that they become. */
const limitsOf = (state: string): string[] =>
  Object.keys(TABLE[state] ?? {}).filter((event) => event.startsWith('xstate.after.'))

describe('the media machine', () => {
  it('MED-35 has a way into each of its states, and a row for each', () => {
    const { states } = mediaMachine.root
    const leaves = Object.values(states)
      .flatMap((state) => (Object.keys(state.states).length === 0 ? [state] : Object.values(state.states)))
      .filter(({ always }) => always?.every(({ guard }) => guard !== undefined) !== false)
      .map(({ path }) => path.join('.'))
    expect(Object.keys(TABLE).toSorted()).toEqual(leaves.toSorted())
    expect(Object.keys(WAYS).toSorted()).toEqual(Object.keys(TABLE).toSorted())
  })

  describe.each(Object.keys(TABLE))('in %s', (state) => {
    it.each([...Object.keys(EVENTS), ...limitsOf(state)])('MED-4 MED-13 MED-35 NEG-8 %s', (name) => {
      const chart = way(state)
      const before = chart.context
      const event = EVENTS[name]?.(chart) ?? { type: name as `xstate.after.${string}` }
      chart.send(event)
      expect(chart.state).toBe(leadsTo(state, name) ?? state)
      if (leadsTo(state, name) !== undefined) return
      const isNews =
        event.type.startsWith('log.') ||
        event.type.startsWith('holder.') ||
        (event.type === 'media.takeOver' && state.startsWith('init.')) ||
        ['capture.ended', 'capabilities.set', 'window.closed'].includes(event.type)
      const isHeard = isNews || (event.type === 'media.withdraw' && state.startsWith('offering'))
      expect(chart.context.ignored - before.ignored).toBe(isHeard && state !== 'init.closed' ? 0 : 1)
      if (isHeard) return
      expect({ written: chart.written, engines: chart.engines, told: chart.told }).toEqual({
        written: [],
        engines: [],
        told: [],
      })
      expect(chart.context).toEqual({ ...before, ignored: before.ignored + 1 })
    })
  })
})
