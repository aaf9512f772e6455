import type { ContactContext, ContactLimits, ContactTimer } from './contact.types.ts'
import { isLeftForLater } from './life.ts'

interface Situation {
  readonly context: ContactContext
  readonly limits: ContactLimits
  /** It carries on another contact. */
  readonly isSuccessor: boolean
  readonly now: number
}

/** How long a limit of a contact is from now on, in milliseconds. */
export function limitOf(timer: ContactTimer, { context, limits, isSuccessor, now }: Situation): number {
  const { creationMs, waitMs, laterMs, joinMs, closingMs, disconnectMs } = limits
  if (timer === 'disconnect' && isLeftForLater(context)) return laterMs
  if (timer === 'wait' && context.isProlonged) return Math.max(0, (context.queuedAt ?? now) + laterMs - now)
  if (timer === 'creation' && isSuccessor) return disconnectMs
  return { creation: creationMs, wait: waitMs, join: joinMs, closing: closingMs, disconnect: disconnectMs }[
    timer
  ]
}
