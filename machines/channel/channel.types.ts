/** Context of the channel machine: plain data. */
export interface ChannelContext {
  readonly name: string
}

/** What the channel machine is told. */
export type ChannelEvent =
  /** There is a direct connection. */
  | { readonly type: 'pipe.opened' }
  /** There is none, or it is gone. */
  | { readonly type: 'pipe.closed' }
  /** The other party uses the relay for this channel. */
  | { readonly type: 'remote.relayed' }
  /** This party wants the relay for this channel. */
  | { readonly type: 'channel.relay' }
  | { readonly type: 'channel.close' }
  /** The other party has closed the channel, and all that it sent before has been read. */
  | { readonly type: 'remote.closed' }
  /** Both sides have read everything of each other. */
  | { readonly type: 'streams.ended' }
  /** The other party's page, or this party's part in the contact, is gone. */
  | { readonly type: 'session.ended' }

/** What the channel machine tells. */
export type ChannelEmitted =
  /** Data can flow. `late`: a direct connection was not made in time. */
  | { readonly type: 'opened'; readonly late: boolean }
  /** The channel goes on over the relay: what the other side has not acknowledged is to be sent again. */
  | { readonly type: 'moved' }
  /** Nothing more is delivered; what was sent before still flows where `flushes`. */
  | { readonly type: 'closed'; readonly flushes: boolean; readonly by: 'local' | 'remote' | 'session' }
