/** Time limits of the distribution, milliseconds. */
export interface QueueLimits {
  /** To accept or decline an offer. */
  readonly offerMs: number
  /** From the loss of an agent's last connection to the end of their presence. */
  readonly agentGraceMs: number
}

export const QUEUE_LIMITS: QueueLimits = { offerMs: 30_000, agentGraceMs: 60_000 }
