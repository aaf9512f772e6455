/**
 * A party's way through a contact, in one page life.
 *
 *   outside ─enter─▶ entering ─entered─▶ inside { queued ─▶ assigned ─▶ joined } ─leave─▶ leaving ─▶ left
 *      ▲─failed, silent─┘                         ▲ declined ────┘ │             └─cleared──────────▶ cleared
 *                                                 └─entered─ moving ◀─transferred (the agent: left)
 *
 * In every state the other party is here, or away once no page of it has been connected for a while.
 * `dropped`: the page gives the contact back without leaving it; `left` also where the service says that the
 * party has no part in it any more. `moving` also where the log is to be read anew. The service writes every
 * change of it into the contact's log.
 */
import { assign, cancel, emit, fromPromise, raise, setup } from 'xstate'
import type { ActorRefFrom, SnapshotFrom } from 'xstate'
import type {
  MembershipContext,
  MembershipEmitted,
  MembershipEvent,
  MembershipInput,
} from './membership.types.ts'

const QUEUED_ANEW = [
  'stopMissing',
  { type: 'noteLife', params: { life: 'queued' } },
  'tellTransferred',
] as const
/** The visitor goes on where the contact does; the agent's part is over. */
const MOVED = [
  { guard: 'isVisitor', target: '.moving', actions: QUEUED_ANEW },
  { target: '.left', actions: 'tellTransferred' },
] as const
const ENTERED = [
  { guard: 'isCleared', target: '#membership.cleared' },
  { guard: 'isQueued', target: '#membership.inside.queued' },
  { guard: 'isAssigned', target: '#membership.inside.assigned' },
  { target: '#membership.inside.joined' },
] as const

