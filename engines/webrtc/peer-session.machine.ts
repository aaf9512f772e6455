/**
 * The connection with the other party's engine, as one side has it. Three regions:
 *
 *   call        apart ─foresee─▶ foreseen ─agree─▶ agreed { undecided ─want─▶ decided }   any ─close─▶ apart
 *
 *   connection  none { idle, hungUp } ─begin─▶ attempt { connecting ─connected─▶ made { up ⇄ recovering } }
 *                 ▲                               │
 *                 └─ closed, hung up, late, lost ─┘
 *
 *   waiting     no ⇄ yes ─limit─▶ the operation that waits fails
 *
 * What may be done grows with `call`: in `foreseen` this side reads what the other one says; in `agreed` it
 * starts attempts or answers them, so that nobody learns addresses without consent, and media wait for the
 * decision; in `decided` a loss is reported. Who starts attempts stands in `glare.ts`, each time in
 * `limits.ts`.
 *
 * `recovering` restarts ICE with growing pauses, whether the browser has noticed the loss (`interrupted`) or
 * only the counters have (`silent`). `hungUp` waits for the end of the call, which the log tells a little
 * later.
 */
import { and, assign, emit, not, raise, setup, stateIn } from 'xstate'
import type { ActorRefFrom } from 'xstate'
import { EARLY_LIMIT_MS, HANG_UP_GRACE_MS, LAST_RESTART_MS, RESTART_DELAYS_MS } from './limits.ts'
import type {
  PeerLoss,
  PeerSessionContext,
  PeerSessionEmitted,
  PeerSessionEvent,
  PeerSessionInput,
} from './peer-session.types.ts'

const isInitiator = ({ context }: { readonly context: PeerSessionContext }): boolean => context.isInitiator

const base = setup({
  types: {} as {
    context: PeerSessionContext
    events: PeerSessionEvent
    emitted: PeerSessionEmitted
    input: PeerSessionInput
  },
  guards: {
    isInitiator,
    /** Of the side that answers only. */
    hasOffer: ({ context }) => context.hasOffer,
    isForeseen: not(stateIn({ call: 'apart' })),
    isDecided: stateIn({ call: { agreed: 'decided' } }),
    isEarly: and([isInitiator, not(stateIn({ call: { agreed: 'decided' } }))]),
    isAwaited: stateIn({ waiting: 'yes' }),
    isInitiatorAwaited: and([isInitiator, stateIn({ waiting: 'yes' })]),
    mayStart: and([isInitiator, stateIn({ call: 'agreed' })]),
    mayStartAnew: ({ context }, params: { readonly isOnItsWay: boolean }) =>
      context.isInitiator && !params.isOnItsWay,
    hasRestarts: ({ context }) => context.restarts < RESTART_DELAYS_MS.length,
  },
  actions: {
    begin: emit({ type: 'begin' }),
    agree: emit({ type: 'agree' }),
    ask: emit({ type: 'ask' }),
    discard: emit((_, params: { readonly tells: boolean }) => ({ type: 'discard' as const, ...params })),
    tellUp: emit((_, params: { readonly isFirst: boolean }) => ({ type: 'up' as const, ...params })),
    restart: emit({ type: 'restart' }),
    fail: emit((_, params: { readonly loss: PeerLoss }) => ({ type: 'fail' as const, ...params })),
    breakOff: emit(({ context }) => ({ type: 'broke' as const, loss: context.loss })),
    noteLoss: assign({ loss: (_, params: { readonly loss: PeerLoss }) => params.loss }),
    noteOffer: assign({ hasOffer: true }),
    forgetOffer: assign({ hasOffer: false }),
    noteLimit: assign({ limitMs: (_, params: { readonly limitMs: number }) => params.limitMs }),
    noteLost: assign({ restarts: 0 }),
    noteRestart: assign({ restarts: ({ context }) => context.restarts + 1 }),
    expire: raise({ type: 'wait.expired' }),
  },
  delays: {
    connectLimit: ({ context }) => context.limitMs,
    earlyLimit: EARLY_LIMIT_MS,
    hangUpGrace: HANG_UP_GRACE_MS,
    restartDelay: ({ context }) => RESTART_DELAYS_MS[context.restarts] ?? LAST_RESTART_MS,
  },
})

const NONE = '#peer-session.connection.none'
const HUNG_UP = '#peer-session.connection.none.hungUp'
const ATTEMPT = '#peer-session.connection.attempt'

const end = { type: 'discard', params: { tells: true } } as const
const endSilently = { type: 'discard', params: { tells: false } } as const
const failFor = (loss: PeerLoss) => ({ type: 'fail', params: { loss } }) as const
const noteLoss = (loss: PeerLoss) => ({ type: 'noteLoss', params: { loss } }) as const
const tellUp = (isFirst: boolean) => ({ type: 'tellUp', params: { isFirst } }) as const

/** The way on where an attempt is over and no operation waits: a call that is decided reports the loss. */
const lose = (loss: PeerLoss, discard: typeof end | typeof endSilently) =>
  [
    { guard: 'isDecided', target: HUNG_UP, actions: [discard, noteLoss(loss)] },
    { target: NONE, actions: discard },
  ] as const

