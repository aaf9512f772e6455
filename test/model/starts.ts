/** Where searches begin. */
import type { Slot } from '../../protocol/index.ts'
import { stepsOf } from './steps.ts'
import { placeAt } from './places.ts'
import type { Reached, World } from './places.ts'
import type { Model } from './world.ts'

/** The start of a search cannot be reached, or not without a violation. */
export class NoStart extends Error {}

/** Takes the step of `who` whose name begins with `name`. */
export function take(model: Model, world: World, who: string, name: string): World {
  const steps = stepsOf(model, world)
  const step = steps.find((one) => one.who === who && one.name.startsWith(name))
  if (!step)
    throw new NoStart(
      `${who} cannot: ${name}; possible are ${steps.map((one) => `${one.who} ${one.name}`).join(', ')}`,
    )
  return checked(step.take(), `${who} ${name}`)
}

/** Lets everything happen that happens by itself, without waiting for time. */
export function rest(model: Model, world: World): World {
  let next = world
  for (;;) {
    const step = stepsOf(model, next).find(({ progress, name }) => progress && !name.startsWith('time'))
    if (!step) return next
    next = checked(step.take(), step.name)
  }
}

function checked({ world, fault }: Reached, name: string): World {
  if (fault) throw new NoStart(`${fault} at ${name}`)
  return world
}

const afresh = (world: World): World => ({
  ...world,
  budget: { commands: 0, faults: 0, hurries: 0, words: 0 },
})

/** Both pages open, neither has announced itself. */
export const empty = (model: Model): World =>
  model.open(model.open(model.empty, 'visitor').world, 'agent').world

/** Both idle, without Voice. */
export const idle = (model: Model): World => rest(model, empty(model))

/** Both idle, without Chat. */
export const silent = (model: Model): World =>
  rest(
    model,
    model.open(model.open({ ...model.empty, head: model.shared.silence }, 'visitor').world, 'agent').world,
  )

/** Both idle, Voice on both ways. */
export function talking(model: Model): World {
  const offered = rest(
    model,
    take(
      model,
      { ...idle(model), budget: { commands: 1, faults: 0, hurries: 0, words: 0 } },
      'visitor0',
      'app offers Voice',
    ),
  )
  return afresh(rest(model, take(model, offered, 'agent0', 'app answers yes')))
}

/** As `talking`, and a second tab of the visitor follows. */
export const displaced = (model: Model): World =>
  afresh(
    rest(
      model,
      take(
        model,
        { ...talking(model), budget: { commands: 0, faults: 1, hurries: 0, words: 0 } },
        'visitor0',
        'gets a second tab',
      ),
    ),
  )

/**
 * As `talking`, and the visitor, whose page is cut off for a moment, has just opened a second tab, which is
 * about to take the slot.
 */
export const tabs = (model: Model): World =>
  afresh(
    take(
      model,
      { ...talking(model), budget: { commands: 0, faults: 1, hurries: 0, words: 0 } },
      'visitor0',
      'is cut off, and gets a second tab',
    ),
  )

/** As `talking`, and a page of the visitor that says it carries the call, too, has taken the slot. */
export function taken(model: Model): World {
  const world = talking(model)
  const body = {
    capabilities: { Media: {}, Mobile: false },
    media: { Chat: 'Native', Voice: 'WebRTC' },
    after: world.head.visitor.session.visitor,
  }
  const present = {
    id: '',
    seq: 0,
    time: 0,
    slot: 'visitor',
    session: 'visitor9',
    counter: 1,
    from: { id: 'visitor9' },
    type: 'present',
    body,
  } as const
  return checked(model.append(world, model.shared.entry(present)), 'present')
}

/** As another start, but the page of one party writes what it likes. */
export function hostile(model: Model, world: World, slot: Slot): World {
  const index = world.places.findIndex(({ page }) => page.local.slot === slot)
  return model.became(world, index, model.pages.end(placeAt(world, index).page, 'hostile')).world
}

export const STARTS = { empty, idle, silent, talking, displaced, tabs, taken } as const
export type Start = keyof typeof STARTS
