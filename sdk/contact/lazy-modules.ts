/**
 * What a contact needs now and then: each a chunk of its own, loaded when it is needed for the first time.
 */
export const later = {
  attach: () => import('../attachments/attach.ts'),
  channels: () => import('../data-channels/channels.ts'),
  secrecy: () => import('../crypto/secrecy.ts'),
  rpc: () => import('../rpc/rpc.ts'),
  statistics: () => import('../media/statistics.ts'),
  telephone: () => import('../media/phone.ts'),
  transcript: () => import('../transcript/transcript.ts'),
}
