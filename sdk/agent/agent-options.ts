import type { PageOptions } from '../api/client.ts'
import type { KeySignature, KeyToSign } from '../api/encryption.ts'

/** How an agent's page reaches the service. */
export interface AgentOptions extends PageOptions {
  /**
   * The agent's token, from the organisation's identity provider (or the service's local sign-in). A function
   * is asked for a fresh one on each connection, and half a minute before one expires; with a single token
   * the connection ends half a minute after it has expired, with the event `error`, `unauthorized`.
   */
  readonly token: string | (() => string | Promise<string>)
  /**
   * Has a key of this agent signed by the organisation (never by the contact service), for visitors who have
   * `trustedKeys`. Has 10 s to answer; where it fails, the key is offered without a signature.
   */
  readonly signKey?: (key: KeyToSign) => KeySignature | Promise<KeySignature>
}
