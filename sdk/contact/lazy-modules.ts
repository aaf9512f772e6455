/** What was loaded before, and is there at once. */
export const here: { negotiation: typeof import('../media/negotiation.ts') | null } = { negotiation: null }

/**
 * What a contact needs now and then: each a chunk of its own, loaded when it is needed for the first time.
 */
export const later = {
  negotiation: async () => (here.negotiation = await import('../media/negotiation.ts')),
  attach: () => import('../attachments/attach.ts'),
  channels: () => import('../data-channels/channels.ts'),
  secrecy: () => import('../crypto/secrecy.ts'),
  rpc: () => import('../rpc/rpc.ts'),
  statistics: () => import('../media/statistics.ts'),
  telephone: () => import('../media/phone.ts'),
  transcript: () => import('../transcript/transcript.ts'),
}
