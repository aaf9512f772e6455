import { TelephonyEngine } from '../../engines/telephone/index.ts'
import type { ReadEntry } from '../log/log-reader.ts'

/**
 * The engine of a contact's telephone, in place of the Native one without: it hears what the log tells of the
 * call. Loaded where the service has a telephony gateway.
 */
export class ContactTelephone extends TelephonyEngine {
  read({ entry, fact, after }: ReadEntry): void {
    const isOn = after.shared.media.Voice?.via === 'pstn'
    if (fact.kind === 'transiting') this.told(isOn, null)
    else if (entry.type === 'telephone') this.told(isOn, entry.body)
    // What was told before this page entered, or before both were ready, was told to nobody.
    else if (fact.kind === 'present' || fact.kind === 'committed') this.told(isOn)
  }
}
