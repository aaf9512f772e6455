import { transmissions } from '../../machines/media/media.rules.ts'
import type { MediaContext, MediaEvent, OwnOffer } from '../../machines/index.ts'
import { algebra } from '../../protocol/index.ts'
import type { Entry } from '../../protocol/index.ts'
import { NOTHING, believes, rule } from './absorbing.ts'
import { commands, does, emits, leavesOut, reads, says, sets, takesFor } from './doing.ts'
import type { Mutation } from './mutations.ts'
import type { Replacement } from './replace.ts'

type Change = readonly Replacement[]

const { holdsOf } = algebra
const mostOffered = ({ shared: { phase } }: MediaContext): string[] =>
  phase.name === 'offered' ? transmissions(algebra.mostOf(phase.offer)) : []
const saying = (
  { id, offer, restore }: Extract<MediaEvent, { type: 'media.offer' }>,
  lifetime: number,
): OwnOffer => ({
  id,
  entry: { type: 'offer', body: { offer, restore, lifetime } },
  ref: null,
  cancel: null,
  outcome: null,
})

/** Consents are needed as in another context. */
const forgets = (instead: (context: MediaContext) => MediaContext): Change => [
  ...rule('neededConsent', (real) => (context) => real(instead(context))),
  ...rule('mustSettle', (real) => (context) => real(context) || real(instead(context))),
]
const overFor = (context: MediaContext): MediaContext => ({
  ...context,
  own: context.own && { ...context.own, outcome: context.own.outcome ?? { ok: true, answer: null } },
})

