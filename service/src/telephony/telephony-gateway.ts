import type { PhoneEnd } from '../../../protocol/index.ts'

/** A call that connects a contact's visitor, at a telephone, with its agent. */
export interface PhoneCall {
  /** Names the call to the gateway; never used again. */
  readonly id: string
  readonly contact: string
  /** E.164: the first `phone` field of the contact's data. */
  readonly number: string
  /** Id of the agent, as in `joined.user`: the gateway knows where the agent is reached. */
  readonly agent: string
  /** Aborted when the service hangs up, also while `dial()` still runs. */
  readonly signal: AbortSignal
}

/** How a call goes on. What comes after `ended`, or after the service has hung up, is ignored. */
export interface PhoneEvents {
  /** Both ends are connected. */
  answered(): void
  ended(reason: PhoneEnd): void
}

/**
 * Carries Voice over the telephone network: a SIP trunk, a provider's API. A deployment gives one with
 * `--telephony MODULE`, an ES module that exports
 * `createTelephonyGateway(): TelephonyGateway | Promise<TelephonyGateway>`.
 *
 * The service dials when both parties have agreed on Voice `via: 'pstn'`, has at most one call for a contact,
 * and hangs up when the media of the contact, or its visitor, or the contact itself are gone, and after 25 s
 * without an answer.
 */
export interface TelephonyGateway {
  /** Starts to ring. One that throws or rejects has `failed`. */
  dial(call: PhoneCall, events: PhoneEvents): void | Promise<void>
  /**
   * Ends a call, in whatever state; told again where `dial()` ends after it. One that is over already is none
   * of its business.
   */
  hangUp(id: string): void | Promise<void>
  /**
   * Called once, before anything else: ends what an earlier run of the service has left. `calls`: ids of those
   * that no node has any more. Among several nodes it must end these only: the others go on at other nodes.
   */
  reset?(calls: readonly string[]): void | Promise<void>
  /**
   * The node that made an answered call is dead: whether this one goes on with it, and hears of it by `events`
   * from then on. One that is not taken is hung up, and has `failed`; so is every call without this function.
   */
  adopt?(id: string, events: PhoneEvents): boolean | Promise<boolean>
}
