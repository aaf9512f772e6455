/**
 * One request to the other side, where it is asked.
 *
 *   asking { sent ─received─▶ received } ─answered, refused─▶ settled
 *      ▲       └─▶ sent again: receipt limit, other session      ▲
 *      └─ attempt limit, while tries are left                    │
 *         attempt limit, other session after the receipt, left ──┘
 *
 * Asking again is harmless: the other side knows the request by its id and runs the procedure once.
 */
import { assign, emit, setup } from 'xstate'
import type { ActorRefFrom, SnapshotFrom } from 'xstate'
import type { ErrorCode } from '../../protocol/index.ts'
import type { RequestContext, RequestEmitted, RequestEvent, RequestInput } from './request.types.ts'

/** Longest time that a browser's timer can measure. */
const NEVER_MS = 2_147_483_647
const FIRST_RECEIPT_MS = 5_000
const LONGEST_RECEIPT_MS = 60_000

const fail = (code: ErrorCode) => ({ type: 'tellFailed', params: { code } }) as const

/** One request to the other side. */
export const requestMachine = setup({
  types: {} as {
    context: RequestContext
    events: RequestEvent
    emitted: RequestEmitted
    input: RequestInput
  },
  guards: {
    isLimited: ({ context }) => context.timeoutMs !== null,
    mayRetry: ({ context }) => context.timeoutMs !== null && context.retries > 0,
    wasReceived: ({ context }) => context.received,
  },
  actions: {
    ask: emit({ type: 'request.ask' }),
    countAsked: assign({ asked: ({ context }) => context.asked + 1 }),
    countAttempt: assign({ retries: ({ context }) => context.retries - 1, asked: 0 }),
    noteReceipt: assign({ received: true, asked: 0 }),
    tellAnswer: emit(({ event }) => {
      if (event.type !== 'remote.answered') throw new Error(`expected remote.answered, got ${event.type}`)
      return { type: 'request.settled', outcome: event.answer }
    }),
    tellFailed: emit((_, { code }: { readonly code: ErrorCode }) => ({
      type: 'request.settled',
      outcome: { ok: false, code },
    })),
  },
  delays: {
    /** For the receipt: 5 s, then twice as long each time up to 60 s. */
    receipt: ({ context }) => Math.min(LONGEST_RECEIPT_MS, FIRST_RECEIPT_MS * 2 ** (context.asked - 1)),
    /** For the answer: the caller's time-out; none where the caller gave none. */
    attempt: ({ context }) => context.timeoutMs ?? NEVER_MS,
  },
}).createMachine({
  id: 'request',
  context: ({ input }) => ({ ...input, asked: 0, received: false }),
  initial: 'asking',
  states: {
    asking: {
      initial: 'sent',
      after: {
        attempt: [
          { guard: 'mayRetry', target: 'asking', reenter: true, actions: 'countAttempt' },
          { guard: 'isLimited', target: 'settled', actions: fail('timeout') },
        ],
      },
      on: {
        'remote.answered': { target: 'settled', actions: 'tellAnswer' },
        'request.refused': {
          target: 'settled',
          actions: { type: 'tellFailed', params: ({ event }) => ({ code: event.code }) },
        },
        'peer.left': { target: 'settled', actions: fail('peer_left') },
        'contact.left': { target: 'settled', actions: fail('left') },
        'peer.changed': [
          { guard: 'wasReceived', target: 'settled', actions: fail('peer_left') },
          { target: '.sent' },
        ],
      },
      states: {
        sent: {
          entry: ['countAsked', 'ask'],
          after: { receipt: { target: 'sent', reenter: true } },
          on: { 'remote.received': { target: 'received', actions: 'noteReceipt' } },
        },
        received: {},
      },
    },
    settled: { type: 'final' },
  },
})

/** A running request machine. */
export type RequestActor = ActorRefFrom<typeof requestMachine>
/** One moment of the request machine. */
export type RequestSnapshot = SnapshotFrom<typeof requestMachine>
