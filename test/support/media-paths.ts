/**
 * Shortest ways of two parties to each event that one of them gets in each state of its media machine, found
 * with `xstate/graph`.
 */
import { fromTransition } from 'xstate'
import { getShortestPaths } from 'xstate/graph'
import * as machines from '../../machines/index.ts'
import * as protocol from '../../protocol/index.ts'
import * as production from '../model/production.ts'
import { publicState } from '../model/local.ts'
import type { Local } from '../model/local.ts'
import { STARTS } from '../model/starts.ts'
import type { Start } from '../model/starts.ts'
import { stepsOf } from '../model/steps.ts'
import type { Step } from '../model/step.ts'
import { placeAt } from '../model/places.ts'
import { Model } from '../model/world.ts'
import type { World } from '../model/places.ts'

/** The party that is looked at, and the one that it talks to. */
export const ME = 'visitor0'
export const OTHER = 'agent0'

/** What a step must have brought about, so far as it can be seen from outside. */
export interface Seen {
  readonly state: string
  readonly media: protocol.MediaState
}

export interface PathStep {
  readonly who: string
  readonly name: string
  /** Which of the timers that run for the same time. */
  readonly nth: number
  readonly me: Seen | null
  readonly other: Seen | null
  /** Promises that it settled, each with its outcome. */
  readonly settled: readonly string[]
}

export interface Path {
  /** State that the event comes in, and its type. */
  readonly state: string
  readonly event: string
  readonly start: Start
  readonly steps: readonly PathStep[]
}

/** Where a search begins, and the steps that it leaves out, so that it ends soon. */
interface Search {
  readonly start: Start
  readonly without: RegExp
  readonly commands: number
  readonly hurries: number
}

/**
 * What no search takes: causes that the service in memory does not have, and what the SDK refuses before its
 * machine hears of it.
 */
const NEVER =
  /freezes|is closed|refuses|to restore|agent0 (leaves|gets|is cut off|engine (hangs|is denied|fails for good|breaks while|loses|cannot)|time|app (turns|stops|speaks|answers beyond)|is absent)|transferred|cleared|visitor1 (app|engine|gets|is cut off|leaves)|^visitor opens|visitor0 gets a second tab|told|takes everything over|telephone|second engine/
const OWN_FAULTS = /visitor0 engine (hangs|fails|breaks|is denied|loses|cannot)/
const TABS = /second tab|is absent/
const SEARCHES: readonly Search[] = [
  { start: 'idle', without: TABS, commands: 2, hurries: 1 },
  { start: 'talking', without: TABS, commands: 2, hurries: 1 },
  { start: 'idle', without: OWN_FAULTS, commands: 1, hurries: 0 },
  { start: 'talking', without: new RegExp(`${OWN_FAULTS.source}|is absent`), commands: 1, hurries: 0 },
]

const leafOf = ({ snapshot: { value } }: Local): string =>
  typeof value === 'string'
    ? value
    : Object.entries(value)
        .map(([state, substate]) => `${state}.${substate}`)
        .join()

const localOf = (world: World, session: string): Local | null => {
  const place = world.places.find(({ page }) => page.local.session === session)
  return place && place.page.local.life === 'live' ? place.page.local : null
}

/** Type of the event that a step brings to a page's machine; null for none. */
function eventOf(model: Model, world: World, { who, name }: Step): string | null {
  const index = world.places.findIndex(({ page }) => page.local.session === who)
  if (index < 0) return null
  const { page, read } = placeAt(world, index)
  const { local } = page
  if (name === 'leaves') return 'contact.leave'
  if (name.startsWith('reads ')) {
    const entry = world.tail[read]?.entry
    if (!entry) return null
    const { state, fact } = protocol.fold(local.shared, entry)
    return machines.mediaFact({ before: local.shared, entry, fact, shared: state }, local)?.type ?? null
  }
  return (
    model.pages
      .options(page, model.freeName(world, placeAt(world, index)))
      .find((option) => option.name === name)?.event?.type ?? null
  )
}

const ownOf = ({ snapshot: { context } }: Local): string =>
  context.own
    ? `${context.own.entry.type} ${context.own.ref === null} ${context.own.cancel} ${context.own.outcome?.ok}`
    : ''

/**
 * Most of what a later step can depend on, without names, numbers and what of the other side does not matter.
 */
const serialize = ({ head, places, tail, budget }: World): string =>
  JSON.stringify([
    budget.commands + budget.faults + budget.hurries,
    head.visitor.phase.name,
    places.map(({ page: { local }, outbox, read }) => [
      local.session,
      local.life === 'live' ? leafOf(local) : local.life,
      local.session === ME &&
        local.life === 'live' && [
          local.operation?.kind,
          local.operation?.hangs,
          ownOf(local),
          local.snapshot.context.lostCaptures.length,
          local.snapshot.context.window.length,
        ],
      outbox.map(({ letter }) => letter.type),
      tail.slice(read).map(({ entry }) => entry.type),
    ]),
  ])

