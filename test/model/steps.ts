/** Everything that can happen next in a world. */
import type { Entry } from '../../protocol/index.ts'
import { hostileWords } from './hostile.ts'
import type { Word } from './hostile.ts'
import { isIn } from './local.ts'
import type { Budget } from './options.ts'
import type { KnownEntry } from './shared.ts'
import { isGone, placeAt, reads } from './world.ts'
import type { Model, Place, Reached, World } from './world.ts'

export interface Step {
  /** Who does it: a session, or `service`. */
  readonly who: string
  readonly name: string
  /** It needs no decision of a user and no fault: in a fair run it happens. */
  readonly progress: boolean
  readonly cost: keyof Budget | null
  readonly take: () => Reached
}

const spend = (world: World, cost: keyof Budget | null): World =>
  cost === null ? world : { ...world, budget: { ...world.budget, [cost]: world.budget[cost] - 1 } }

export function stepsOf(model: Model, world: World): Step[] {
  const steps = world.places.flatMap((place, index) => stepsAt(model, world, place, index))
  const moving = steps.some(({ progress, cost }) => progress && cost === null)
  const possible = steps.flatMap((step) => {
    if (step.cost === 'hurries' && !moving) return [{ ...step, cost: null }]
    return step.cost === null || world.budget[step.cost] > 0
      ? [{ ...step, progress: step.progress && step.cost === null }]
      : []
  })
  return [...possible, ...arrivals(model, world), ...serviceFaults(model, world)].filter(
    ({ who, name, cost }) => cost === null || model.options.allows(`${who} ${name}`),
  )
}

function stepsAt(model: Model, world: World, place: Place, index: number): Step[] {
  switch (place.page.local.life) {
    case 'live':
      return [
        ...sending(model, world, index, true),
        ...refusing(model, world, place, index),
        ...reading(model, world, place, index),
        ...doing(model, world, place, index),
        ...telling(model, world, place, index),
        ...ending(model, world, place, index),
      ]
    case 'closed':
      return [
        ...sending(model, world, index, false),
        step(place, 'service', `${place.page.local.session} has left`, true, null, () =>
          left(model, ended(model, world, index), place),
        ),
      ]
    case 'gone':
      return [...sending(model, world, index, false), ...losing(model, world, place, index)]
    case 'hostile':
      return hostileWords(model, world, place).map((word) =>
        step(place, place.page.local.session, `writes ${word.name}`, false, 'words', () =>
          model.append(spend(world, 'words'), wordOf(model, world, word)),
        ),
      )
    case 'frozen':
      return []
  }
}

function step(
  _place: Place | null,
  who: string,
  name: string,
  progress: boolean,
  cost: keyof Budget | null,
  take: () => Reached,
): Step {
  return { who, name, progress, cost, take }
}

/** What a page that is gone had written may still come, from the front, or never. */
function losing(model: Model, world: World, place: Place, index: number): Step[] {
  if (place.outbox.length === 0) return []
  return [
    step(place, place.page.local.session, 'what it wrote is lost', false, null, () =>
      model.became(world, index, { page: place.page, letters: [], fault: null }, { outbox: [] }),
    ),
  ]
}

function sending(model: Model, world: World, index: number, progress: boolean): Step[] {
  const place = placeAt(world, index)
  const [first] = place.outbox
  return first
    ? [
        step(place, place.page.local.session, `→ ${first.letter.type}`, progress, null, () =>
          model.deliver(world, index),
        ),
      ]
    : []
}

/**
 * The service does not take an entry, and never will. A page whose first `present` is refused goes on here,
 * in the SDK its user has to join again.
 */
function refusing(model: Model, world: World, place: Place, index: number): Step[] {
  const [first, ...outbox] = place.outbox
  if (!first || world.budget.faults === 0) return []
  const { session, snapshot, succeeds, unheard } = place.page.local
  const isAwaited =
    isIn(place.page.local, 'init', 'announcing') &&
    first.letter.id === `${session}.${snapshot.context.written}`
  return [
    step(place, 'service', `refuses ${first.letter.type} of ${session}`, false, 'faults', () => {
      const result = model.pages.happen(
        place.page,
        `refused ${first.id}`,
        { succeeds: isAwaited ? null : succeeds, unheard: isAwaited || unheard },
        { type: 'log.refused', id: first.letter.id, code: 'invalid_state', reason: '' },
      )
      const page = isIn(result.page.local, 'init', 'closed')
        ? model.pages.end(result.page, 'frozen').page
        : result.page
      return model.became(
        spend(world, 'faults'),
        index,
        { ...result, page },
        { outbox: [...outbox, ...result.letters] },
      )
    }),
  ]
}

function reading(model: Model, world: World, place: Place, index: number): Step[] {
  const known = world.tail[place.read]
  if (!known || !reads(place)) return []
  const { entry } = known
  const by = entry.slot === 'service' ? '' : ` of ${entry.session}`
  return [
    step(place, place.page.local.session, `reads ${entry.type}${by}`, true, null, () =>
      model.became(world, index, model.pages.read(place.page, known), { read: place.read + 1 }),
    ),
  ]
}

/** Engines, application and timers. */
function doing(model: Model, world: World, place: Place, index: number): Step[] {
  const id = model.freeName(world, place)
  return model.pages.options(place.page, id).map(({ name, progress, cost, change, event, kind }) =>
    step(place, place.page.local.session, name, progress, cost, () => {
      // A timer that fires when nothing else can happen costs nothing.
      const free = kind === 'time' && world.budget.hurries === 0
      const before = free ? world : spend(world, cost)
      return model.became(
        before,
        index,
        model.pages.happen(place.page, kind === 'app' ? `${name} ${id}` : name, change, event),
      )
    }),
  )
}

