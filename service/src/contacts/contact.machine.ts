/**
 * Life of a contact in the service. A pure function: the snapshot stands in the contact's row, and what a
 * transition wants done is carried out in the transaction that stores the next one. Two regions run side by
 * side while the contact is open.
 *
 *   open ─ progress   created ─visitor.present─▶ queued ─agent.accepted─▶ assigned ─agent.present─▶ joined
 *        │              │                         │ ▲                        │ │                     ├ agent.left (last) ─▶ cleared user
 *        │              └ creation ─▶ cleared¹    │ └─ agent.declined, .left, ┘ │                     └ grace (agent, last), agent.transferred ─▶ transferred
 *        │                                        │    grace (last), join       │
 *        │                                        └──────────── wait ───────────┴─▶ cleared dissuasion
 *        └ visitor    here ─grace (visitor, last)─▶ away ─disconnect─▶ cleared disconnect
 *                      │  ◀──visitor.present────────┘
 *                      └ visitor.left (last): not joined ─▶ cleared cancel | abandon;  joined ─▶ gone ─closing─▶ cleared user
 *   whatever it is    erased ─▶ cleared
 *   of each session    session.silent ─ grace, unless session.heard ─▶ left: timeout where it was the party's last
 *   ¹ a contact for later in which something was written waits in the queue, its visitor away; its `wait` goes on
 *   transferred, cleared: final
 */
import { and, assign, not, setup, stateIn } from 'xstate'
import type { SnapshotFrom } from 'xstate'
import type { AgentCard, EndReason } from '../../../protocol/index.ts'
import type {
  ContactContext,
  ContactEvent,
  ContactInput,
  ContactTimer,
  LeaveDetails,
  TransferTarget,
} from './contact.types.ts'

/** From here on, a visitor who leaves the queue has abandoned it. */
const ABANDON_MS = 10_000

type Args = { readonly context: ContactContext; readonly event: ContactEvent }
const effect =
  <P>() =>
  (_args: unknown, _params: P): void => {}
const NOBODY: AgentCard = { user: '', nick: '' }

const waitReason = ({ context, event }: Args): EndReason =>
  event.type === 'visitor.left' && context.queuedAt !== null && event.now - context.queuedAt >= ABANDON_MS
    ? 'abandon'
    : 'cancel'

/** The `left` of an event about a session, with the reason that the rules give it. */
const left =
  (reason?: EndReason | ((args: Args) => EndReason)) =>
  ({ context, event }: Args): LeaveDetails => {
    const session = 'session' in event ? event.session : ''
    const slot = 'slot' in event ? event.slot : event.type.startsWith('agent.') ? 'agent' : 'visitor'
    const party = slot === 'visitor' ? { vvcu: context.visitor } : { user: context.agent?.user ?? '' }
    const why = typeof reason === 'function' ? reason({ context, event }) : reason
    return { session, slot, ...party, ...(why === undefined ? {} : { reason: why }) }
  }

const base = setup({
  types: {} as { context: ContactContext; events: ContactEvent; input: ContactInput },
  guards: {
    isLast: ({ event }) => 'last' in event && event.last,
    isOfAgent: ({ event }) => 'slot' in event && event.slot === 'agent',
    isOfVisitor: ({ event }) => 'slot' in event && event.slot === 'visitor',
    isLeftForLater: ({ context, event }) =>
      context.isForLater === true && 'isEmpty' in event && !event.isEmpty,
    isProlonged: ({ context }) => context.isProlonged === true,
  },
  actions: {
    writeLeft: effect<LeaveDetails>(),
    writeAssigned: effect<AgentCard>(),
    writeJoined: effect<AgentCard>(),
    writeDeclined: effect<{ user: string; nick: string }>(),
    refuse: effect<{ user: string }>(),
    writeTransferred: effect<TransferTarget>(),
    writeCleared: effect<{ reason?: EndReason }>(),
    schedule: effect<{ timer: ContactTimer }>(),
    cancel: effect<{ timer: ContactTimer }>(),
    scheduleGrace: effect<{ session: string }>(),
    cancelGrace: effect<{ session: string }>(),
    cancelAll: () => {},
    succeed: effect<TransferTarget>(),
  },
})

const because = (reason: EndReason | ((args: Args) => EndReason)) =>
  base.assign({ reason: (args) => (typeof reason === 'function' ? reason(args) : reason) })
const writeLeft = (reason?: EndReason | ((args: Args) => EndReason)) =>
  ({ type: 'writeLeft', params: left(reason) }) as const
const schedule = (timer: ContactTimer) => ({ type: 'schedule', params: { timer } }) as const
const cancel = (timer: ContactTimer) => ({ type: 'cancel', params: { timer } }) as const
const target = ({ event }: Args): TransferTarget =>
  event.type === 'agent.transferred'
    ? event.to
    : event.type === 'due.grace'
      ? { toId: event.toId }
      : { toId: '' }
