import type { MediaContext } from '../../machines/index.ts'
import { algebra } from '../../protocol/index.ts'
import type { Phase } from '../../protocol/index.ts'
import { LEFT, NOTHING, absorbs, believes, knows, rule, unsettled } from './absorbing.ts'
import { transmissions } from '../../machines/media/media.rules.ts'
import type { Mutation } from './mutations.ts'

const agreeing = (context: MediaContext): MediaContext => {
  const { phase } = context.shared
  return phase.name === 'transiting' ? { ...context, consent: transmissions(phase.target) } : context
}
const agreeingToNative = (context: MediaContext): MediaContext => ({
  ...context,
  consent: [...context.consent, ...agreeing(context).consent.filter((one) => one.endsWith(' Native'))],
})
const mostOffered = ({ shared: { phase } }: MediaContext): string[] =>
  phase.name === 'offered' ? transmissions(algebra.mostOf(phase.offer)) : []
const unsettledOwn = (context: MediaContext): MediaContext => ({
  ...context,
  own: context.own && { ...context.own, outcome: null },
})

/** What the machine knows. */
export const RULES: readonly Mutation[] = [
  {
    id: 'R1',
    safeguard: "consent at the engine's door",
    run: 'a log that lies',
    change: [...believes('mayWork', agreeing), ...believes('differs', agreeing)],
  },
  {
    id: 'R47',
    safeguard: "consent at the engine's door, also for a telephone",
    run: 'a log that lies about a telephone',
    change: [...believes('mayWork', agreeingToNative), ...believes('differs', agreeingToNative)],
  },
  {
    id: 'M40',
    safeguard: 'a new session knows what runs',
    run: 'a hostile agent and an absence',
    change: knows(['log.slotHeld'], (next, { engines }) => ({ ...next, engines })),
  },
  {
    id: 'C33',
    safeguard: 'what runs without the remote when a page enters is agreed to',
    run: 'a hostile visitor',
    change: knows(['log.slotHeld'], (next, { consent }) => ({ ...next, consent })),
  },
  {
    id: 'R48',
    safeguard: 'a session that enters knows what its own present leaves on',
    run: 'a telephone and a fault',
    change: knows(['log.slotHeld'], (next, before) => ({
      ...next,
      engines: next.engines && algebra.nativeOnly(before.shared.media),
    })),
  },
  {
    id: 'R49',
    safeguard: 'what engines carry stays uncertain when a session enters',
    run: 'two faults during a call',
    change: knows(['log.slotHeld'], (next) => ({
      ...next,
      engines: next.engines ?? algebra.nativeOnly(next.shared.media),
    })),
  },
  {
    id: 'R2',
    safeguard: 'a transition that failed here is not worked for again',
    run: 'a lost capture and a fault',
    change: [
      ...believes('mayWork', (context) => ({ ...context, failed: null })),
      ...believes('differs', (context) => ({ ...context, failed: null })),
    ],
  },
  {
    id: 'R3',
    safeguard: 'only an offer to restore is answered unasked',
    run: 'a hostile agent and two commands',
    change: believes('isRestorable', (context) => ({
      ...context,
      shared: { ...context.shared, phase: { ...context.shared.phase, restore: true } as Phase },
    })),
  },
  {
    id: 'R4',
    safeguard: 'a restore asks only what the window holds',
    scenarios: ['CE-10'],
    run: 'a command from silence',
    change: believes('isRestorable', (context) => ({ ...context, window: mostOffered(context) })),
  },
  {
    id: 'R5',
    safeguard: 'the window ends',
    scenarios: ['CE-10'],
    run: 'a fault during a call',
    change: knows(['window.closed'], (_next, context) => context),
  },
  {
    id: 'R6',
    safeguard: "the window opens by the other's absence alone",
    run: 'a fault during a call',
    change: absorbs((real) => (context, event) => {
      const next = real(context, event)
      const isNews = 'shared' in event && event.type !== 'log.slotLost' && event.type !== 'log.closed'
      return isNews
        ? { ...next, window: real(context, { type: 'log.partyChanged', shared: event.shared }).window }
        : next
    }),
  },
  {
    id: 'R7',
    safeguard: 'the window ends with the slot',
    run: 'a hostile agent and an absence',
    change: knows(LEFT, (next, { window }) => ({ ...next, window })),
  },
  {
    id: 'R8',
    safeguard: 'a lost slot settles an offer with left',
    scenarios: ['CE-23', 'CE-24'],
    run: 'a command and a fault',
    change: unsettled(LEFT),
  },
  {
    id: 'R9',
    safeguard: 'the absence of the other settles what it ended',
    run: 'a hostile agent and two commands',
    change: unsettled(['log.partyChanged']),
  },
  {
    id: 'R11',
    safeguard: 'a broken engine settles an own offer',
    scenarios: ['CE-24', 'D3'],
    run: 'a hostile agent and an engine',
    change: unsettled(['engine.broke']),
  },
  {
    id: 'R12',
    safeguard: 'an entry settles only the offer that it is about',
    run: 'a command from silence',
    change: absorbs(
      (real) => (context, event) =>
        real(
          context,
          context.own &&
            (event.type === 'log.offering' || event.type === 'log.transiting' || event.type === 'log.voided')
            ? { ...event, id: context.own.id }
            : event,
        ),
    ),
  },
  {
    id: 'R13',
    safeguard: 'a fact settles only the offer that it is about',
    run: 'a hostile agent and a command',
    change: absorbs((real) => (context, event) => {
      const { own } = context
      if (
        !own ||
        !(event.type === 'log.committed' || event.type === 'log.ended' || event.type === 'engine.failed')
      )
        return real(context, event)
      const next = real({ ...context, own: { ...own, ref: event.ref } }, event)
      return { ...next, own: next.own && { ...next.own, ref: own.ref } }
    }),
  },
  {
    id: 'R14',
    safeguard: 'engines whose state is uncertain are undone',
    run: 'a hostile agent and an engine',
    change: believes('differs', (context) => ({
      ...context,
      engines: context.engines ?? context.shared.media,
    })),
  },
  {
    id: 'R15',
    safeguard: 'E4: engines that carry something else are undone',
    scenarios: ['CE-15', 'CE-18'],
    run: 'a fault during a call',
    change: believes('differs', (context) => ({
      ...context,
      engines: context.engines && context.shared.media,
    })),
  },
  {
    id: 'R16',
    safeguard: 'what was prepared in vain is given back',
    run: 'a command from silence',
    change: believes('differs', (context) => ({ ...context, prepared: [] })),
  },
  {
    id: 'R17',
    safeguard: 'an offer of the other that came first wins over one that is being prepared',
    run: 'two commands and a timer',
    change: knows(['engine.prepared'], (_next, context) => context),
  },
  {
    id: 'R18',
    safeguard: 'the first outcome counts',
    run: 'a hostile agent and two commands',
    change: absorbs((real) => (context, event) => {
      const { own } = context
      const next = real(context, event)
      const again = own && real({ ...context, own: { ...own, outcome: null } }, event).own
      return next.own && again?.outcome ? { ...next, own: { ...next.own, outcome: again.outcome } } : next
    }),
  },
  {
    id: 'R19',
    safeguard: 'a failure is remembered until the log knows it',
    run: 'a lost capture and a fault',
    change: knows(['engine.failed'], (next, { failed }) => ({ ...next, failed })),
  },
  {
    id: 'R20',
    safeguard: 'engines are known again after an undo',
    run: 'a fault during a call',
    change: knows(['engine.undone'], (next, { engines }) => ({ ...next, engines })),
  },
  {
    id: 'R21',
    safeguard: 'an offer that is settled is not unread',
    run: 'a hostile agent and two commands',
    change: [...believes('isUnread', unsettledOwn), ...believes('differs', unsettledOwn)],
  },
  {
    id: 'R22',
    safeguard: 'a capture that ended is turned off for the remote',
    run: 'a fault during a call',
    change: rule('mustSendLess', () => () => false),
  },
  {
    id: 'R23',
    safeguard: 'what is on is not prepared again',
    run: 'a hostile agent and two commands',
    change: rule(
      'missing',
      (real) => (context, wanted) =>
        real({ ...context, shared: { ...context.shared, media: NOTHING } }, wanted),
    ),
  },
  {
    id: 'R24',
    safeguard: 'what ran while an engine broke is uncertain',
    run: 'a hostile agent and an engine',
    change: absorbs(
      (real) => (context, event) =>
        real(context, event.type === 'engine.broke' ? { ...event, uncertain: false } : event),
    ),
  },
  {
    id: 'R25',
    safeguard: 'a lost capture is turned off once, not for ever',
    run: 'a fault during a call',
    change: absorbs((real) => (context, event) => ({
      ...real(context, event),
      lostCaptures: real({ ...context, own: null }, event).lostCaptures,
    })),
  },
]
