import type { ErrorCode } from '../../protocol/index.ts'

/** Context of the link machine: plain data. */
export interface LinkContext {
  /** Attempts since the link was last online. */
  readonly attempts: number
  /** 0 to 1, drawn outside: spreads reconnections. */
  readonly jitter: number
  /** The service has asked the page not to come again for so long, milliseconds; 0: it has not. */
  readonly retryAfterMs: number
  /** Why it is not online. */
  readonly code: ErrorCode | null
  /** The node of the service has sent this page to another one, where it is not online yet. */
  readonly isMoving: boolean
}

/** What the link machine is told. */
export type LinkEvent =
  | { readonly type: 'link.start' }
  /** The network may be back, or the page was shown again: try now. */
  | { readonly type: 'link.wake' }
  /** The page goes, for good or for a while. */
  | { readonly type: 'link.hide' }
  | { readonly type: 'link.up' }
  /** Something has arrived. */
  | { readonly type: 'link.heard' }
  /** The node of the service stops: this page is to connect anew. */
  | { readonly type: 'link.drain' }
  /** Every call that was made has been answered. */
  | { readonly type: 'link.answered' }
  /** The page has not got to another node in time. */
  | { readonly type: 'link.stranded' }
  /** Nothing has arrived for too long. */
  | { readonly type: 'link.silent' }
  /** `final`: the service refuses this party or this version; trying again would change nothing. */
  | {
      readonly type: 'link.down'
      readonly code: ErrorCode
      readonly final: boolean
      readonly jitter: number
      /** When the page may come again, where the service has said it. */
      readonly retryAfterMs?: number | undefined
    }
  | { readonly type: 'link.close' }