/** What the machine does, and what entries mean to it. */
export const ACTIONS: readonly Mutation[] = [
  {
    id: 'C14',
    safeguard: 'consent to an open offer outlives other news',
    run: 'another tab and a restore',
    change: forgets((context) => (context.own?.outcome ? context : { ...context, own: null })),
  },
  {
    id: 'C1',
    safeguard: 'consent ends with what it was given for',
    run: 'a log that lies',
    change: [
      ...rule('neededConsent', () => ({ consent }) => [...consent]),
      ...rule(
        'mustSettle',
        () =>
          ({ own }) =>
            Boolean(own?.outcome),
      ),
    ],
  },
  {
    id: 'C2',
    safeguard: 'the window ends when the own user hangs up',
    scenarios: ['CE-10'],
    run: 'a hostile agent and a command',
    change: sets('begin', ({ window }) => ({ window })),
  },
  {
    id: 'C3',
    safeguard: 'present holds what the engines carry, never what one wishes',
    scenarios: ['CE-18'],
    run: 'a fault during a call',
    change: says('announce', 'present', (body, { shared }) => ({ ...body, media: holdsOf(shared.media) })),
  },
  {
    id: 'C4',
    safeguard: 'present follows the session that holds the slot',
    run: 'a fault during a call',
    change: says('announce', 'present', (body) => ({ ...body, after: null })),
  },
  {
    id: 'C5',
    safeguard: 'C6: what was taken back before it stood is withdrawn',
    scenarios: ['D7'],
    run: 'a hostile agent and two commands',
    change: does('withdrawLate', () => () => ({})),
  },
  {
    id: 'C6',
    safeguard: 'C6: a cancel waits for the log',
    scenarios: ['D7'],
    run: 'a fault during a call',
    change: does('withdraw', (real) => (context, event, reason) => {
      const { own } = context
      return own && own.ref === null && own.cancel === null
        ? { context: { own: { ...own, outcome: { ok: false, code: reason } } } }
        : real(context, event, reason)
    }),
  },
  {
    id: 'C7',
    safeguard: 'an offer is taken back once',
    run: 'a hostile agent and two commands',
    change: does(
      'withdraw',
      (real) => (context, event, reason) =>
        real({ ...context, own: context.own && { ...context.own, cancel: null } }, event, reason),
    ),
  },
  {
    id: 'C8',
    safeguard: 'a page without its slot carries nothing',
    run: 'another page with the call',
    change: commands('undo', 'engine.undo', (command, { shared }) => ({ ...command, to: shared.media })),
  },
  {
    id: 'C9',
    safeguard: 'engines at work are uncertain',
    run: 'a command and a fault',
    change: sets('startTransition', ({ engines }) => ({ engines })),
  },
  {
    id: 'C10',
    safeguard: 'a transition that took too long is given up',
    run: 'a fault during a call',
    change: does('giveUp', () => () => ({})),
  },
  {
    id: 'C12',
    safeguard: 'only an offer whose outcome is known is settled',
    run: 'a fault during a call',
    change: [
      ...does('settle', (real) => (context, event, params) => real(overFor(context), event, params)),
      ...believes('mustSettle', overFor),
    ],
  },
  {
    id: 'X1',
    safeguard: 'a void entry concerns its author alone',
    run: 'a fault during a call',
    change: reads((real) => (reading, me) => {
      const { entry, fact, shared } = reading
      return fact.kind === 'void'
        ? { type: 'log.voided', id: entry.id, reason: fact.reason, shared }
        : real(reading, me)
    }),
  },
  {
    id: 'X2',
    safeguard: 'C4: who loses the slot to another session knows it',
    scenarios: ['CE-23'],
    run: 'a fault during a call',
    change: takesFor('present', 'log.slotLost', () => 'log.partyChanged'),
  },
  {
    id: 'X3',
    safeguard: 'who is declared absent knows it',
    scenarios: ['D5'],
    run: 'a fault during a call',
    change: takesFor('absent', 'log.slotLost', () => 'log.slotFreed'),
  },
  {
    id: 'X4',
    safeguard: 'a contact that is over for a party stays so',
    run: 'a fault during a call',
    change: reads(
      (real) => (reading, me) => real({ ...reading, entry: { ...reading.entry, type: 'left' } as Entry }, me),
    ),
  },
  {
    id: 'C15',
    safeguard: 'the application is told how media change',
    run: 'a fault during a call',
    change: emits('applyEvent', ({ type }) => type !== 'media.changed'),
  },
  {
    id: 'C16',
    safeguard: 'the window has a limit',
    run: 'a fault during a call',
    change: leavesOut('applyEvent', 'window'),
  },
  {
    id: 'C17',
    safeguard: 'consent to a transition outlives other news',
    run: 'a fault during a call',
    change: forgets((context) => ({
      ...context,
      shared: { ...context.shared, phase: { name: 'idle' } },
    })),
  },
  {
    id: 'C19',
    safeguard: 'consent lasts as long as what runs',
    run: 'a fault during a call',
    change: forgets((context) => ({ ...context, shared: { ...context.shared, media: NOTHING } })),
  },
  {
    id: 'C20',
    safeguard: 'who announces again holds what its engines still carry',
    run: 'a fault during a call',
    change: says('announce', 'present', (body, { shared }, event) =>
      event.type === 'engine.broke' ? { ...body, media: holdsOf(shared.media) } : body,
    ),
  },
  {
    id: 'C21',
    safeguard: 'an own restore leaves the window open',
    run: 'a hostile agent and a command',
    change: sets('begin', () => ({ window: [] })),
  },
  {
    id: 'C22',
    safeguard: 'an own offer is consent',
    run: 'a fault during a call',
    change: sets('begin', ({ consent }) => ({ consent })),
  },
  {
    id: 'C23',
    safeguard: 'an answer is consent',
    run: 'a fault during a call',
    change: [
      ...sets('answer', ({ consent }) => ({ consent })),
      ...sets('restore', ({ consent }) => ({ consent })),
    ],
  },
  {
    id: 'C31',
    safeguard: 'an answer is consent to what it gives, not to what was offered',
    run: 'a log that lies about an answer',
    change: sets('answer', (context, event) =>
      event.type === 'media.answer' ? { consent: [...context.consent, ...mostOffered(context)] } : {},
    ),
  },
  {
    id: 'C32',
    safeguard: 'an offer says how long it stands',
    run: 'a command from silence',
    change: sets('begin', ({ offerLifetime }, event) =>
      event.type === 'media.offer' ? { own: saying(event, offerLifetime + 1) } : {},
    ),
  },
  {
    id: 'C24',
    safeguard: 'what was acquired for an offer that lost is given back',
    run: 'a hostile agent and an engine',
    change: sets('startTransition', () => ({ prepared: [] })),
  },
  {
    id: 'C25',
    safeguard: 'the engines know who offered',
    run: 'a fault during a call',
    change: commands('startTransition', 'engine.work', (command) => ({ ...command, wasOffered: false })),
  },
  {
    id: 'C26',
    safeguard: 'the engines know what is restored',
    run: 'a command from silence',
    change: commands('startTransition', 'engine.work', (command) => ({ ...command, restore: false })),
  },
  {
    id: 'C27',
    safeguard: 'who leaves stops its engines',
    run: 'two faults during a call',
    change: leavesOut('close', 'engines'),
  },
  {
    id: 'C28',
    safeguard: 'nothing runs on after leaving',
    run: 'two faults during a call',
    change: leavesOut('close', 'window'),
  },
  {
    id: 'C29',
    safeguard: 'the application is told that leaving turns media off',
    run: 'a fault during a call',
    change: leavesOut('close', 'emit'),
  },
  {
    id: 'C30',
    safeguard: 'what engines carry that go back is uncertain',
    run: 'a refusal while the engines go back',
    change: sets('undo', ({ engines }) => ({ engines })),
  },
  {
    id: 'X5',
    safeguard: 'who enters the slot knows it',
    run: 'two pages open',
    change: takesFor('present', 'log.slotHeld', (held) => (held ? 'log.slotLost' : 'log.partyChanged')),
  },
  {
    id: 'X6',
    safeguard: "the other's absence is not the own",
    run: 'a fault during a call',
    change: takesFor('absent', 'log.partyChanged', (held) => (held ? 'log.slotLost' : 'log.slotFreed')),
  },
]
