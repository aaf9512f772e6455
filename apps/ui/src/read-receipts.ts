/**
 * Tells the other side what was read: the last of its messages that was in view while somebody attended to the
 * conversation. At most once a second, and of several only the last.
 */
import type { CallHost } from './call-host.ts'
import type { Contact } from './sdk.ts'
import { after } from './timers.ts'
import type { Transcript } from './transcript.ts'

const PAUSE_MS = 1_000

export interface ReadReceiptOptions {
  /** Whether the other side may be told. */
  readonly isOn: () => boolean
  readonly closed: AbortSignal
}

export class ReadReceipts {
  readonly #contact: Contact
  readonly #host: CallHost
  readonly #options: ReadReceiptOptions
  /** The last message of the other side that is in view, or was. */
  #seen = ''
  #isPausing = false

  constructor(contact: Contact, host: CallHost, options: ReadReceiptOptions) {
    this.#contact = contact
    this.#host = host
    this.#options = options
  }

  /** The list shows that message of the other side, and none after it. */
  inView(id: string): void {
    this.#seen = id
    this.tell()
  }

  /** Also when somebody begins to attend. */
  tell(): void {
    const { isAttended, transcript, stage, readTo } = this.#host.state()
    if (!isAttended || stage !== 'talking' || this.#isPausing || !this.#options.isOn()) return
    const ref = this.#seen
    if (placeOf(transcript, ref) <= placeOf(transcript, readTo)) return
    this.#isPausing = true
    after(PAUSE_MS, () => this.#again(), this.#options.closed)
    this.#host.tell({ type: 'read', ref })
    // What is lost is told with the next one.
    this.#contact.sendRead(ref).catch(() => {})
  }

  #again(): void {
    this.#isPausing = false
    this.tell()
  }
}

const placeOf = ({ items }: Transcript, id: string): number =>
  id === '' ? -1 : items.findLastIndex((item) => item.kind === 'remote' && item.id === id)
