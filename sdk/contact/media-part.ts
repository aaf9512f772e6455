import type { MediaState } from '../../protocol/index.ts'
import type { ReadEntry } from '../log/log-reader.ts'
import type { PendingMemory } from '../media/pending-offer.ts'
import type { SessionState } from './session-state.ts'

/**
 * The media of a contact, as its session and its log know them. The media machine, its engines and the
 * operations of applications are behind it.
 */
export interface MediaPart {
  /** Whether the current session has been announced, or is about to be. */
  readonly hasBegun: boolean
  /**
   * Announces a session by `present`, once. Resolves when that is decided.
   * @throws {@link ContactError} why the service refuses a page that has not entered yet; it may try again
   */
  announce(state: SessionState): Promise<void>
  /** An entry of the log was read. */
  read(read: ReadEntry, state: SessionState): void
  /** What the log says of the offers that the SDK makes by itself in a session; null while that is not known. */
  memory(state: SessionState): PendingMemory | null
  /** Whether the page that holds the own slot is gone, as the service says. */
  holderGone(isGone: boolean): void
  /**
   * Takes slot and call over from another page of the party.
   * @throws {@link ContactError} `glare`, `left`; why the service refuses it
   */
  takeOver(): Promise<void>
  /** The log is read again from its start, where nothing is on: what is on now has changed. */
  readAgain(media: MediaState): void
  /** This page leaves: nothing is negotiated any more. */
  leave(): void
  /** Gives all devices and connections back; resolves when that is done, or an engine does not answer. */
  stopEngines(): Promise<void>
  /**
   * The session is over and another one begins: undoes what is under way and stops the engines. `isSame`: in
   * the same contact, whose log is read again.
   */
  putAway(isSame: boolean): Promise<void>
  /** This page has no part in the contact any more. */
  end(): void
}
