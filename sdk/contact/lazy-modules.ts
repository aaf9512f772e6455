/** What was loaded before, and is there at once. */
export const here: {
  negotiation: typeof import('../media/negotiation.ts') | null
  webRtc: typeof import('../../engines/webrtc/index.ts') | null
} = { negotiation: null, webRtc: null }

/**
 * What a contact needs now and then: each a chunk of its own, loaded when it is needed for the first time.
 */
export const later = {
  /** With the engine that most of it is about: a browser asks for devices at once then. */
  negotiation: async () => {
    const [code] = await Promise.all([import('../media/negotiation.ts'), later.webRtc().catch(() => {})])
    return (here.negotiation = code)
  },
  carriedWays: () => import('../media/carried-ways.ts'),
  identified: () => import('../client/identified.ts'),
  returning: () => import('../client/returning.ts'),
  attach: () => import('../attachments/attach.ts'),
  channels: () => import('../data-channels/channels.ts'),
  secrecy: () => import('../crypto/secure-contact.ts'),
  relay: () => import('../relay/session-relay.ts'),
  rpc: () => import('../rpc/rpc.ts'),
  telephone: () => import('../media/phone.ts'),
  webRtc: async () => (here.webRtc = await import('../../engines/webrtc/index.ts')),
  transcript: () => import('../transcript/transcript.ts'),
}
