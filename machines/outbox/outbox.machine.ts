/**
 * When a session's entries go to the service.
 *
 *   blocked ─opened─▶ open { idle ─waiting─▶ sending ─done─▶ idle } ─close─▶ closed
 *     ▲                                        │  ▲
 *     └── lost                                 ▼  │ time
 *                   the service wants a pause: pausing, the outcome is not known: failing
 *
 * One batch is on its way at a time. Sending again is harmless: the service knows the message ids.
 */
import { assign, fromPromise, setup } from 'xstate'
import type { ActorRefFrom, SnapshotFrom } from 'xstate'
import type { BatchOutcome, OutboxContext, OutboxEvent } from './outbox.types.ts'

/** When entries go to the service. */
export const outboxMachine = setup({
  types: {} as { context: OutboxContext; events: OutboxEvent },
  actors: {
    /** Sends the next entries and settles their Promises. */
    send: fromPromise<BatchOutcome>(() => Promise.resolve({ retryAfterMs: null })),
  },
  guards: {
    mustPause: (_, params: BatchOutcome) => params.retryAfterMs !== null,
  },
  actions: { notePause: assign({ retryAfterMs: (_, params: BatchOutcome) => params.retryAfterMs ?? 0 }) },
  delays: {
    /** As the service says, or half a second. */
    pause: ({ context }) => context.retryAfterMs,
    /** 0.5 s: after an outcome that is not known. */
    unknown: 500,
  },
}).createMachine({
  id: 'outbox',
  context: { retryAfterMs: 0 },
  initial: 'blocked',
  on: { 'outbox.close': '.closed' },
  states: {
    blocked: { on: { 'channel.opened': 'open' } },
    open: {
      initial: 'idle',
      on: { 'channel.lost': 'blocked' },
      states: {
        idle: { on: { 'mail.waiting': 'sending' } },
        sending: {
          invoke: {
            src: 'send',
            id: 'send',
            onDone: [
              {
                guard: { type: 'mustPause', params: ({ event }) => event.output },
                target: 'pausing',
                actions: { type: 'notePause', params: ({ event }) => event.output },
              },
              { target: 'idle' },
            ],
            onError: 'failing',
          },
        },
        pausing: { after: { pause: 'sending' } },
        failing: { after: { unknown: 'sending' } },
      },
    },
    closed: { type: 'final' },
  },
})

/** A running outbox machine. */
export type OutboxActor = ActorRefFrom<typeof outboxMachine>
/** One moment of the outbox machine. */
export type OutboxSnapshot = SnapshotFrom<typeof outboxMachine>
