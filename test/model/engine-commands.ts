/** What the machine asks of the engines: what must hold of it (I4, I5, I7), and what the page is then. */
import type { EngineCommand } from '../../machines/index.ts'
import type { MediaState } from '../../protocol/index.ts'
import { OFF, isIn, spoken, transmissions } from './local.ts'
import type { Cause, Local, Production } from './local.ts'

/** What is wrong with a command, or null. */
export function commandFault(
  production: Production,
  local: Local,
  cause: Cause,
  command: EngineCommand,
): string | null {
  const { operation, session, carried } = local
  const running = operation ? `${operation.kind} runs` : null
  switch (command.type) {
    case 'engine.prepare':
      if (running) return `I4 ${session} prepares engines while ${running}`
      return transmissions(command.media).every((one) => transmissions(carried).includes(one))
        ? `devices: ${session} acquires what is on already`
        : null
    case 'engine.work':
      return operation && operation.kind !== 'prepare'
        ? `I4 ${session} starts engines while ${running}`
        : workFault(production, local, command)
    case 'engine.undo':
      return (
        consentFault(local, command.to) ??
        (isNeedless(production, local, cause, command.to)
          ? `engines: ${session} undoes what is as it should be`
          : null)
      )
    case 'engine.stop':
      return null
  }
}

/** What the page is once the engines have the command. */
export function obeying({ operation, blurred }: Local, command: EngineCommand): Partial<Local> {
  switch (command.type) {
    case 'engine.prepare':
      return { operation: { kind: 'prepare', ref: 0, to: null, hangs: false } }
    case 'engine.work':
      return {
        operation: { kind: 'work', ref: command.ref, to: command.to, hangs: operation?.hangs ?? false },
      }
    case 'engine.undo':
      return {
        operation: {
          kind: 'undo',
          ref: 0,
          to: command.to,
          hangs: operation?.kind !== 'prepare' && operation?.hangs === true,
        },
        blurred: blurred || operation?.kind === 'work',
      }
    case 'engine.stop':
      return { operation: null, carried: OFF, blurred: false, acquired: [] }
  }
}

/** The engines are told of the transition that stands, and of no other. */
function workFault(
  { protocol: { algebra } }: Production,
  local: Local,
  { ref, from, to, wasOffered, restore }: Extract<EngineCommand, { type: 'engine.work' }>,
): string | null {
  const { shared, session, slot, carried, blurred, gaveUp } = local
  const { phase } = shared
  if (gaveUp === ref) return `engines: ${session} works for a transition that it has given up`
  const isRight =
    phase.name === 'transiting' &&
    phase.ref === ref &&
    phase.restore === restore &&
    wasOffered === (phase.by !== slot) &&
    algebra.sameMedia(to, phase.target)
  if (!isRight) return `engines: ${session} works for something else than the transition that stands`
  if (blurred) return `I5 ${session} starts engines of which nobody knows what they carry`
  return algebra.sameMedia(from, carried)
    ? consentFault(local, to)
    : `I5 ${session} starts engines that carry something else than the contact's media`
}

/** Nothing differs, and what is prepared is still needed; who has lost the slot undoes in any case. */
function isNeedless(
  { protocol: { algebra } }: Production,
  local: Local,
  { event, before }: Cause,
  to: MediaState,
): boolean {
  const { operation, blurred, carried, gaveUp } = local
  if (operation || blurred) return false
  const { phase } = local.shared
  const wanted = phase.name === 'transiting' && phase.ref !== gaveUp ? transmissions(phase.target) : []
  const gives =
    before?.snapshot.context.prepared.some((one) => !wanted.includes(one)) === true &&
    !isIn(local, 'offering', 'undoing')
  return event !== 'log.slotLost' && !gives && algebra.sameMedia(to, carried)
}

/** I7: no engine ever gets a transmission that its own side has not agreed to. */
function consentFault({ agreed, window, session }: Local, to: MediaState): string | null {
  const missing = spoken(to).filter((one) => !agreed.includes(one) && !window.includes(one))
  return missing.length > 0 ? `I7 ${session} transmits ${missing.join()} without consent` : null
}
