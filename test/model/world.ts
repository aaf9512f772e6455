/** The world that the checker explores: the log, the pages with their production machines, their outboxes and engines. Plain data but for the snapshots. */
import { initialTransition, transition } from 'xstate'
import type { EngineCommand, MediaEmitted, MediaEvent, MediaSnapshot, WriteCommand } from '../../machines/index.ts'
import type { Entry, Letter, MediaState, SharedState, Slot } from '../../protocol/index.ts'

/** The modules under test: the checker runs them from the tree, or from a copy with a safeguard removed. */
export interface Production {
  readonly machines: Pick<typeof import('../../machines/index.ts'), 'mediaMachine' | 'mediaFact'>
  readonly protocol: Pick<typeof import('../../protocol/index.ts'), 'fold' | 'initialSharedState' | 'algebra' | 'otherSlot'>
}

export type Operation = { readonly kind: 'work'; readonly ref: number; readonly to: MediaState } | { readonly kind: 'undo'; readonly to: MediaState } | { readonly kind: 'prepare' }

/** One page life of a party. */
export interface Page {
  readonly slot: Slot
  readonly session: string
  readonly alive: boolean
  readonly snapshot: MediaSnapshot
  /** Entries written and not yet in the log. */
  readonly outbox: readonly Letter[]
  /** Entries of the log read. */
  readonly read: number
  readonly shared: SharedState
  /** Types of the delayed events that are armed. */
  readonly timers: readonly string[]
  readonly operation: Operation | null
  readonly carried: MediaState
  /** Offers whose Promise is pending. */
  readonly pending: readonly string[]
  /** Offer that the application has been asked about. */
  readonly asked: number | null
  /** Own transmissions that this side has agreed to, as the checker reckons. */
  readonly agreed: readonly string[]
  readonly window: readonly string[]
}

export interface Budget {
  readonly commands: number
  readonly faults: number
  /** Timers that fire while something else could still happen. */
  readonly hurries: number
}

export interface World {
  readonly log: readonly Entry[]
  /** The folds at the end of the log. */
  readonly head: Readonly<Record<Slot, SharedState>>
  readonly pages: readonly Page[]
  readonly budget: Budget
  readonly fault: string | null
}

export interface Step {
  readonly name: string
  readonly world: World
  /** It needs no decision of a user and no fault: in a fair run it happens. */
  readonly progress: boolean
}

export const publicState = ({ snapshot: { value } }: Page): string => (typeof value === 'string' ? value : (Object.keys(value)[0] ?? ''))

export const createWorld = ({ protocol }: Production, budget: Budget): World => ({
  log: [],
  head: { visitor: protocol.initialSharedState('visitor'), agent: protocol.initialSharedState('agent') },
  pages: [],
  budget,
  fault: null,
})

/** A new page of a party: it reads the whole log, then announces itself. */
export function openPage(production: Production, world: World, slot: Slot): World {
  const session = `${slot}${world.pages.length}`
  const shared = world.head[slot]
  const [snapshot, actions] = initialTransition(production.machines.mediaMachine, { slot, session, capabilities: { Media: {}, Mobile: false }, shared })
  const off = { Sharing: { tx: false, rx: false } }
  const page: Page = { slot, session, alive: true, snapshot, outbox: [], read: world.log.length, shared, timers: [], operation: null, carried: off, pending: [], asked: null, agreed: [], window: [] }
  const opened = { ...world, pages: [...world.pages, page] }
  return carryOut(production, opened, world.pages.length, snapshot, actions)
}

/** Sends an event to a page's machine and carries out what it asks for. */
export function send(production: Production, world: World, index: number, event: MediaEvent | { readonly type: string }): World {
  const page = pageAt(world, index)
  const [snapshot, actions] = transition(production.machines.mediaMachine, page.snapshot, event as MediaEvent)
  return carryOut(production, world, index, snapshot, actions)
}

