import type { ErrorCode, JsonValue } from '../../protocol/index.ts'

/** Context of the request machine: plain data. */
export interface RequestContext {
  /** How long one attempt may take, milliseconds; null: as long as the contact lasts. */
  readonly timeoutMs: number | null
  /** Attempts that may follow the present one. */
  readonly retries: number
  /** How often the request was put on the relay since the last receipt or attempt. */
  readonly asked: number
  /** The other side has said that it has the request: the procedure may have run. */
  readonly received: boolean
}

/** What a request machine starts from. */
export interface RequestInput {
  readonly timeoutMs: number | null
  readonly retries: number
}

/** The answer of the other side, as it came. */
export type RequestAnswer =
  | { readonly ok: true; readonly result: JsonValue | undefined }
  | { readonly ok: false; readonly error: JsonValue; readonly isError: boolean }

/** What the request machine is told. */
export type RequestEvent =
  /** The other side has the request. */
  | { readonly type: 'remote.received' }
  /** The procedure has ended there. */
  | { readonly type: 'remote.answered'; readonly answer: RequestAnswer }
  /** The other side will not run it, or it cannot be sent: for good. */
  | { readonly type: 'request.refused'; readonly code: ErrorCode }
  /** Another session of the other party is there now. */
  | { readonly type: 'peer.changed' }
  /** Nobody is there any more. */
  | { readonly type: 'peer.left' }
  /** The contact is over for this page. */
  | { readonly type: 'contact.left' }

/** How a request ended. */
export type RequestOutcome = RequestAnswer | { readonly ok: false; readonly code: ErrorCode }

/** What the outside hears. */
export type RequestEmitted =
  /** Put the request on the relay, under the same id as before. */
  { readonly type: 'request.ask' } | { readonly type: 'request.settled'; readonly outcome: RequestOutcome }
