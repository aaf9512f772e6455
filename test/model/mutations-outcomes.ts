import { isOffering, isUnread, mayWork, transmissions } from '../../machines/media/media.rules.ts'
import { otherSlot } from '../../protocol/index.ts'
import { NOTHING, absorbs, believes, gives, knows, rule, unsettled } from './absorbing.ts'
import type { Mutation } from './mutations.ts'

/** What the machine knows: how offers end, captures, and what stays prepared. */
export const OUTCOMES: readonly Mutation[] = [
  {
    id: 'R10',
    safeguard: 'an absence that leaves the own offer standing does not settle it',
    run: 'a hostile agent and two commands',
    change: absorbs((real) => (context, event) => {
      if (event.type !== 'log.partyChanged') return real(context, event)
      const { shared } = event
      return { ...real(context, { ...event, shared: { ...shared, phase: { name: 'idle' } } }), shared }
    }),
  },
  {
    id: 'R26',
    safeguard: 'an own direct change learns its number',
    run: 'a fault during a call',
    change: knows(['log.transiting'], (next, { own }) => ({ ...next, own })),
  },
  {
    id: 'R27',
    safeguard: 'an own offer learns its number',
    run: 'a fault during a call',
    change: knows(['log.offering'], (next, { own }) => ({ ...next, own })),
  },
  {
    id: 'R28',
    safeguard: 'an own entry that is void settles its offer',
    run: 'a hostile agent and two commands',
    change: unsettled(['log.voided']),
  },
  {
    id: 'R46',
    safeguard: 'an offer that was taken back before it is read void ends as its user or its lifetime said',
    run: 'a hostile agent and two commands',
    change: absorbs((real) => (context, event) => {
      const next = real(
        event.type === 'log.voided'
          ? { ...context, own: context.own && { ...context.own, cancel: null } }
          : context,
        event,
      )
      return event.type === 'log.voided'
        ? { ...next, own: next.own && { ...next.own, cancel: context.own?.cancel ?? null } }
        : next
    }),
  },
  {
    id: 'R29',
    safeguard: 'a commit settles the offer',
    run: 'a fault during a call',
    change: unsettled(['log.committed']),
  },
  {
    id: 'R30',
    safeguard: 'what another tab transmitted does not come back here unasked',
    run: 'another tab and a restore',
    change: absorbs((real) => (context, event) => {
      const { slot, session, shared } = context
      return { ...real({ ...context, session: shared.session[slot] ?? session }, event), session }
    }),
  },
  {
    id: 'R31',
    safeguard: 'what the own user is about to turn off does not come back unasked',
    run: 'a hostile agent and a command',
    change: absorbs((real) => (context, event) => ({
      ...real(context, event),
      window: real({ ...context, own: null }, event).window,
    })),
  },
  {
    id: 'R32',
    safeguard: 'the end of a phase settles the offer',
    run: 'a fault during a call',
    change: unsettled(['log.ended']),
  },
  {
    id: 'R33',
    safeguard: 'who has lost an engine has not left',
    run: 'a hostile agent and two commands',
    change: absorbs((real) => (context, event) => {
      const { session } = context.shared
      const other = { ...session, [otherSlot(context.slot)]: 'another' }
      return real(
        event.type === 'log.partyChanged'
          ? { ...context, shared: { ...context.shared, session: other } }
          : context,
        event,
      )
    }),
  },
  {
    id: 'R34',
    safeguard: 'a new capture is not turned off for an old one',
    run: 'two commands and an engine during a call',
    change: absorbs((real) => (context, event) => {
      const next = real(context, event)
      const isSettled = next.own?.outcome !== context.own?.outcome
      return 'shared' in event && !isSettled ? { ...next, lostCaptures: context.lostCaptures } : next
    }),
  },
  {
    id: 'R35',
    safeguard: 'a capture that ends while its transmission comes on is remembered',
    run: 'a lost capture and a fault',
    change: absorbs((real) => (context, event) => {
      const next = real(context, event)
      return 'shared' in event
        ? {
            ...next,
            lostCaptures: next.lostCaptures.filter((medium) => event.shared.media[medium]?.tx === true),
          }
        : next
    }),
  },
  {
    id: 'R36',
    safeguard: 'an offer that the service refuses settles with its code',
    run: 'two faults during a call',
    change: unsettled(['log.refused']),
  },
  {
    id: 'R37',
    safeguard: 'an offer whose device is denied settles with its code',
    run: 'a lost capture and a fault',
    change: unsettled(['engine.unprepared']),
  },
  {
    id: 'R38',
    safeguard: 'engines that have worked carry the target',
    run: 'a fault during a call',
    change: knows(['engine.worked'], (_next, context) => context),
  },
  {
    id: 'R39',
    safeguard: "a failure here is not the remote's",
    run: 'a fault during a call',
    change: absorbs((real) => (context, event) => {
      if (event.type !== 'log.ended' || event.ending.kind !== 'failed') return real(context, event)
      return real(context, { ...event, ending: { ...event.ending, by: otherSlot(context.slot) } })
    }),
  },
  {
    id: 'R40',
    safeguard: 'what an unread offer needs stays prepared',
    run: 'a hostile agent and two commands',
    change: gives((context) => isUnread(context) && !isOffering(context) && !mayWork(context)),
  },
  {
    id: 'R41',
    safeguard: 'what a standing offer needs stays prepared',
    run: 'another tab and a restore',
    change: gives((context) => isOffering(context) && !isUnread(context) && !mayWork(context)),
  },
  {
    id: 'R42',
    safeguard: 'what a transition needs stays prepared',
    run: 'a fault during a call',
    change: gives((context) => mayWork(context) && !isUnread(context) && !isOffering(context)),
  },
  {
    id: 'R43',
    safeguard: 'what needs no device is not prepared',
    run: 'a command from silence',
    change: rule(
      'missing',
      () =>
        ({ shared: { media } }, wanted) =>
          transmissions(wanted).filter((one) => !transmissions(media).includes(one)),
    ),
  },
  {
    id: 'R44',
    safeguard: 'a restore may ask for what runs',
    run: 'a hostile agent and two commands',
    change: believes('isRestorable', (context) => ({
      ...context,
      shared: { ...context.shared, media: NOTHING },
    })),
  },
  {
    id: 'R45',
    safeguard: 'a capture that ended is remembered',
    run: 'a fault during a call',
    change: knows(['capture.ended'], (_next, context) => context),
  },
]