export const pageAt = (world: World, index: number): Page => {
  const page = world.pages[index]
  if (!page) throw new Error(`there is no page ${index}`)
  return page
}

export const withPage = (world: World, index: number, change: Partial<Page>): World => ({ ...world, pages: world.pages.map((page, at) => (at === index ? { ...page, ...change } : page)) })

export const withFault = (world: World, fault: string): World => ({ ...world, fault: world.fault ?? fault })

interface Action {
  readonly type: string
  readonly params?: unknown
}

function carryOut(production: Production, world: World, index: number, snapshot: MediaSnapshot, actions: readonly Action[]): World {
  let next = withPage(world, index, { snapshot })
  for (const { type, params } of actions) {
    if (type === 'xstate.sendTo') next = sent(production, next, index, (params as { readonly event: WriteCommand | EngineCommand }).event)
    if (type === 'xstate.raise') next = armed(next, index, params as { readonly event: { readonly type: string }; readonly delay?: number })
    if (type === 'xstate.cancel') next = disarmed(next, index, String(params))
    if (type === 'xstate.emit') next = emitted(next, index, (params as { readonly event: MediaEmitted }).event)
  }
  return next
}

function armed(world: World, index: number, { event, delay }: { readonly event: { readonly type: string }; readonly delay?: number }): World {
  if (delay === undefined) return world
  const { timers } = pageAt(world, index)
  return withPage(world, index, { timers: [...timers.filter((one) => one !== event.type), event.type] })
}

const disarmed = (world: World, index: number, id: string): World => withPage(world, index, { timers: pageAt(world, index).timers.filter((one) => one !== id && !(id === 'window' && one === 'window.closed')) })

function sent(production: Production, world: World, index: number, command: WriteCommand | EngineCommand): World {
  const page = pageAt(world, index)
  switch (command.type) {
    case 'log.write':
      return withPage(world, index, { outbox: [...page.outbox, command.entry as Letter] })
    case 'engine.prepare':
      return withPage(world, index, { operation: { kind: 'prepare' } })
    case 'engine.work':
      return consented(production, withPage(world, index, { operation: { kind: 'work', ref: command.ref, to: command.to } }), index, command.to)
    case 'engine.undo':
      return consented(production, withPage(world, index, { operation: { kind: 'undo', to: command.to } }), index, command.to)
    case 'engine.stop':
      return withPage(world, index, { operation: null, carried: { Sharing: { tx: false, rx: false } } })
  }
}

/** I7: no engine ever gets a transmission that its own side has not agreed to. */
function consented(production: Production, world: World, index: number, to: MediaState): World {
  const { agreed, window, session } = pageAt(world, index)
  const missing = ownTransmissions(production, to).filter((one) => !agreed.includes(one) && !window.includes(one))
  return missing.length === 0 ? world : withFault(world, `I7 ${session} transmits ${missing.join()} without consent`)
}

/** Own transmissions over a remote. */
export const ownTransmissions = ({ protocol: { algebra } }: Production, media: Readonly<Record<string, unknown>>): string[] =>
  algebra.mediaOn(media as MediaState).filter((medium) => (media as MediaState)[medium]?.tx === true && (media as MediaState)[medium]?.engine !== 'Native')

function emitted(world: World, index: number, event: MediaEmitted): World {
  const page = pageAt(world, index)
  if (event.type === 'media.asked') {
    const { phase } = page.snapshot.context.shared
    if (phase.name !== 'offered' || phase.ref !== event.ref || phase.by === page.slot) return withFault(world, `I8 ${page.session} asks about an offer that is over`)
    return withPage(world, index, { asked: event.ref })
  }
  if (event.type === 'offer.settled' && !event.id.startsWith(page.session)) {
    if (!page.pending.includes(event.id)) return withFault(world, `I3 ${event.id} settles twice`)
    return withPage(world, index, { pending: page.pending.filter((id) => id !== event.id) })
  }
  return world
}
