/** What a contact needs now and then: each a chunk of its own, loaded when it is needed for the first time. */
export const later = {
  attach: () => import('./attachments/attach.ts'),
  channels: () => import('./channels/index.ts'),
  rpc: () => import('./rpc/index.ts'),
  statistics: () => import('./call-statistics.ts'),
  telephone: () => import('./telephone.ts'),
  transcript: () => import('./transcript.ts'),
}
