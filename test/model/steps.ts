/** Everything that can happen next in a world. */
import type { Entry } from '../../protocol/index.ts'
import { hostileWords } from './hostile.ts'
import type { Word } from './hostile.ts'
import { isIn } from './local.ts'
import type { KnownEntry } from './shared.ts'
import { left, refusing, serviceFaults, telephoning, telling } from './service-steps.ts'
import { spend, step } from './step.ts'
import type { Step } from './step.ts'
import { placeAt, reads } from './places.ts'
import type { Place, World } from './places.ts'
import type { Model } from './world.ts'

export function stepsOf(model: Model, world: World): Step[] {
  const steps = [
    ...world.places.flatMap((place, index) => stepsAt(model, world, place, index)),
    ...telephoning(model, world),
  ]
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
        step('service', `${place.page.local.session} has left`, true, null, () =>
          left(model, ended(model, world, index), place),
        ),
      ]
    case 'gone':
      return [...sending(model, world, index, false), ...losing(model, world, place, index)]
    case 'hostile':
      return hostileWords(model, world, place).map((word) =>
        step(place.page.local.session, `writes ${word.name}`, false, 'words', () =>
          model.append(spend(world, 'words'), wordOf(model, world, word)),
        ),
      )
    case 'frozen':
      return []
  }
}

/** What a page that is gone had written may still come, from the front, or never. */
function losing(model: Model, world: World, place: Place, index: number): Step[] {
  if (place.outbox.length === 0) return []
  return [
    step(place.page.local.session, 'what it wrote is lost', false, null, () =>
      model.became(world, index, { page: place.page, letters: [], fault: null }, { outbox: [] }),
    ),
  ]
}

function sending(model: Model, world: World, index: number, progress: boolean): Step[] {
  const place = placeAt(world, index)
  const [first] = place.outbox
  return first
    ? [
        step(place.page.local.session, `→ ${first.letter.type}`, progress, null, () =>
          model.deliver(world, index),
        ),
      ]
    : []
}

function reading(model: Model, world: World, place: Place, index: number): Step[] {
  const known = world.tail[place.read]
  if (!known || !reads(place)) return []
  const { entry } = known
  const by = entry.slot === 'service' ? '' : ` of ${entry.session}`
  return [
    step(place.page.local.session, `reads ${entry.type}${by}`, true, null, () =>
      model.became(world, index, model.pages.read(place.page, known), { read: place.read + 1 }),
    ),
  ]
}

/** Engines, application and timers. */
function doing(model: Model, world: World, place: Place, index: number): Step[] {
  const id = model.freeName(world, place)
  return model.pages.options(place.page, id).map(({ name, progress, cost, change, event, kind }) =>
    step(place.page.local.session, name, progress, cost, () => {
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

/** A page is closed, leaves, freezes, or gets a second tab beside it. */
function ending(model: Model, world: World, place: Place, index: number): Step[] {
  const { slot, session } = place.page.local
  if (!reads(place) || world.budget.faults === 0) return []
  const less = spend(world, 'faults')
  return [
    step(session, 'is closed', false, 'faults', () =>
      model.became(less, index, model.pages.end(place.page, 'closed')),
    ),
    step(session, 'freezes', false, 'faults', () =>
      model.became(less, index, model.pages.end(place.page, 'frozen')),
    ),
    step(session, 'leaves', false, 'faults', () => model.became(less, index, model.pages.leave(place.page))),
    ...(isIn(place.page.local, 'init', 'displaced') || tabs(world, slot) > 2
      ? []
      : [
          step(session, 'gets a second tab', false, 'faults', () => model.open(less, slot)),
          step(session, 'is cut off, and gets a second tab', false, 'faults', () =>
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
    return isEmpty ? [step(slot, 'opens', false, null, () => model.open(world, slot))] : []
  })
}

const ended = (model: Model, world: World, index: number): World =>
  model.became(world, index, model.pages.end(placeAt(world, index).page, 'gone')).world

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
