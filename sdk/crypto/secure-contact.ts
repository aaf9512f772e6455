/** Makes the encryption of a contact: where the code begins that is loaded for secure contacts only. */
import type { ContactData } from '../../protocol/index.ts'
import type { EncryptionParts } from '../contact/encryption-parts.ts'
import type { KeyValueStore } from '../api/client.ts'
import type { Encryption, SecrecyHost } from './interface.ts'
import { Secrecy } from './secrecy.ts'

/** What the encryption needs of its page. */
export interface SecurePage extends Partial<Pick<SecrecyHost, 'shareHistory' | 'signKey' | 'trustedKeys'>> {
  readonly role: SecrecyHost['role']
  readonly service: string
  readonly record: ContactData
  /** The contact was open on an earlier page of the party. */
  readonly resumed: boolean
  readonly environment: Pick<SecrecyHost, 'clock' | 'openTabs'> & { readonly tab: KeyValueStore }
}

/** Code that is loaded when a history is told. */
export interface HistoryCode {
  readonly attach: () => Promise<Pick<typeof import('../attachments/attach.ts'), 'sendHistory'>>
  readonly transcript: () => Promise<Pick<typeof import('../transcript/transcript.ts'), 'historyOf'>>
}

/** The encryption of one contact on one page. */
export function encryptionOf(page: SecurePage, parts: EncryptionParts, code: HistoryCode): Encryption {
  const { environment, service, role, record, resumed, trustedKeys = [], signKey, shareHistory } = page
  return new Secrecy(record.id, record.transferredFrom, {
    ...hostOf(parts, code),
    ...{ role, service, trustedKeys, signKey, shareHistory, isResumed: resumed },
    ...{ store: environment.tab, clock: environment.clock, openTabs: environment.openTabs },
  })
}

/** What the encryption does to the other parts of its contact. */
function hostOf({ delivery, place, parts, host: ofFiles, ...rest }: EncryptionParts, code: HistoryCode) {
  let could = false
  return {
    ...{ ...rest, delivery, place },
    share: async () => {
      const [{ sendHistory }, { historyOf }] = await Promise.all([code.attach(), code.transcript()])
      const host = ofFiles()
      const history = await historyOf(host)
      if (history) await sendHistory(host, history)
    },
    onRead: () => delivery.batch(() => place().log.goOn()),
    onChange: () => {
      const { encryption, relay, outbox } = parts()
      const may = encryption?.mayRelay === true
      if (may && !could) relay.resume()
      could = may
      outbox.wake()
    },
  }
}
