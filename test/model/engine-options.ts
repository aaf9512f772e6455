/** What the engines of a page may do: finish what they were asked for, fail, hang, break, lose a capture. */
import type { ErrorCode, MediaState } from '../../protocol/index.ts'
import { OVER } from './option.ts'
import type { Option } from './option.ts'
import { transmissions } from './local.ts'
import type { Local, Operation } from './local.ts'
import { waitsForPhone } from './phone.ts'

type Does = (name: string, change: Partial<Local>, event: Option['event'], cost: Option['cost']) => Option
type Breaks = (name: string, cost: Option['cost'], isUncertain?: boolean) => Option

const does: Does = (name, change, event, cost) => ({
  name: `engine ${name}`,
  kind: 'engine',
  cost,
  progress: cost === null,
  change,
  event,
})

const failed = (code: ErrorCode) => ({ code, reason: '' })

/** The engines besides the one that needs no remote, and what their breakdowns are called. */
const REMOTE = [
  { engine: 'WebRTC', breaks: 'breaks', isFirst: true },
  { engine: 'Other', breaks: 'breaks, the second one', isFirst: false },
] as const

/** The media without those of one engine. */
const without = (media: MediaState, engine: string): MediaState =>
  Object.fromEntries(
    Object.entries(media).filter(([, details]) => details?.engine !== engine),
  ) as unknown as MediaState

const uses = (media: MediaState | null, engine: string): boolean =>
  Object.values(media ?? {}).some((details) => details?.engine === engine)

export function engineOptions(local: Local): Option[] {
  const { operation, carried, snapshot } = local
  const breakdowns = REMOTE.filter(
    ({ engine, isFirst }) =>
      uses(carried, engine) ||
      uses(operation?.to ?? null, engine) ||
      // The driver tells nothing of one that breaks while others prepare something.
      (isFirst &&
        (operation?.kind !== 'prepare' || snapshot.context.prepared.some((one) => one.endsWith(engine)))),
  )
  const isAtWork = operation?.kind === 'work' || operation?.kind === 'undo'
  const isSpare = operation === null && !breakdowns.some(({ isFirst }) => !isFirst)
  return [
    ...(operation ? running(operation, local, breakdowns) : []),
    ...breakdowns.flatMap(({ engine, breaks }) => [
      breaking(carried, engine)(breaks, 'faults'),
      ...(isAtWork ? [breaking(carried, engine)(`${breaks} while others are at work`, 'faults', true)] : []),
    ]),
    // After the others: a scenario names an option by its beginning.
    ...(isSpare ? [breaking(carried, 'Other')('breaks unused, the second engine', 'faults')] : []),
    ...captured(local),
  ]
}

/** An engine is destroyed: what the others carry of `carried` is left. */
const breaking =
  (carried: MediaState, engine: string): Breaks =>
  (name, cost, isUncertain = false) => {
    const media = without(carried, engine)
    return does(
      name,
      { operation: null, carried: media, blurred: isUncertain, acquired: [] },
      { type: 'engine.broke', engines: [engine], media, reason: '', uncertain: isUncertain },
      cost,
    )
  }

/** A device stops by itself. */
const captured = ({ carried, lost }: Local): Option[] =>
  Object.entries(carried).flatMap(([medium, details]) =>
    medium !== 'Sharing' && details?.tx === true && details.engine !== 'Native' && !lost.includes(medium)
      ? [
          does(
            medium === 'Voice' ? 'loses its capture' : `loses its capture of ${medium}`,
            { lost: [...lost, medium] },
            { type: 'capture.ended', medium },
            'faults',
          ),
        ]
      : [],
  )

function running(
  operation: Operation,
  local: Local,
  breakdowns: readonly (typeof REMOTE)[number][],
): Option[] {
  const { kind, ref, to, hangs } = operation
  const { snapshot, carried } = local
  const idle = { operation: null }
  const hang = does('hangs', { operation: { kind, ref, to, hangs: true } }, null, 'faults')
  const undone = to ?? carried
  const destroyed = (name: string, cost: Option['cost']): Option[] =>
    breakdowns.map(({ engine, isFirst }) =>
      breaking(undone, engine)(isFirst ? name : `${name}, the second one`, cost),
    )
  if (hangs) return kind === 'undo' ? destroyed('does not settle and is destroyed', null) : []
  switch (kind) {
    case 'prepare':
      return [
        does(
          'is prepared',
          { ...idle, acquired: snapshot.context.prepared },
          { type: 'engine.prepared' },
          null,
        ),
        does('is denied', idle, { type: 'engine.unprepared', ...failed('media_denied') }, 'faults'),
        hang,
      ]
    case 'work':
      return [...working(operation, local), hang]
    case 'undo':
      return [
        does(
          'is undone',
          { ...idle, ...(to && { carried: to, blurred: false }), acquired: [] },
          to ? { type: 'engine.undone', media: to } : null,
          null,
        ),
        ...destroyed('cannot undo', 'faults'),
      ]
  }
}

/** Work that is under way. Over a telephone it ends as the call does. */
function working({ ref, to }: Operation, local: Local): Option[] {
  const blurred = { operation: null, blurred: true }
  const fails = (name: string, cost: Option['cost'], change: Partial<Local> = {}): Option =>
    does(name, { ...blurred, ...change }, { type: 'engine.failed', ref, ...failed('engine_failed') }, cost)
  if (local.dud) return [fails('fails again', null)]
  const isWaiting = waitsForPhone(local)
  if (isWaiting && local.phone === 'ended') return [fails('gives up its telephone', null)]
  const works = does(
    'works',
    {
      operation: null,
      ...(to && { carried: to, blurred: false }),
      acquired: local.acquired.filter((one) => !to || !transmissions(to).includes(one)),
    },
    { type: 'engine.worked', ref },
    null,
  )
  return [
    fails('fails for good', 'faults', { dud: true }),
    ...(isWaiting && local.phone !== 'answered' ? [] : [works]),
    fails('fails', 'faults'),
    does('tells of earlier work that it is done', {}, { type: 'engine.worked', ref: OVER }, 'faults'),
    does(
      'tells of earlier work that it failed',
      {},
      { type: 'engine.failed', ref: OVER, ...failed('engine_failed') },
      'faults',
    ),
  ]
}
