/** What the machine hands to the outbox: what must hold of it (I7, C4), and what the page is then. */
import type { PartialMediaState, UnsentEntry } from '../../protocol/index.ts'
import { LIFETIMES, isOwnName, spoken, transmissions } from './local.ts'
import type { Cause, Local, Production } from './local.ts'

/** What is wrong with an entry that the machine writes, or null. */
export function letterFault(
  production: Production,
  local: Local,
  cause: Cause,
  letter: UnsentEntry,
): string | null {
  return deviceFault(production, local, cause, letter) ?? bodyFault(production, local, cause, letter)
}

function bodyFault(production: Production, local: Local, cause: Cause, letter: UnsentEntry): string | null {
  const { session, slot } = local
  switch (letter.type) {
    case 'direct':
      return isOwnName(local, letter.id) &&
        turnsOff(local, letter.body.target).some((one) => !local.lost.includes(one))
        ? `captures: ${session} turns off a capture that runs`
        : null
    case 'offer':
      return letter.body.lifetime === LIFETIMES[slot]
        ? null
        : `limits: an offer of ${session} says another time than it stands`
    case 'withdraw':
      return cause.before?.snapshot.context.own?.cancel && cause.event !== 'log.offering'
        ? `commands: ${session} takes an offer back twice`
        : null
    case 'present':
      return slotFault(local, cause, letter.body.after) ?? holdsFault(production, local, letter.body.media)
    case 'answer':
      return answerFault(local, cause, letter.body.answer)
    default:
      return null
  }
}

/** What the page is once the entry is written. */
export function writing(local: Local, letter: UnsentEntry): Partial<Local> {
  switch (letter.type) {
    case 'direct':
      return isOwnName(local, letter.id)
        ? { window: local.window.filter((one) => transmissions(letter.body.target).includes(one)) }
        : {}
    case 'failed':
      return { gaveUp: letter.body.ref }
    case 'answer':
      return { agreed: [...new Set([...local.agreed, ...spoken(letter.body.answer)])] }
    default:
      return {}
  }
}

/** Media that transmit, and would not after a change. */
const turnsOff = ({ shared: { media } }: Local, target: PartialMediaState): string[] =>
  Object.keys(media).filter((medium) => media[medium]?.tx === true && target[medium]?.tx !== true)

/**
 * While the user's click lasts: what a command would transmit has been acquired when it is written, or is
 * being acquired.
 */
function deviceFault(
  { protocol: { algebra } }: Production,
  { operation, carried, snapshot, session }: Local,
  { event }: Cause,
  letter: UnsentEntry,
): string | null {
  if (event === 'media.answer' ? operation?.kind === 'prepare' : letter.type === 'answer') return null
  const has = [...transmissions(carried), ...snapshot.context.prepared]
  const wanted: PartialMediaState =
    letter.type === 'offer'
      ? algebra.mostOf(letter.body.offer)
      : letter.type === 'direct'
        ? letter.body.target
        : letter.type === 'answer'
          ? letter.body.answer
          : {}
  return transmissions(wanted).some((one) => !has.includes(one))
    ? `devices: ${session} promises what it has not acquired`
    : null
}

/** C4: a slot that another page holds is taken only where that page is gone, or the user wants it. */
function slotFault(
  { session, slot, shared, succeeds }: Local,
  { before }: Cause,
  after: string | null,
): string | null {
  if (after === session && shared.session[slot] !== session && before)
    return `present: ${session} announces itself again, and takes nothing`
  return after !== null && after !== session && after !== succeeds
    ? `C4 ${session} takes the slot from ${after}`
    : null
}

/** What needs no remote is back with the undo that runs, however that ends. */
function holdsFault(
  { protocol: { algebra } }: Production,
  { carried, operation, session }: Local,
  held: Readonly<Record<string, string>>,
): string | null {
  const back = operation?.kind === 'undo' && operation.to ? algebra.nativeOnly(operation.to) : carried
  return Object.entries(held).some(
    ([medium, engine]) => carried[medium]?.engine !== engine && back[medium]?.engine !== engine,
  )
    ? `present: ${session} says that it holds what its engines do not carry`
    : null
}

/** What is answered under an own name must be agreed to; a restore within the window is. */
function answerFault(
  { shared, agreed, window, session }: Local,
  { event }: Cause,
  answer: PartialMediaState,
): string | null {
  const { phase, media } = shared
  if (event !== 'media.answer' && !(phase.name === 'offered' && phase.restore))
    return `I7 ${session} answers an offer that nobody was asked about`
  const open = new Set([...agreed, ...window, ...spoken(media)])
  return spoken(answer).some((one) => !open.has(one))
    ? `I7 ${session} answers with what nobody here agreed to`
    : null
}