/** The connection with the other party's engine, as one side has it. */
export const peerSessionMachine = base.createMachine({
  id: 'peer-session',
  context: ({ input }) => ({ ...input, hasOffer: false, limitMs: 0, restarts: 0, loss: 'closed' }),
  type: 'parallel',
  states: {
    call: {
      initial: 'apart',
      on: { 'call.close': '.apart' },
      states: {
        apart: {
          on: { 'call.foresee': 'foreseen', 'call.agree': 'agreed', 'call.want': 'agreed.decided' },
        },
        foreseen: { on: { 'call.agree': 'agreed', 'call.want': 'agreed.decided' } },
        agreed: {
          initial: 'undecided',
          states: { undecided: { on: { 'call.want': 'decided' } }, decided: {} },
        },
      },
    },
    connection: {
      initial: 'none',
      states: {
        none: {
          initial: 'idle',
          on: {
            'call.foresee': [
              { guard: 'mayStart', target: 'attempt' },
              { guard: 'hasOffer', target: 'attempt' },
              { guard: 'isDecided', actions: 'ask' },
            ],
            'call.agree': [
              { guard: 'isInitiator', target: 'attempt' },
              { guard: 'hasOffer', target: 'attempt' },
              { guard: 'isDecided', actions: 'ask' },
            ],
            'call.want': [
              { guard: 'isInitiator', target: 'attempt' },
              { guard: 'hasOffer', target: 'attempt' },
              { target: '.idle', actions: 'ask' },
            ],
            'call.close': '.idle',
            'remote.offered': [{ guard: 'isForeseen', target: 'attempt' }, { actions: 'noteOffer' }],
            'remote.withdrew': { actions: 'forgetOffer' },
            'remote.wants': { guard: 'mayStart', target: 'attempt' },
          },
          states: {
            idle: {},
            hungUp: {
              on: { 'wait.begin': 'idle' },
              after: { hangUpGrace: { target: 'idle', actions: 'breakOff' } },
            },
          },
        },
        attempt: {
          initial: 'connecting',
          entry: ['forgetOffer', 'begin'],
          on: {
            'call.agree': { actions: 'agree' },
            'call.want': { actions: 'agree' },
            'call.close': { target: 'none', actions: end },
            'remote.offered': { target: 'attempt', reenter: true, actions: endSilently },
            'remote.wants': {
              guard: { type: 'mayStartAnew', params: ({ event }) => event },
              target: 'attempt',
              reenter: true,
              actions: end,
            },
            'remote.hungUp': [
              { guard: 'isAwaited', target: 'none', actions: endSilently },
              ...lose('hung_up', endSilently),
            ],
          },
          states: {
            connecting: {
              initial: 'unlimited',
              on: {
                'peer.connected': { target: 'made', actions: tellUp(true) },
                'peer.closed': [
                  { guard: 'isAwaited', target: NONE, actions: [end, failFor('failed')] },
                  ...lose('failed', end),
                ],
                'wait.expired': { target: NONE, actions: end },
              },
              states: {
                unlimited: { on: { 'call.want': { guard: 'isEarly', target: 'limited', actions: 'agree' } } },
                limited: { after: { earlyLimit: { target: ATTEMPT, reenter: true, actions: end } } },
              },
            },
            made: {
              initial: 'up',
              on: {
                'peer.closed': [
                  { guard: 'isInitiatorAwaited', target: ATTEMPT, reenter: true, actions: end },
                  { guard: 'isAwaited', target: NONE, actions: [end, 'ask'] },
                  ...lose('closed', end),
                ],
              },
              states: {
                up: {
                  tags: 'up',
                  on: {
                    'peer.silent': 'recovering',
                    'peer.interrupted': 'recovering.cause.interrupted',
                  },
                },
                recovering: {
                  type: 'parallel',
                  entry: 'noteLost',
                  states: {
                    cause: {
                      initial: 'silent',
                      states: {
                        silent: {
                          tags: 'up',
                          on: {
                            'peer.heard': '#peer-session.connection.attempt.made.up',
                            'peer.interrupted': 'interrupted',
                          },
                        },
                        interrupted: {
                          on: {
                            'peer.connected': {
                              target: '#peer-session.connection.attempt.made.up',
                              actions: tellUp(false),
                            },
                          },
                        },
                      },
                    },
                    restarts: {
                      initial: 'pausing',
                      states: {
                        pausing: {
                          after: {
                            restartDelay: [
                              {
                                guard: 'hasRestarts',
                                target: 'pausing',
                                reenter: true,
                                actions: ['restart', 'noteRestart'],
                              },
                              { guard: 'isAwaited', target: NONE, actions: [end, failFor('lost')] },
                              {
                                guard: 'isDecided',
                                target: NONE,
                                actions: [end, noteLoss('lost'), 'breakOff'],
                              },
                              { target: NONE, actions: end },
                            ],
                          },
                        },
                      },
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
    waiting: {
      initial: 'no',
      states: {
        no: {
          on: {
            'wait.begin': {
              target: 'yes',
              actions: { type: 'noteLimit', params: ({ event }) => event },
            },
          },
        },
        yes: {
          on: { 'wait.end': 'no' },
          after: { connectLimit: { actions: [failFor('late'), 'expire'] } },
        },
      },
    },
  },
})

/** A running machine of a peer session. */
export type PeerSessionActor = ActorRefFrom<typeof peerSessionMachine>