/** A party's way through a contact. */
export const membershipMachine = setup({
  types: {} as {
    context: MembershipContext
    events: MembershipEvent
    emitted: MembershipEmitted
    input: MembershipInput
  },
  actors: {
    /** Opens the channel and replays the log. */
    enter: fromPromise<void>(() => Promise.resolve()),
    /** Tells the service, stops the media, closes the channel. */
    leave: fromPromise<void, { readonly reason: string | undefined }>(() => Promise.resolve()),
  },
  guards: {
    isVisitor: ({ context }) => context.role === 'visitor',
    isQueued: ({ context, event }) => (event.type === 'log.entered' ? event.life : context.life) === 'queued',
    isAssigned: ({ context, event }) =>
      (event.type === 'log.entered' ? event.life : context.life) === 'assigned',
    isPeerHere: ({ context }) => !context.isPeerAway,
    isPeerAway: ({ context }) => context.isPeerAway,
    isCleared: ({ context, event }) =>
      (event.type === 'log.entered' ? event.life : context.life) === 'cleared',
  },
  actions: {
    tellEntered: emit({ type: 'entered' }),
    tellNotEntered: emit(({ event }) => ({
      type: 'notEntered',
      error: 'error' in event ? event.error : null,
    })),
    tellAssigned: emit(({ event }) => ({ type: 'assigned', agent: eventOf(event, 'log.assigned').agent })),
    tellJoined: emit(({ event }) => ({ type: 'joined', agent: eventOf(event, 'log.joined').agent })),
    tellDeclined: emit(({ event }) => ({ type: 'declined', body: eventOf(event, 'log.declined').body })),
    tellLeft: emit(({ event }) => ({ type: 'left', body: eventOf(event, 'log.left').body })),
    tellLocalLeft: emit(({ event }) => ({
      type: 'localleft',
      reason: event.type === 'log.selfLeft' ? event.reason : null,
    })),
    tellTransferred: emit(({ event }) => ({
      type: 'transferred',
      body: eventOf(event, 'log.transferred').body,
    })),
    tellCleared: emit(({ event }) => ({ type: 'cleared', reason: eventOf(event, 'log.cleared').reason })),
    awaitEntries: raise({ type: 'log.silent' }, { delay: 'enterLimit', id: 'silence' }),
    stopWaiting: cancel('silence'),
    awaitPeer: raise({ type: 'peer.missed' }, { id: 'peer', delay: 'peerLimit' }),
    stopMissing: cancel('peer'),
    tellPeerAway: emit(({ context }) => ({ type: 'peeraway', away: context.isPeerAway })),
    notePeer: assign({ isPeerAway: (_, params: { readonly isAway: boolean }) => params.isAway }),
    noteLife: assign({ life: (_, params: { readonly life: MembershipContext['life'] }) => params.life }),
  },
  delays: {
    /** 1 s: a page that is loaded anew comes back sooner. */
    peerLimit: 1_000,
    /** 2 s: what fails on a connection that lives is tried again. */
    againLimit: 2_000,
    /** 30 s without anything new: for the channel, the replay and the own `present`. */
    enterLimit: 30_000,
    /** 15 s: for the service to be told, and the media to stop. */
    leaveLimit: 15_000,
  },
}).createMachine({
  id: 'membership',
  context: ({ input }) => ({ ...input, isPeerAway: false }),
  initial: 'outside',
  on: {
    'log.assigned': { actions: [{ type: 'noteLife', params: { life: 'assigned' } }, 'tellAssigned'] },
    'log.joined': { actions: [{ type: 'noteLife', params: { life: 'joined' } }, 'tellJoined'] },
    'log.declined': { actions: [{ type: 'noteLife', params: { life: 'queued' } }, 'tellDeclined'] },
    'log.left': { actions: 'tellLeft' },
    'log.transferred': MOVED,
    'log.cleared': {
      target: '.cleared',
      actions: [{ type: 'noteLife', params: { life: 'cleared' } }, 'tellCleared'],
    },
    'contact.leave': '.leaving',
    'contact.drop': '.dropped',
    'contact.gone': { target: '.left', actions: 'tellLocalLeft' },
    'peer.gone': { guard: 'isPeerHere', actions: ['stopMissing', 'awaitPeer'] },
    'peer.none': { actions: 'stopMissing' },
    'peer.missed': { actions: [{ type: 'notePeer', params: { isAway: true } }, 'tellPeerAway'] },
    'peer.here': [
      { guard: 'isPeerAway', actions: [{ type: 'notePeer', params: { isAway: false } }, 'tellPeerAway'] },
      { actions: 'stopMissing' },
    ],
  },
  states: {
    outside: { on: { 'contact.enter': 'entering', 'log.transferred': { actions: QUEUED_ANEW } } },
    entering: {
      invoke: { src: 'enter', id: 'enter', onError: { target: 'outside', actions: 'tellNotEntered' } },
      entry: 'awaitEntries',
      exit: 'stopWaiting',
      on: {
        'log.heard': { actions: ['stopWaiting', 'awaitEntries'] },
        'log.silent': { target: 'outside', actions: 'tellNotEntered' },
        'log.entered': ENTERED,
        'log.transferred': { guard: 'isVisitor', actions: QUEUED_ANEW },
      },
    },
    moving: {
      initial: 'opening',
      on: { 'log.entered': ENTERED, 'log.transferred': { actions: QUEUED_ANEW } },
      states: {
        opening: { invoke: { src: 'enter', id: 'move', onError: 'waiting' } },
        waiting: { on: { 'link.resumed': 'opening' }, after: { againLimit: 'opening' } },
      },
    },
    inside: {
      entry: 'tellEntered',
      initial: 'queued',
      on: { 'log.anew': 'moving' },
      states: {
        queued: {
          on: {
            'log.assigned': {
              target: 'assigned',
              actions: [{ type: 'noteLife', params: { life: 'assigned' } }, 'tellAssigned'],
            },
            'log.joined': {
              target: 'joined',
              actions: [{ type: 'noteLife', params: { life: 'joined' } }, 'tellJoined'],
            },
          },
        },
        assigned: {
          on: {
            'log.joined': {
              target: 'joined',
              actions: [{ type: 'noteLife', params: { life: 'joined' } }, 'tellJoined'],
            },
            'log.declined': {
              target: 'queued',
              actions: [{ type: 'noteLife', params: { life: 'queued' } }, 'tellDeclined'],
            },
          },
        },
        joined: {},
      },
    },
    leaving: {
      entry: 'stopMissing',
      invoke: {
        src: 'leave',
        id: 'leave',
        input: ({ event }) => ({ reason: event.type === 'contact.leave' ? event.reason : undefined }),
        onDone: 'left',
        onError: 'left',
      },
      after: { leaveLimit: 'left' },
      on: {
        'contact.leave': {},
        'contact.drop': 'left',
        'contact.gone': 'left',
        'log.transferred': { actions: 'tellTransferred' },
        'log.cleared': { actions: [{ type: 'noteLife', params: { life: 'cleared' } }, 'tellCleared'] },
      },
      initial: 'telling',
      states: { telling: { on: { 'log.selfLeft': 'told' }, exit: 'tellLocalLeft' }, told: {} },
    },
    left: { entry: 'stopMissing', on: { '*': {} } },
    dropped: { entry: 'stopMissing', on: { '*': {} } },
    cleared: { entry: 'stopMissing', on: { '*': {} } },
  },
})

const eventOf = <T extends MembershipEvent['type']>(
  event: MembershipEvent,
  type: T,
): Extract<MembershipEvent, { type: T }> => {
  if (event.type !== type) throw new Error(`expected ${type}, got ${event.type}`)
  return event as Extract<MembershipEvent, { type: T }>
}

/** A running membership machine. */
export type MembershipActor = ActorRefFrom<typeof membershipMachine>
/** One moment of the membership machine. */
export type MembershipSnapshot = SnapshotFrom<typeof membershipMachine>
