/** What was said before a transfer goes to the next agent, where the site wants that (encryption.md section 3). */
import { toContactError } from '../../protocol/index.ts'
import type { SecureFiles } from '../attachments/secure-files.ts'
import type { SecrecyHost } from './interface.ts'
import type { KeyRing } from './key-ring.ts'

export interface HistoryOptions {
  readonly host: Pick<SecrecyHost, 'delivery' | 'place' | 'share' | 'shareHistory'>
  readonly ring: KeyRing
  /** Id of the key that this page has agreed on and may use; null while there is none. */
  readonly key: () => string | null
  readonly files: () => Pick<SecureFiles, 'history'>
}

/** Shares it once in each contact: by the visitor's page that has agreed on a key with the next agent. */
export class History {
  readonly #options: HistoryOptions
  /** The contact in which this page has shared it. */
  #shared = ''

  constructor(options: HistoryOptions) {
    this.#options = options
  }

  /** Something has changed: it is shared when it can be, and the agent has it not yet. */
  look(): void {
    const { host, ring, key, files } = this.#options
    const { id } = host.place()
    const current = ring.get(key() ?? '')
    if (host.shareHistory !== true || !current || this.#shared === id) return
    const earlier = ring.all.filter(({ contact }) => contact !== id)
    // A key that goes on from an earlier one keeps its code: this agent's tab has read all of it.
    const isKnown = earlier.length === 0 || earlier.some(({ code }) => code === current.code)
    if (isKnown || files().history('visitor') !== null) return // §3
    this.#shared = id
    host
      .share()
      .catch((thrown: unknown) =>
        host.delivery.emit(
          'error',
          toContactError(thrown, 'internal', 'unable to share what was said before'),
        ),
      )
  }
}
