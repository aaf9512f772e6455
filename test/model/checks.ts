/** What must hold in every world, and in every world where nothing is left to happen. */
import { publicState } from './world.ts'
import type { Page, Production, World } from './world.ts'

/** The first invariant that a world breaks, or null. */
export function brokenBy(production: Production, world: World): string | null {
  if (world.fault) return world.fault
  for (const page of world.pages) {
    if (!page.alive) continue
    const fault = promiseFault(page) ?? oracleFault(production, page)
    if (fault) return fault
  }
  return mirrorFault(production, world)
}

/** I1: the folds of both sides are mirror images. */
function mirrorFault({ protocol: { algebra } }: Production, { head }: World): string | null {
  const same = head.visitor.phase.name === head.agent.phase.name && algebra.sameMedia(algebra.swap(head.visitor.media), head.agent.media)
  return same ? null : 'I1 the folds are not mirror images'
}

/** I3: a Promise is pending exactly while its party is offering, or transiting for it. */
function promiseFault(page: Page): string | null {
  const { own } = page.snapshot.context
  const state = publicState(page)
  const waits = own !== null && !own.id.startsWith(page.session)
  if (waits !== page.pending.length > 0) return `I3 ${page.session} has ${page.pending.length} pending offers, but its machine ${waits ? 'has one' : 'has none'}`
  if (waits && state !== 'offering' && state !== 'transiting') return `I3 ${page.session} is ${state} with an offer pending`
  return null
}

/** The public state as it can be derived from what is known, first that fits. */
export function oracle({ protocol: { algebra } }: Production, page: Page): string {
  const { context, value } = page.snapshot
  const { shared, own, engines, failed } = context
  const { phase } = shared
  const announcing = typeof value === 'object' && 'init' in value && (value.init === 'announcing' || value.init === 'reannouncing')
  if (shared.session[page.slot] !== page.session || announcing) return 'init'
  const unread = own !== null && own.ref === null && own.outcome === null
  if (unread || (phase.name === 'offered' && phase.by === page.slot)) return 'offering'
  const differs = engines === null || !algebra.sameMedia(engines, shared.media)
  if (page.operation !== null || differs || phase.name === 'transiting' || own?.outcome || failed === 0) return 'transiting'
  if (phase.name === 'offered') return page.asked === phase.ref ? 'offered' : 'transiting'
  return 'idle'
}

function oracleFault(production: Production, page: Page): string | null {
  const [is, should] = [publicState(page), oracle(production, page)]
  return is === should ? null : `oracle: ${page.session} is ${is}, should be ${should} (${JSON.stringify(page.snapshot.value)})`
}

/** I2 and I5: when nothing is left to happen, everybody is idle and quiet, and engines carry what the contact says. */
export function unfinished({ protocol: { algebra } }: Production, world: World): string | null {
  for (const page of world.pages) {
    if (!page.alive) continue
    const { value, context } = page.snapshot
    const holds = world.head[page.slot].session[page.slot] === page.session
    const follows = typeof value === 'object' && 'init' in value && value.init === 'following'
    if (page.pending.length > 0) return `I2 ${page.session} still has an offer pending in ${JSON.stringify(value)}`
    if (holds ? publicState(page) !== 'idle' : !follows) return `I2 ${page.session} stays in ${JSON.stringify(value)}`
    if (!holds && world.head[page.slot].session[page.slot] === null) return `I2 nobody lives in the slot of ${page.session}`
    if (holds && !algebra.sameMedia(remote(page.carried), remote(context.shared.media))) return `I5 the engines of ${page.session} carry something else than the contact's media`
  }
  return world.head.visitor.phase.name === 'idle' ? null : 'I2 the phase never ends'
}

const remote = (media: Page['carried']): Page['carried'] => {
  const { Sharing: _local, ...rest } = media
  return Object.fromEntries(Object.entries(rest).filter(([, details]) => details?.engine !== 'Native')) as unknown as Page['carried']
}