const card = ({ context }: Args): AgentCard => context.agent ?? NOBODY
const cleared = ({ context }: Args) => (context.reason === null ? {} : { reason: context.reason })
/** The agent is not asked again for a while. */
const decline = [
  {
    type: 'writeDeclined',
    params: ({ context }: Args) => ({ user: context.agent?.user ?? '', nick: context.agent?.nick ?? '' }),
  } as const,
  { type: 'refuse', params: ({ context }: Args) => ({ user: context.agent?.user ?? '' }) } as const,
  base.assign({ agent: null }),
] as const
const queue = [
  base.assign({ queuedAt: ({ event }) => ('now' in event ? event.now : null) }),
  schedule('wait'),
] as const
/** A visitor who has written nothing has left nothing for later, until they are back. */
const noteEmpty = base.assign({ isEmpty: ({ event }) => 'isEmpty' in event && event.isEmpty })
/** A message for later waits longer than a visitor. */
const endOfWait = [
  {
    guard: and(['isLeftForLater', not('isProlonged')]),
    actions: [base.assign({ isProlonged: true }), schedule('wait')],
  },
  { target: '#contact.cleared', actions: because('dissuasion') },
] as const
const isDeserted = stateIn({ open: { visitor: 'gone' } })
const leaving = [
  {
    target: 'gone',
    guard: and(['isLast', stateIn({ open: { progress: 'joined' } })]),
    actions: writeLeft('vvcu'),
  },
  { target: '#contact.cleared', guard: 'isLast', actions: [writeLeft(waitReason), because(waitReason)] },
  { actions: writeLeft() },
] as const

export const contactMachine = base.createMachine({
  id: 'contact',
  // XState's pure transition makes an actor for each step, without input: a context that fails there costs
  // more than the step.
  context: ({ input }: { input: ContactInput | undefined }) => ({
    visitor: input?.visitor ?? '',
    agent: null,
    queuedAt: null,
    reason: null,
    isForLater: input?.isForLater ?? false,
  }),
  initial: 'open',
  states: {
    open: {
      type: 'parallel',
      on: {
        erased: '#contact.cleared',
        'session.replaced': { actions: writeLeft() },
        'session.silent': {
          actions: { type: 'scheduleGrace', params: ({ event: { session } }) => ({ session }) },
        },
        'session.heard': {
          actions: { type: 'cancelGrace', params: ({ event: { session } }) => ({ session }) },
        },
      },
      states: {
        progress: {
          initial: 'created',
          states: {
            created: {
              entry: schedule('creation'),
              exit: cancel('creation'),
              on: {
                'visitor.present': { target: 'queued', actions: queue },
                'due.creation': [
                  { target: 'queued', guard: 'isLeftForLater', actions: queue },
                  { target: '#contact.cleared', actions: because('disconnect') },
                ],
              },
            },
            queued: {
              on: {
                'agent.accepted': {
                  target: 'assigned',
                  actions: assign({ agent: ({ event }) => event.agent }),
                },
                'offer.declined': {
                  actions: [
                    { type: 'writeDeclined', params: ({ event: { user, nick } }) => ({ user, nick }) },
                    { type: 'refuse', params: ({ event: { user } }) => ({ user }) },
                  ],
                },
                'offer.missed': {
                  actions: { type: 'writeDeclined', params: ({ event: { user, nick } }) => ({ user, nick }) },
                },
                'due.wait': endOfWait,
              },
            },
            assigned: {
              entry: [{ type: 'writeAssigned', params: card }, schedule('join')],
              exit: cancel('join'),
              on: {
                'agent.present': 'joined',
                'agent.left': { target: 'queued', guard: 'isLast', actions: decline },
                'due.grace': { target: 'queued', guard: and(['isOfAgent', 'isLast']), actions: decline },
                'agent.declined': { target: 'queued', actions: decline },
                'due.join': { target: 'queued', actions: decline },
                'due.wait': endOfWait,
              },
            },
            joined: {
              entry: [cancel('wait'), { type: 'writeJoined', params: card }],
              on: {
                'agent.left': [
                  {
                    target: '#contact.cleared',
                    guard: 'isLast',
                    actions: [writeLeft('user'), because('user')],
                  },
                  { actions: writeLeft() },
                ],
                'due.grace': [
                  {
                    target: '#contact.cleared',
                    guard: and(['isOfAgent', 'isLast', isDeserted]),
                    actions: [writeLeft('timeout'), because('user')],
                  },
                  {
                    target: '#contact.transferred',
                    guard: and(['isOfAgent', 'isLast']),
                    actions: writeLeft('timeout'),
                  },
                  { guard: 'isOfAgent', actions: writeLeft() },
                ],
                'agent.transferred': { target: '#contact.transferred', guard: not(isDeserted) },
              },
            },
          },
        },
        visitor: {
          initial: 'here',
          states: {
            here: {
              on: {
                'visitor.left': leaving,
                'due.grace': [
                  {
                    target: 'away',
                    guard: and(['isOfVisitor', 'isLast']),
                    actions: [writeLeft('timeout'), noteEmpty],
                  },
                  { guard: 'isOfVisitor', actions: writeLeft() },
                ],
                'due.creation': { target: 'away', guard: 'isLeftForLater', actions: noteEmpty },
              },
            },
            away: {
              entry: schedule('disconnect'),
              exit: cancel('disconnect'),
              on: {
                'visitor.present': 'here',
                'visitor.left': leaving,
                'due.disconnect': { target: '#contact.cleared', actions: because('disconnect') },
              },
            },
            gone: {
              entry: schedule('closing'),
              exit: cancel('closing'),
              on: {
                'visitor.present': 'here',
                'visitor.left': { actions: writeLeft() },
                'due.closing': { target: '#contact.cleared', actions: because('user') },
              },
            },
          },
        },
      },
    },
    transferred: {
      type: 'final',
      entry: ['cancelAll', { type: 'writeTransferred', params: target }, { type: 'succeed', params: target }],
    },
    cleared: { type: 'final', entry: ['cancelAll', { type: 'writeCleared', params: cleared }] },
  },
})

export type ContactSnapshot = SnapshotFrom<typeof contactMachine>
