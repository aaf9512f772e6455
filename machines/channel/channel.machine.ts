/**
 * One data channel, as one party sees it.
 *
 *   opening ─pipe opened─▶ open { direct ─pipe closed, relay─▶ relayed } ─close─▶ closing { direct ─▶ relayed } ─ended─▶ closed
 *      │                            ▲
 *      └─ no pipe, relay, time ─────┘ (relayed)                    any ─session ended─▶ closed
 *
 * A channel never moves back from the relay: one look at how its data comes tells each side what the other
 * does.
 */
import { emit, setup } from 'xstate'
import type { ActorRefFrom, SnapshotFrom } from 'xstate'
import type { ChannelContext, ChannelEmitted, ChannelEvent } from './channel.types.ts'

/** One data channel, as one party sees it. */
export const channelMachine = setup({
  types: {} as {
    context: ChannelContext
    events: ChannelEvent
    emitted: ChannelEmitted
    input: ChannelContext
  },
  actions: {
    tellOpened: emit({ type: 'opened', late: false }),
    tellOpenedLate: emit({ type: 'opened', late: true }),
    tellMoved: emit({ type: 'moved' }),
    tellClosed: emit(
      (_, params: { readonly flushes: boolean; readonly by: 'local' | 'remote' | 'session' }) => ({
        type: 'closed' as const,
        ...params,
      }),
    ),
  },
  delays: {
    /** 5 s: for the direct connection. */
    connectLimit: 5_000,
  },
}).createMachine({
  id: 'channel',
  context: ({ input }) => input,
  initial: 'opening',
  states: {
    opening: {
      on: {
        'pipe.opened': { target: 'open.direct', actions: 'tellOpened' },
        'pipe.closed': { target: 'open.relayed', actions: 'tellOpened' },
        'remote.relayed': { target: 'open.relayed', actions: 'tellOpened' },
        'channel.relay': { target: 'open.relayed', actions: 'tellOpened' },
        'channel.close': {
          target: 'closed',
          actions: { type: 'tellClosed', params: { flushes: false, by: 'local' } },
        },
        'session.ended': {
          target: 'closed',
          actions: { type: 'tellClosed', params: { flushes: false, by: 'session' } },
        },
      },
      after: { connectLimit: { target: 'open.relayed', actions: 'tellOpenedLate' } },
    },
    open: {
      initial: 'direct',
      on: {
        'session.ended': {
          target: 'closed',
          actions: { type: 'tellClosed', params: { flushes: false, by: 'session' } },
        },
      },
      states: {
        direct: {
          on: {
            'pipe.closed': { target: 'relayed', actions: 'tellMoved' },
            'remote.relayed': { target: 'relayed', actions: 'tellMoved' },
            'channel.relay': { target: 'relayed', actions: 'tellMoved' },
            'channel.close': {
              target: '#channel.closing.direct',
              actions: { type: 'tellClosed', params: { flushes: true, by: 'local' } },
            },
            'remote.closed': {
              target: '#channel.closing.direct',
              actions: { type: 'tellClosed', params: { flushes: true, by: 'remote' } },
            },
          },
        },
        relayed: {
          on: {
            'channel.close': {
              target: '#channel.closing.relayed',
              actions: { type: 'tellClosed', params: { flushes: true, by: 'local' } },
            },
            'remote.closed': {
              target: '#channel.closing.relayed',
              actions: { type: 'tellClosed', params: { flushes: true, by: 'remote' } },
            },
          },
        },
      },
    },
    closing: {
      initial: 'direct',
      on: { 'streams.ended': 'closed', 'session.ended': 'closed' },
      states: {
        direct: {
          on: {
            'pipe.closed': { target: 'relayed', actions: 'tellMoved' },
            'remote.relayed': { target: 'relayed', actions: 'tellMoved' },
          },
        },
        relayed: {},
      },
    },
    closed: { type: 'final' },
  },
})

/** A running channel machine. */
export type ChannelActor = ActorRefFrom<typeof channelMachine>
/** One moment of the channel machine. */
export type ChannelSnapshot = SnapshotFrom<typeof channelMachine>
