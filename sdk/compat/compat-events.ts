/** Which properties of an event are the arguments of its handlers, in their order. An event that is not listed hands over its one object. */
import type { ContactEventName, ContactEvents, DataMessage, JsonValue } from '../../protocol/index.ts'

export const ARGUMENTS = {
  text: ['text', 'from_id', 'from_nick', 'agent'],
  localtext: ['text'],
  link: ['url', 'from_id', 'from_nick', 'desc', 'agent'],
  locallink: ['url', 'desc'],
  attachment: ['url', 'meta', 'from_id', 'from_nick', 'agent'],
  iswriting: ['from_id', 'from_nick', 'agent'],
  localiswriting: [],
  ack: ['ref', 'from_id', 'from_nick', 'agent'],
  action: ['action_code', 'args', 'from_id', 'from_nick', 'agent'],
  joined: ['id', 'user', 'nick', 'avatar'],
  localleft: ['reason'],
  cleared: ['id', 'reason'],
  transferred: ['id', 'to'],
  declined: ['id', 'user', 'nick'],
  data: ['channel', 'topic', 'data'],
  mediaoffer: ['offer', 'callback'],
  mediachange: ['newMedia', 'diff'],
} as const satisfies { readonly [E in ContactEventName]?: readonly (keyof ContactEvents[E])[] }

type Listed = typeof ARGUMENTS
type ValuesOf<Event, Names extends readonly unknown[]> = { -readonly [I in keyof Names]: Names[I] extends keyof Event ? Event[Names[I]] : undefined }

/** Arguments of the handlers of each event. */
export type CompatEvents = { [E in ContactEventName]: E extends keyof Listed ? ValuesOf<ContactEvents[E], Listed[E]> : [ContactEvents[E]] }

/** Arguments of the handlers of a data channel's events. */
export interface CompatChannelEvents {
  data: [channel: string, data: DataMessage['data'], topic: string | undefined]
  close: []
}

/** Handler of a name of the application's own: an action, which `cb` answers, or a topic. */
export type CompatHandler = (data: JsonValue | undefined, cb: (error: unknown, result?: JsonValue) => void) => unknown
