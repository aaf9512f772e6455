/**
 * Which properties of an event are the arguments of its handlers, in their order. An event that is not listed
 * has its one object as its argument.
 */
import type { ContactEventName, ContactEvents, DataMessage } from '../../protocol/index.ts'

/** The positional arguments of each event that has them. */
export const ARGUMENTS = {
  text: ['text', 'from_id', 'from_nick', 'agent'],
  localtext: ['text'],
  link: ['url', 'from_id', 'from_nick', 'desc', 'agent'],
  locallink: ['url', 'desc'],
  action: ['action_code', 'args', 'from_id', 'from_nick', 'agent'],
  ack: ['ref', 'from_id', 'from_nick', 'agent'],
  attachment: ['url', 'meta', 'from_id', 'from_nick', 'agent'],
  notice: ['text', 'from_nick'],
  iswriting: ['from_id', 'from_nick', 'agent'],
  localiswriting: [],
  localleft: ['reason'],
  data: ['channel', 'topic', 'data'],
  mediaoffer: ['offer', 'callback'],
  mediachange: ['newMedia', 'diff'],
} as const satisfies { readonly [E in ContactEventName]?: readonly (keyof ContactEvents[E])[] }

/** Arguments of the handlers of a data channel's events. */
export interface CompatChannelEvents {
  data: [channel: string, data: DataMessage['data'], topic: string | undefined]
  close: []
}
