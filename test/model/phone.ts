/**
 * The telephone of a contact: the line as the service carries it, and what a page's engine makes of what the
 * log tells of it (`sdk/media/phone.ts`, `engines/telephone`).
 */
import type { MediaEvent } from '../../machines/index.ts'
import type { Entry, Fact, PartialMediaState, SharedState } from '../../protocol/index.ts'
import type { Local, PhoneState, Production } from './local.ts'

/** `ringing`: the service has dialled; `up`: answered, and told; `over`: ended, and told. */
export type Line = 'none' | 'ringing' | 'up' | 'over'

const isPhone = ({ Voice }: PartialMediaState): boolean => Voice?.via === 'pstn' && (Voice.tx || Voice.rx)

/** The line after an entry: the service dials for each transition that turns the telephone on. */
export function lineAfter(
  line: Line,
  { state, fact, entry }: { readonly state: SharedState; readonly fact: Fact; readonly entry: Entry },
): Line {
  if (entry.type === 'telephone') return entry.body.state === 'answered' ? 'up' : 'over'
  const { media, phase } = state
  if (isPhone(media)) return line
  if (phase.name !== 'transiting' || !isPhone(phase.target)) return 'none'
  return fact.kind === 'transiting' ? 'ringing' : line
}

/** The telephone is never on before it was answered. */
export const lineFault = (line: Line, { media }: SharedState): string | null =>
  isPhone(media) && (line === 'ringing' || line === 'none')
    ? 'telephone: Voice is on over a telephone that nobody has answered'
    : null

/** Voice does not stay on over a telephone that is over. */
export const endedFault = (line: Line, { media }: SharedState): string | null =>
  line === 'over' && isPhone(media) ? 'telephone: Voice stays on over a telephone that is over' : null

/** The engine's work waits for the telephone. */
export const waitsForPhone = ({ operation, carried }: Pick<Local, 'operation' | 'carried'>): boolean =>
  operation?.kind === 'work' && operation.to !== null && isPhone(operation.to) && !isPhone(carried)

/** What a page knows of the call after an entry; `isNews`: its engine hears of it. */
export function heard(
  { telephone }: Production,
  phone: PhoneState | null,
  reading: { readonly entry: Entry; readonly fact: Fact },
): { readonly phone: PhoneState | null; readonly isNews: boolean } {
  const after = telephone.callAfter(phone && { state: phone }, reading)
  return after === undefined ? { phone, isNews: false } : { phone: after?.state ?? null, isNews: true }
}

/**
 * The page after its engine has heard of the call, and what the engine reports: where Voice is on and no work
 * waits, a call that has ended makes it give Voice up.
 */
export function reported(
  local: Local,
): { readonly change: Partial<Local>; readonly event: MediaEvent } | null {
  if (local.phone !== 'ended' || waitsForPhone(local) || !isPhone(local.shared.media)) return null
  const { Voice: _over, ...media } = local.carried
  const isAtWork = local.operation?.kind === 'work' || local.operation?.kind === 'undo'
  return {
    change: { operation: null, carried: media, blurred: isAtWork, acquired: [] },
    event: { type: 'engine.broke', engines: ['Native'], media, reason: '', uncertain: isAtWork },
  }
}
