import type { ContactEventName, ContactEvents, JsonValue, MediaOffer } from '../../protocol/index.ts'
import type { ARGUMENTS } from './arguments.ts'
import type { WordedMedia } from './media-words.ts'
import type { CompatChannel } from './positional.ts'
import type { RawMessage } from './raw-messages.ts'

type Listed = typeof ARGUMENTS
type ValuesOf<Event, Names extends readonly unknown[]> = {
  -readonly [I in keyof Names]: Names[I] extends keyof Event ? Event[Names[I]] : undefined
}

type Positional = {
  [E in ContactEventName]: E extends keyof Listed ? ValuesOf<ContactEvents[E], Listed[E]> : [ContactEvents[E]]
}

/** Arguments of the handlers of each event. */
export interface CompatEvents extends Omit<Positional, 'datachannel' | 'mediaoffer'> {
  /** As of a contact. */
  datachannel: [channel: CompatChannel]
  /** The remote offers media: answer through `callback`, in booleans or in words. */
  mediaoffer: [offer: MediaOffer, callback: (error: unknown, answer?: WordedMedia) => void]
  /**
   * A message of either side, as the log has it. A message with a handler of it is
   * acknowledged.
   */
  rawmessage: [message: RawMessage]
  /** The lifetime of an offer of the remote ended without an answer. */
  mediatimeout: [offer: MediaOffer]
}

/** Handler of a name of the application's own: an action, which `cb` answers, or a topic. */
export type CompatHandler = (
  data: JsonValue | undefined,
  cb: (error: unknown, result?: JsonValue) => void,
) => unknown
