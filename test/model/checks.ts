/** What must hold of a page after every event: I3, the oracle, and that it knows what it has read. */
import { isIn, isOwnName, publicState } from './local.ts'
import type { Local, Production } from './local.ts'

/** I3: a Promise is pending exactly while its party is offering, or transiting for it. */
export function promiseFault(local: Local): string | null {
  const { own } = local.snapshot.context
  const state = publicState(local)
  const waits = own !== null && !isOwnName(local, own.id)
  if (waits !== local.pending.length > 0)
    return `I3 ${local.session} has ${local.pending.length} pending offers, but its machine ${waits ? 'has one' : 'has none'}`
  if (waits && own.outcome && (isIn(local, 'transiting', 'working') || isIn(local, 'transiting', 'awaiting')))
    return `I3 ${local.session} works for the next transition while an offer that is over is pending`
  if (waits && state !== 'offering' && state !== 'transiting')
    return `I3 ${local.session} is ${state} with an offer pending`
  return null
}

/** The public state as it can be derived from what is known, first that fits (docs/negotiation.md). */
export function oracle({ protocol: { algebra } }: Production, local: Local): string {
  const { own, engines } = local.snapshot.context
  const { phase, media, session } = local.shared
  if (
    isIn(local, 'init', 'announcing') ||
    isIn(local, 'init', 'reannouncing') ||
    isIn(local, 'init', 'closed') ||
    session[local.slot] !== local.session
  )
    return 'init'
  const unread = own !== null && own.ref === null && own.outcome === null
  if (unread || (phase.name === 'offered' && phase.by === local.slot)) return 'offering'
  const differs = engines === null || !algebra.sameMedia(engines, media)
  if (local.operation !== null || local.blurred || differs || phase.name === 'transiting' || own?.outcome)
    return 'transiting'
  if (phase.name === 'offered') return local.asked.includes(phase.ref) ? 'offered' : 'transiting'
  return 'idle'
}

export function oracleFault(production: Production, local: Local): string | null {
  if (local.life !== 'live') return null
  const [is, should] = [publicState(local), oracle(production, local)]
  return is === should
    ? null
    : `oracle: ${local.session} is ${is}, should be ${should} (${JSON.stringify(local.snapshot.value)})`
}

/**
 * The machine knows the log as far as it was read, and what may come back unasked for no longer than a limit.
 */
export function knowledgeFault({ protocol: { algebra } }: Production, local: Local): string | null {
  const { snapshot, shared, session, timers, life } = local
  if (life !== 'live') return null
  if (isIn(local, 'init', 'closed'))
    return timers.length === 0 ? null : `leaks: ${session} is over, and ${timers.join()} runs`
  const { context } = snapshot
  if (context.shared !== shared && !algebra.sameValue(context.shared, shared))
    return `oracle: ${session} does not know what it has read`
  if (context.window.length > 0 && !timers.includes('window.closed'))
    return `I7 the window of ${session} has no limit`
  return null
}
