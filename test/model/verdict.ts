/**
 * How an own offer has to end, reckoned from docs/negotiation.md apart from the machine: what ends it first
 * counts.
 */
import type { MediaEvent } from '../../machines/index.ts'
import type { Entry, Fact, SharedState } from '../../protocol/index.ts'
import { isIn } from './local.ts'
import type { Local } from './local.ts'

export interface Reading {
  readonly entry: Entry
  readonly fact: Fact
  readonly before: SharedState
  readonly after: SharedState
}

/**
 * The page once it is known how its own offer ends. A direct change that turns a lost capture off is `tried`
 * once.
 */
export function decided(local: Local, verdict: string | null, tried: boolean): Local {
  if (local.verdict !== null || verdict === null) return local
  const entry = local.snapshot.context.own?.entry
  const lost =
    tried && verdict !== 'ok' && entry?.type === 'direct'
      ? local.lost.filter((medium) => entry.body.target[medium]?.tx === true)
      : local.lost
  return { ...local, verdict, lost }
}

const VOID = {
  glare: 'glare',
  peer_left: 'peer_left',
  offer_required: 'offer_required',
  not_holder: 'left',
  superseded: 'left',
  over: 'invalid_state',
  other_key: 'invalid_state',
} as const

/**
 * What an entry says about the own offer: `ok`, or the code that its Promise gets. Null: it does not end it.
 */
export function verdictOfEntry(local: Local, { entry, fact, before, after }: Reading): string | null {
  const { slot, session, snapshot } = local
  const { own } = snapshot.context
  if (!own) return null
  if (entry.type === 'cleared' || (entry.type === 'transferred' && slot === 'agent')) return 'left'
  if (before.session[slot] === session && after.session[slot] !== session) return 'left'
  if (fact.kind === 'void')
    return entry.slot === slot && entry.session === session && entry.id === own.id
      ? (own.cancel ?? VOID[fact.reason])
      : null
  if (fact.kind === 'transiting' && isIn(local, 'offering', 'preparing')) return 'glare'
  if (
    own.ref === null ||
    before.phase.name === 'idle' ||
    before.phase.ref !== own.ref ||
    after.phase.name !== 'idle'
  )
    return null
  switch (fact.kind) {
    case 'committed':
      return 'ok'
    case 'ended':
      return ofEnding(fact.ending, slot)
    case 'present':
      return before.session[fact.slot] === fact.session ? 'remote_failed' : 'peer_left'
    default:
      return 'peer_left'
  }
}

function ofEnding(ending: Extract<Fact, { kind: 'ended' }>['ending'], slot: Local['slot']): string {
  switch (ending.kind) {
    case 'refused':
      return 'ok'
    case 'failed':
      return ending.by === slot ? ending.code : 'remote_failed'
    case 'withdrawn':
      return ending.reason
    default:
      return ending.kind
  }
}

/**
 * The engines take no part in the own offer, nor in anything else that is on, under way or offered. While
 * engines work or go back, nothing is known of what they carry.
 */
function areSpared({ carried, shared, snapshot }: Local, engines: readonly string[]): boolean {
  const { own, engines: known } = snapshot.context
  const parts = JSON.stringify([carried, shared.media, shared.phase, own?.entry.body])
  return known !== null && !engines.some((engine) => parts.includes(`"${engine}"`))
}

/** What an event of this page says about the own offer. */
export function verdictOfEvent(local: Local, event: MediaEvent | { readonly type: string }): string | null {
  const { own } = local.snapshot.context
  if (!own) return null
  const preparing = isIn(local, 'offering', 'preparing')
  switch (event.type) {
    case 'contact.leave':
      return 'left'
    case 'engine.broke':
      return 'engines' in event && areSpared(local, event.engines) ? null : 'engine_failed'
    case 'log.refused':
      return 'code' in event ? event.code : null
    case 'engine.failed':
      return 'code' in event && 'ref' in event && event.ref === own.ref ? event.code : null
    case 'engine.unprepared':
      return 'code' in event && preparing ? event.code : null
    case 'engine.prepared':
      return preparing && local.shared.phase.name !== 'idle' ? 'glare' : null
    case 'media.withdraw':
      return preparing ? 'withdrawn' : null
    default:
      return preparing && event.type.startsWith('xstate.after.offerLifetime') ? 'timeout' : null
  }
}
