/** A media machine as its tests play it: what they begin with, and what it has settled. */
import { CAPABILITIES } from './chart.ts'
import type { Chart } from './chart.ts'
import { on } from './contacts.ts'

export const CALL = on(true, true)
export const VOICE = 'Voice net WebRTC'
export const CHAT = 'Chat net Native'
export const HOLDS = { Sharing: 'Native', Chat: 'Native' }

/** Body of a `present`. */
export const present = (after: string | null, holds: Readonly<Record<string, string>> = HOLDS) => ({
  capabilities: CAPABILITIES,
  media: holds,
  after,
})

/** How offers were settled. */
export const settledWith = (chart: Chart): unknown[] =>
  chart.told.flatMap((one) => (one.type === 'offer.settled' ? [one.outcome] : []))
