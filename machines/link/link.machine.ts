/**
 * The connection of a page to the service.
 *
 *   offline ─start─▶ connected { connecting ─up─▶ resuming ─done─▶ online } ─close─▶ closed
 *                        ▲          │ down, time out
 *                     back-off, wake│
 *                        └── waiting ◀┘            down(final) ─▶ refused ─start, wake─▶ connected
 *   online, checking: drain ─▶ draining ─answered─▶ connected; resuming: drain ─▶ connected
 *   connected, waiting: hide ─▶ hidden ─wake─▶ connected
 *
 * `online` means that everything missed has been replayed. On waking it is `checking`: whether the
 * connection, of which nothing may have been heard in the meantime, still answers. `draining`: the node of the
 * service stops, and what was asked there is still to be answered.
 */
import { assign, cancel, fromCallback, fromPromise, raise, setup } from 'xstate'
import type { ActorRefFrom, SnapshotFrom } from 'xstate'
import type { LinkContext, LinkEvent } from './link.types.ts'

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 2_000
/** A service that wants a page to stay away for longer is asked again all the same. */
const LONGEST_REFUSAL_MS = 60_000

/** From the word of the service on. */
const MOVE = ['stopMoveLimit', 'beginMove', 'limitMove'] as const
/** Nothing waits for another node any more. */
const SETTLED = ['stopMoveLimit', 'endMove'] as const

/** The connection of a page to the service. */
export const linkMachine = setup({
  types: {} as { context: LinkContext; events: LinkEvent },
  actors: {
    /** One connection: says `link.up` and `link.down`; stopping it closes it. */
    connection: fromCallback<LinkEvent>(() => {}),
    /** Opens what was open and replays what was missed. */
    resume: fromPromise<void>(() => Promise.resolve()),
    /** Asks the service something: fails where no answer comes. */
    check: fromPromise<void>(() => Promise.resolve()),
  },
  guards: { isFinal: ({ event }) => event.type === 'link.down' && event.final },
  actions: {
    noteDown: assign(({ context, event }) =>
      event.type === 'link.down'
        ? {
            attempts: context.attempts + 1,
            jitter: event.jitter,
            retryAfterMs: Math.min(LONGEST_REFUSAL_MS, event.retryAfterMs ?? 0),
            code: event.code,
          }
        : { attempts: context.attempts + 1, retryAfterMs: 0, code: 'offline' as const },
    ),
    awaitReplay: raise({ type: 'link.silent' }, { delay: 'resumeLimit', id: 'silence' }),
    stopWaiting: cancel('silence'),
    noteOnline: assign({ attempts: 0, code: null }),
    beginMove: assign({ isMoving: true }),
    limitMove: raise({ type: 'link.stranded' }, { delay: 'moveLimit', id: 'move' }),
    stopMoveLimit: cancel('move'),
    endMove: assign({ isMoving: false }),
  },
  delays: {
    /** 20 s: for the connection to be made, over long polling where the WebSocket gets no answer. */
    connectLimit: 20_000,
    /** 15 s without anything new: for the replay. */
    resumeLimit: 15_000,
    /** 3 s: for the service to answer. */
    checkLimit: 3_000,
    /** 10 s from the word of the service: to be online at another node, while calls wait for that. */
    moveLimit: 10_000,
    /**
     * Doubles from 0.25 s to 2 s, halved at most by the jitter. Not before the service wants the page again: then
     * the jitter adds half of that at most.
     */
    backOff: ({ context: { attempts, jitter, retryAfterMs } }) =>
      Math.max(
        Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempts - 1, 8)) * (1 - jitter / 2),
        retryAfterMs * (1 + jitter / 2),
      ),
  },
}).createMachine({
  id: 'link',
  context: { attempts: 0, jitter: 0, retryAfterMs: 0, code: null, isMoving: false },
  initial: 'offline',
  on: { 'link.close': '.closed', 'link.stranded': { actions: 'endMove' } },
  states: {
    offline: { on: { 'link.start': 'connected' } },
    connected: {
      invoke: { src: 'connection', id: 'connection', onError: { target: 'waiting', actions: 'noteDown' } },
      on: {
        'link.hide': 'hidden',
        'link.down': [
          { guard: 'isFinal', target: 'refused', actions: 'noteDown' },
          { target: 'waiting', actions: 'noteDown' },
        ],
      },
      initial: 'connecting',
      states: {
        connecting: {
          on: { 'link.up': 'resuming' },
          after: { connectLimit: { target: '#link.waiting', actions: 'noteDown' } },
        },
        resuming: {
          invoke: {
            src: 'resume',
            id: 'resume',
            onDone: { target: 'online', actions: ['noteOnline', ...SETTLED] },
            onError: { target: '#link.waiting', actions: 'noteDown' },
          },
          entry: 'awaitReplay',
          exit: 'stopWaiting',
          on: {
            'link.heard': { actions: ['stopWaiting', 'awaitReplay'] },
            'link.silent': { target: '#link.waiting', actions: 'noteDown' },
            'link.drain': { target: '#link.connected', reenter: true, actions: MOVE },
          },
        },
        online: { on: { 'link.wake': 'checking', 'link.drain': { target: 'draining', actions: MOVE } } },
        checking: {
          invoke: {
            src: 'check',
            id: 'check',
            onDone: 'online',
            onError: { target: '#link.waiting', actions: 'noteDown' },
          },
          on: { 'link.heard': 'online', 'link.drain': { target: 'draining', actions: MOVE } },
          after: { checkLimit: { target: '#link.waiting', actions: 'noteDown' } },
        },
        draining: { on: { 'link.answered': { target: '#link.connected', reenter: true } } },
      },
    },
    /**
     * The page goes, or into a cache from which it may come back: the service hears at once that nobody is
     * here.
     */
    hidden: { entry: SETTLED, on: { 'link.wake': 'connected' } },
    waiting: { on: { 'link.wake': 'connected', 'link.hide': 'hidden' }, after: { backOff: 'connected' } },
    refused: { entry: SETTLED, on: { 'link.start': 'connected', 'link.wake': 'connected' } },
    closed: { type: 'final', entry: SETTLED },
  },
})

/** A running link machine. */
export type LinkActor = ActorRefFrom<typeof linkMachine>
/** One moment of the link machine. */
export type LinkSnapshot = SnapshotFrom<typeof linkMachine>