/** The SDK does not let an application offer to nobody. */
const isFair = (world: World, { who, name }: Step): boolean => {
  if (!/^app (offers|turns|stops|speaks)/.test(name)) return true
  const local = localOf(world, who)
  return local !== null && local.shared.session[protocol.otherSlot(local.slot)] !== null
}

/**
 * An offer of what is on: in the model engines work for it, in the SDK they have no part in it and can do
 * nothing wrong.
 */
const isEmpty = (world: World, { who, name }: Step): boolean =>
  name === 'app offers Voice' && localOf(world, who)?.shared.media.Voice !== undefined
const BY_ENGINES = /^engine (fails|hangs|breaks while)/

/** Longer ways are not looked for. */
const DEPTH = 12
/** The last step may be whatever can happen. */
const ONE_MORE = { commands: 1, faults: 1, hurries: 1, words: 0 }

interface Deep {
  readonly world: World
  readonly depth: number
}

interface Taking {
  readonly type: string
  readonly step: Step
}

function search({ start, without, commands, hurries }: Search): Path[] {
  const model = new Model(production, {
    allows: (name) => !NEVER.test(name) && !without.test(name),
    forged: false,
    remembers: true,
  })
  const first: World = { ...STARTS[start](model), budget: { commands, faults: 1, hurries, words: 0 } }
  const events = (world: World): Taking[] =>
    stepsOf(model, world).flatMap((step) =>
      isFair(world, step) && !NEVER.test(`${step.who} ${step.name}`)
        ? [{ type: `${step.who} ${step.name}`, step }]
        : [],
    )
  const logic = fromTransition<Deep, Taking, never, unknown>(
    ({ depth }, { step }) => ({ world: step.take().world, depth: depth + 1 }),
    { world: first, depth: 0 },
  )
  const paths = getShortestPaths(logic, {
    events: ({ context: { world } }) => events(world),
    serializeState: ({ context: { world } }) => serialize(world),
    serializeEvent: ({ type }) => type,
    stopWhen: ({ context: { depth } }) => depth >= DEPTH,
  })
  const found = new Map<string, Path>()
  for (const { state, steps } of paths.toSorted((a, b) => a.weight - b.weight)) {
    const { world } = state.context
    const me = localOf(world, ME)
    if (!me) continue
    for (const { type, step } of events({ ...world, budget: ONE_MORE })) {
      const event = step.who === ME ? eventOf(model, world, step) : null
      if (event === null || found.has(`${leafOf(me)} ${event}`)) continue
      const path = followed(model, {
        start,
        names: [...steps.flatMap((one) => ('step' in one.event ? [one.event.type] : [])), type],
      })
      if (path?.state === leafOf(me) && path.event === event) found.set(`${path.state} ${event}`, path)
    }
  }
  return [...found.values()]
}

/**
 * The path in full; null where a step is not possible: situations that look alike may differ in what was left
 * out.
 */
function followed(
  model: Model,
  { start, names }: { readonly start: Start; readonly names: readonly string[] },
): Path | null {
  let world: World = { ...STARTS[start](model), budget: { commands: 9, faults: 9, hurries: 9, words: 0 } }
  let [state, event]: [string, string] = ['', '']
  const taken: PathStep[] = []
  let empty = false
  for (const name of names) {
    const step = stepsOf(model, world).find((one) => `${one.who} ${one.name}` === name)
    const me = localOf(world, ME)
    if (!step || !me || (empty && BY_ENGINES.test(step.name))) return null
    empty ||= isEmpty(world, step)
    ;[state, event] = [leafOf(me), eventOf(model, world, step) ?? '']
    const { world: after, settled = [] } = step.take()
    taken.push({
      who: step.who,
      name: step.name,
      nth: timerOf(world, step),
      me: seen(after, ME),
      other: seen(after, OTHER),
      settled,
    })
    world = after
  }
  return empty && state === 'transiting.working' ? null : { state, event, start, steps: taken }
}

const seen = (world: World, session: string): Seen | null => {
  const local = localOf(world, session)
  return local && { state: publicState(local), media: local.snapshot.context.shared.media }
}

/** Time that a limit runs for. */
export const LIMIT_MS = (name: string): number =>
  name.includes('answerLimit') ? 65_000 : name.includes('transitionLimit') ? 30_000 : 60_000

/** Place of a timer among those that run for the same time. */
function timerOf(world: World, { who, name }: Step): number {
  if (!name.startsWith('time ')) return 0
  const timers = localOf(world, who)?.timers ?? []
  const alike = timers.filter((timer) => LIMIT_MS(timer) === LIMIT_MS(name))
  return Math.max(
    0,
    alike.findIndex(
      (timer) => timer.replace('xstate.after.', '').replace('.media', ' in ') === name.slice('time '.length),
    ),
  )
}

/** The shortest way to each event in each state. */
export function mediaPaths(): Path[] {
  const shortest = new Map<string, Path>()
  for (const path of SEARCHES.flatMap(search)) {
    const key = `${path.state} ${path.event}`
    const known = shortest.get(key)
    if (!known || path.steps.length < known.steps.length) shortest.set(key, path)
  }
  return [...shortest.values()]
}
