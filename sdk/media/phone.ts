import { TelephonyEngine } from '../../engines/telephone/index.ts'
import type { ServiceBodies } from '../../protocol/index.ts'
import type { ReadEntry } from '../log/log-reader.ts'

type PhoneNews = ServiceBodies['telephone']

/**
 * What is known of the call after an entry: null when a change of media begins. `undefined`: the engine need
 * not hear of the entry. What was told before this page entered, or before both were ready, was told to nobody.
 */
export function callAfter(
  call: PhoneNews | null,
  { entry, fact }: Pick<ReadEntry, 'entry' | 'fact'>,
): PhoneNews | null | undefined {
  if (fact.kind === 'transiting') return null
  if (entry.type === 'telephone') return entry.body
  return fact.kind === 'present' || fact.kind === 'committed' ? call : undefined
}

/**
 * The engine of a contact's telephone, in place of the Native one without: it hears what the log tells of the
 * call. Loaded where the service has a telephony gateway.
 */
export class ContactTelephone extends TelephonyEngine {
  #call: PhoneNews | null = null

  read(read: ReadEntry): void {
    const call = callAfter(this.#call, read)
    if (call === undefined) return
    this.#call = call
    this.told(read.after.shared.media.Voice?.via === 'pstn', call)
  }
}
