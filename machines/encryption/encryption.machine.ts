/**
 * How far a secure contact is encrypted, and how far that is verified.
 *
 *   loading ─crypto.loaded─▶ waiting {alone, agreeing, stalled} ─key.agreed─▶ secured {unverified ─matches─▶ verified}
 *      └─crypto.failed─▶ unavailable   ▲ ▲   └─key.agreed [changed]─▶ held ─accepts, matches─▶ secured
 *                                      │ └────────── key.ended ────────┘       └─key.ended─▶ waiting
 *   from every state but unavailable: user.differs, tampering.found ─▶ broken
 *
 * A key is changed where some key was verified, and this one neither goes on from a verified one nor is signed by
 * the organisation: while it is held, nothing is delivered or sent.
 */
import { assign, emit, setup } from 'xstate'
import type { ActorRefFrom, SnapshotFrom } from 'xstate'
import type {
  EncryptionContext,
  EncryptionEmitted,
  EncryptionEvent,
  EncryptionFault,
  EncryptionInput,
  VerifiedBy,
} from './encryption.types.ts'

const BROKEN = { target: '#encryption.broken', actions: 'noteFault' } as const

/** Who says that a key is the other party's, as far as that is known when it is agreed. */
function verifierOf({ verified }: EncryptionContext, event: EncryptionEvent): VerifiedBy | null {
  if (event.type !== 'key.agreed') return null
  if (event.signed) return 'organisation'
  return (event.resumed === null ? undefined : verified[event.resumed]) ?? null
}

/** How far a secure contact is encrypted and verified. */
export const encryptionMachine = setup({
  types: {} as {
    context: EncryptionContext
    events: EncryptionEvent
    emitted: EncryptionEmitted
    input: EncryptionInput
  },
  guards: {
    isPeerHere: ({ context }) => context.isPeerHere,
    isVerified: ({ context, event }) => verifierOf(context, event) !== null,
    isChanged: ({ context, event }) =>
      verifierOf(context, event) === null && Object.keys(context.verified).length > 0,
    isVerifiedElsewhere: ({ context: { key }, event }) =>
      event.type === 'keys.came' && event.verified[key?.id ?? ''] !== undefined,
    isAcceptedElsewhere: ({ event }) =>
      event.type === 'keys.came' && Object.keys(event.verified).length === 0,
    isUnconfirmed: ({ context }) => context.key?.isConfirmed === false,
  },
  actions: {
    noteKey: assign(({ context, event }) =>
      event.type === 'key.agreed'
        ? { key: { id: event.id, by: verifierOf(context, event), isConfirmed: false } }
        : {},
    ),
    noteUser: assign(({ context: { key } }) => (key ? { key: { ...key, by: 'user' as const } } : {})),
    noteVerified: assign(({ context: { key, verified } }) =>
      key?.by ? { verified: { ...verified, [key.id]: key.by } } : {},
    ),
    noteKeys: assign(({ context, event }) => {
      if (event.type !== 'keys.came') return {}
      const { verified } = event
      const key = context.key && { ...context.key, by: verified[context.key.id] ?? context.key.by }
      return { verified, key }
    }),
    forgetVerified: assign({ verified: {} }),
    noteConfirmed: assign(({ context: { key } }) => (key ? { key: { ...key, isConfirmed: true } } : {})),
    forgetKey: assign({ key: null }),
    notePeer: assign({ isPeerHere: (_, params: { readonly isHere: boolean }) => params.isHere }),
    noteFault: assign(({ event }): { fault: EncryptionFault } => ({
      fault: event.type === 'tampering.found' ? event.what : 'people',
    })),
    tellStalled: emit({ type: 'stalled' }),
    tellVerified: emit(({ context: { key } }) => ({
      type: 'verified',
      id: key?.id ?? '',
      by: key?.by ?? 'user',
    })),
    tellAccepted: emit({ type: 'accepted' }),
    tellConfirmed: emit(({ context: { key } }) => ({ type: 'confirmed', id: key?.id ?? '' })),
    tellBroken: emit(({ context: { fault } }) => ({ type: 'broken', what: fault ?? 'log' })),
  },
  delays: {
    /** 15 s: an agreement takes one way there and back. */
    agreeLimit: 15_000, // §6
  },
}).createMachine({
  id: 'encryption',
  context: ({ input }) => ({ verified: input.verified, key: null, isPeerHere: false, fault: null }),
  initial: 'loading',
  on: {
    'peer.came': { actions: { type: 'notePeer', params: { isHere: true } } },
    'peer.left': { actions: { type: 'notePeer', params: { isHere: false } } },
    'keys.came': { actions: 'noteKeys' },
    'user.differs': BROKEN,
    'tampering.found': BROKEN,
  },
  states: {
    loading: { on: { 'crypto.loaded': 'waiting', 'crypto.failed': 'unavailable' } },
    unavailable: { on: { '*': {} } },
    waiting: {
      entry: 'forgetKey',
      initial: 'alone',
      on: {
        'key.agreed': [
          { guard: 'isChanged', target: 'held', actions: 'noteKey' },
          { guard: 'isVerified', target: 'secured.verified', actions: 'noteKey' },
          { target: 'secured', actions: 'noteKey' },
        ],
        'peer.left': { target: '.alone', actions: { type: 'notePeer', params: { isHere: false } } },
      },
      states: {
        alone: {
          always: { guard: 'isPeerHere', target: 'agreeing' },
          on: {
            'peer.came': { target: 'agreeing', actions: { type: 'notePeer', params: { isHere: true } } },
          },
        },
        agreeing: { after: { agreeLimit: { target: 'stalled', actions: 'tellStalled' } } },
        stalled: {},
      },
    },
    secured: {
      initial: 'unverified',
      on: {
        'key.ended': 'waiting',
        'key.confirmed': { guard: 'isUnconfirmed', actions: ['noteConfirmed', 'tellConfirmed'] },
      },
      states: {
        unverified: {
          on: {
            'user.matches': { target: 'verified', actions: 'noteUser' },
            'keys.came': [
              { guard: 'isVerifiedElsewhere', target: 'verified', actions: 'noteKeys' },
              { actions: 'noteKeys' },
            ],
          },
        },
        verified: { entry: ['noteVerified', 'tellVerified'] },
      },
    },
    held: {
      on: {
        'key.ended': 'waiting',
        'key.confirmed': { guard: 'isUnconfirmed', actions: ['noteConfirmed', 'tellConfirmed'] },
        'user.matches': { target: 'secured.verified', actions: 'noteUser' },
        'keys.came': [
          { guard: 'isVerifiedElsewhere', target: 'secured.verified', actions: 'noteKeys' },
          { guard: 'isAcceptedElsewhere', target: 'secured', actions: 'noteKeys' },
          { actions: 'noteKeys' },
        ],
        'user.accepts': { target: 'secured', actions: ['forgetVerified', 'tellAccepted'] },
      },
    },
    broken: { entry: ['forgetKey', 'tellBroken'], on: { '*': {} } },
  },
})

/** A running encryption machine. */
export type EncryptionActor = ActorRefFrom<typeof encryptionMachine>
/** One moment of the encryption machine. */
export type EncryptionSnapshot = SnapshotFrom<typeof encryptionMachine>