/** The service tells a page that does not hold its slot whether the page that does is connected. */
function telling(model: Model, world: World, place: Place, index: number): Step[] {
  const { slot, session, shared, succeeds, unheard, life: own } = place.page.local
  const holder = shared.session[slot]
  if (own !== 'live' || holder === session || isIn(place.page.local, 'init', 'closed')) return []
  if (holder === null)
    return unheard && isIn(place.page.local, 'init', 'displaced')
      ? [toldOfNobody(model, world, place, index)]
      : []
  const tell = (where: 'gone' | 'here', cost: keyof Budget | null, how = ''): Step =>
    step(
      place,
      session,
      `is told${how} that ${holder} is ${where}`,
      where === 'gone' && cost === null,
      cost,
      () =>
        model.became(
          spend(world, cost),
          index,
          model.pages.happen(
            place.page,
            `${where} ${holder}`,
            { succeeds: where === 'gone' ? holder : null },
            { type: `holder.${where}` },
          ),
        ),
    )
  const isAway = isGone(world, holder)
  if (succeeds === holder) return isAway ? [] : [tell('here', null)]
  return [isAway ? tell('gone', null) : tell('gone', 'faults', ' wrongly')]
}

/**
 * A page that has lost its `present` while the slot became free hears of it when the service tells who is
 * there.
 */
const toldOfNobody = (model: Model, world: World, place: Place, index: number): Step =>
  step(place, place.page.local.session, 'is told that nobody has the slot', true, null, () =>
    model.became(
      world,
      index,
      model.pages.happen(place.page, 'here', { unheard: false }, { type: 'holder.here' }),
    ),
  )

/** A page is closed, leaves, freezes, or gets a second tab beside it. */
function ending(model: Model, world: World, place: Place, index: number): Step[] {
  const { slot, session } = place.page.local
  if (!reads(place) || world.budget.faults === 0) return []
  const less = spend(world, 'faults')
  return [
    step(place, session, 'is closed', false, 'faults', () =>
      model.became(less, index, model.pages.end(place.page, 'closed')),
    ),
    step(place, session, 'freezes', false, 'faults', () =>
      model.became(less, index, model.pages.end(place.page, 'frozen')),
    ),
    step(place, session, 'leaves', false, 'faults', () =>
      model.became(less, index, model.pages.leave(place.page)),
    ),
    ...(isIn(place.page.local, 'init', 'displaced') || tabs(world, slot) > 2
      ? []
      : [
          step(place, session, 'gets a second tab', false, 'faults', () => model.open(less, slot)),
          step(place, session, 'is cut off, and gets a second tab', false, 'faults', () =>
            model.open(less, slot, world.head.visitor.session[slot] !== null),
          ),
        ]),
  ]
}

const tabs = (world: World, slot: string): number =>
  world.places.filter(
    ({ page: { local }, outbox }) => local.slot === slot && (local.life !== 'gone' || outbox.length > 0),
  ).length

/** Somebody may come (again) where nobody lives: a reload, or the agent that a contact was transferred to. */
function arrivals(model: Model, world: World): Step[] {
  return (['visitor', 'agent'] as const).flatMap((slot) => {
    const mine = world.places.filter(({ page }) => page.local.slot === slot)
    const isEmpty =
      tabs(world, slot) < 3 &&
      mine.every(
        (place) => place.page.local.life !== 'frozen' && place.page.local.life !== 'hostile' && !reads(place),
      )
    return isEmpty ? [step(null, slot, 'opens', false, null, () => model.open(world, slot))] : []
  })
}

/**
 * The service says that a session is absent, wrongly; an agent hands the contact over; the contact is
 * cleared.
 */
function serviceFaults(model: Model, world: World): Step[] {
  if (world.budget.faults === 0) return []
  const less = spend(world, 'faults')
  const { session } = world.head.visitor
  return [
    ...world.places.flatMap((place) =>
      place.page.local.life === 'live' && session[place.page.local.slot] === place.page.local.session
        ? [
            step(place, 'service', `${place.page.local.session} is absent (wrongly)`, false, 'faults', () =>
              left(model, less, place),
            ),
          ]
        : [],
    ),
    ...(session.agent === null
      ? []
      : [
          step(null, 'service', 'transferred', false, 'faults', () =>
            model.append(less, entry(model, 'transferred')),
          ),
        ]),
    ...(session.agent === null || session.visitor === null
      ? []
      : [
          step(null, 'service', 'cleared', false, 'faults', () =>
            model.append(less, entry(model, 'cleared')),
          ),
        ]),
  ]
}

const entry = (model: Model, type: 'transferred' | 'cleared'): KnownEntry =>
  model.shared.named(
    type,
    () =>
      ({
        seq: 0,
        id: '',
        time: 0,
        slot: 'service',
        type,
        body: type === 'transferred' ? { toId: 'other' } : {},
      }) as Entry,
  )

const ended = (model: Model, world: World, index: number): World =>
  model.became(world, index, model.pages.end(placeAt(world, index).page, 'gone')).world

function left(model: Model, world: World, { page }: Place): Reached {
  const { slot, session } = page.local
  return model.append(
    world,
    model.shared.named(`left ${session}`, () => ({
      seq: 0,
      id: '',
      time: 0,
      slot: 'service',
      type: 'left',
      body: { session, slot, channels: { total: 0 } },
    })),
  )
}

/** An entry that a hostile party has made up. */
function wordOf(model: Model, world: World, { type, body, session, slot }: Word): KnownEntry {
  const seq = type === 'offer' || type === 'direct' ? model.freeRef(world) : 0
  return model.shared.entry({
    id: '',
    seq,
    time: 0,
    slot,
    session,
    counter: 1,
    from: { id: session },
    type,
    body,
  } as Entry)
}
