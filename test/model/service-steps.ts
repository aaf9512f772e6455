/** What the service does: it refuses entries, tells who is there, ends sessions and contacts, runs the telephone. */
import type { Entry, ServiceBodies } from '../../protocol/index.ts'
import { isIn } from './local.ts'
import type { Budget } from './option.ts'
import type { KnownEntry } from './shared.ts'
import { spend, step } from './step.ts'
import type { Step } from './step.ts'
import { isGone } from './places.ts'
import type { Place, Reached, World } from './places.ts'
import type { Model } from './world.ts'

/**
 * The service does not take an entry, and never will. A page whose first `present` is refused goes on here,
 * in the SDK its user has to join again.
 */
export function refusing(model: Model, world: World, place: Place, index: number): Step[] {
  const [first, ...outbox] = place.outbox
  if (!first || world.budget.faults === 0) return []
  const { session, snapshot, succeeds, unheard } = place.page.local
  const isAwaited =
    isIn(place.page.local, 'init', 'announcing') &&
    first.letter.id === `${session}.${snapshot.context.written}`
  return [
    step('service', `refuses ${first.letter.type} of ${session}`, false, 'faults', () => {
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

/** The service tells a page that does not hold its slot whether the page that does is connected. */
export function telling(model: Model, world: World, place: Place, index: number): Step[] {
  const { slot, session, shared, succeeds, unheard, life: own } = place.page.local
  const holder = shared.session[slot]
  if (own !== 'live' || holder === session || isIn(place.page.local, 'init', 'closed')) return []
  if (holder === null)
    return unheard && isIn(place.page.local, 'init', 'displaced')
      ? [toldOfNobody(model, world, place, index)]
      : []
  const tell = (where: 'gone' | 'here', cost: keyof Budget | null, how = ''): Step =>
    step(session, `is told${how} that ${holder} is ${where}`, where === 'gone' && cost === null, cost, () =>
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
  step(place.page.local.session, 'is told that nobody has the slot', true, null, () =>
    model.became(
      world,
      index,
      model.pages.happen(place.page, 'here', { unheard: false }, { type: 'holder.here' }),
    ),
  )

/**
 * The service says that a session is absent, wrongly; an agent hands the contact over; the contact is
 * cleared.
 */
export function serviceFaults(model: Model, world: World): Step[] {
  if (world.budget.faults === 0) return []
  const less = spend(world, 'faults')
  const { session } = world.head.visitor
  return [
    ...world.places.flatMap((place) =>
      place.page.local.life === 'live' && session[place.page.local.slot] === place.page.local.session
        ? [
            step('service', `${place.page.local.session} is absent (wrongly)`, false, 'faults', () =>
              left(model, less, place),
            ),
          ]
        : [],
    ),
    ...(session.agent === null
      ? []
      : [
          step('service', 'transferred', false, 'faults', () =>
            model.append(less, entry(model, 'transferred')),
          ),
        ]),
    ...(session.agent === null || session.visitor === null
      ? []
      : [step('service', 'cleared', false, 'faults', () => model.append(less, entry(model, 'cleared')))]),
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

/** The telephone is answered, or the call ends: who was called does not answer, or hangs up. */
export function telephoning(model: Model, world: World): Step[] {
  const { line } = world.head
  const tells = (name: string, body: ServiceBodies['telephone'], cost: keyof Budget | null): Step =>
    step('service', name, cost === null, cost, () => model.append(spend(world, cost), news(model, body)))
  switch (line) {
    case 'ringing':
      return [
        tells('telephone is answered', { state: 'answered' }, null),
        tells('telephone is not answered', { state: 'ended', reason: 'no_answer' }, 'faults'),
      ]
    case 'up':
      return [tells('telephone is hung up', { state: 'ended', reason: 'hung_up' }, 'faults')]
    case 'none':
    case 'over':
      return []
  }
}

const news = (model: Model, body: ServiceBodies['telephone']): KnownEntry =>
  model.shared.named(
    `telephone ${body.state}`,
    () => ({ seq: 0, id: '', time: 0, slot: 'service', type: 'telephone', body }) as Entry,
  )

/** The service says that a session has ended. */
export function left(model: Model, world: World, { page }: Place): Reached {
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
