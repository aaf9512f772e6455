import { ContactError } from 'duolog/agent'

/** Where the agent's tokens come from. */
export interface TokenSource {
  /**
   * A token that is valid for a while yet, other than `refused`.
   * @throws {@link ContactError} `unauthorized` — the agent has to sign in again; `offline`
   */
  token(refused?: string): Promise<string>
  /** The agent signs out: the tokens are void where that can be told, and forgotten. */
  signOut(): Promise<void>
  /** Nothing of the tokens stays in the tab. */
  forget(): void
}

/** The page has to sign in anew. */
export const signedOut = (cause?: unknown): ContactError =>
  new ContactError('unauthorized', 'unable to get a token; the agent has to sign in again', { cause })

/** Who has signed in is no agent. */
export const noAgent = (): ContactError =>
  new ContactError('forbidden', 'unable to sign in; the account is not an agent’s')

/** Nothing is decided: it may work later. */
export const unreachable = (cause?: unknown): ContactError =>
  new ContactError('offline', 'unable to get a token; the identity provider cannot be reached', { cause })
