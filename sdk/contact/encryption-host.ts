import type { ContactError, UnsentEntry } from '../../protocol/index.ts'
import type { AttachHost } from '../attachments/attach-host.ts'
import type { Encryption, SecrecyHost } from '../crypto/interface.ts'
import type { Outbox } from '../log/outbox.ts'
import type { Relay } from '../relay/relay.ts'
import type { TranscriptHost } from '../transcript/transcript.ts'
import type { Delivery } from './event-queue.ts'
import { later } from './lazy-modules.ts'
import type { SessionState } from './session-state.ts'

/** What the encryption needs of the parts of its contact. */
export type ContactEncryptionHost = Pick<
  SecrecyHost,
  'actor' | 'delivery' | 'onBroken' | 'onChange' | 'onRead' | 'place' | 'share' | 'write'
>

interface Parts {
  /** What files and transcript need. */
  readonly host: () => AttachHost & TranscriptHost
  readonly delivery: Delivery
  readonly actor: SecrecyHost['actor']
  readonly place: () => SessionState
  readonly write: (entry: UnsentEntry) => void
  readonly onBroken: (error: ContactError) => void
  /** They are made after the encryption. */
  readonly parts: () => {
    readonly encryption: Encryption | null
    readonly relay: Pick<Relay, 'resume'>
    readonly outbox: Pick<Outbox, 'wake'>
  }
}

/** What the encryption does to the other parts of its contact. */
export function encryptionHost({
  delivery,
  place,
  parts,
  host: hostOf,
  ...rest
}: Parts): ContactEncryptionHost {
  let could = false
  return {
    ...{ ...rest, delivery, place },
    share: async () => {
      const [{ sendHistory }, { historyOf }] = await Promise.all([later.attach(), later.transcript()])
      const host = hostOf()
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
