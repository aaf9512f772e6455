import type { AttachmentBody, Body, Transcript } from './transcript.ts'
import { accepted, cancelled, echoed, failed, ownMessage, progressed, retried } from './own-messages.ts'
import { lastKey } from './transcript.ts'
import { codeOf } from './problems.ts'
import type { Contact, ContactEvents } from './sdk.ts'
import { untilDecided } from './until-decided.ts'
import type { Asking } from './until-decided.ts'

interface Sending {
  readonly file: File
  readonly ref: string
  readonly cancel: AbortController
}

export interface FileControllerOptions {
  readonly transcript: () => Transcript
  readonly change: (change: (transcript: Transcript) => Transcript) => void
  readonly now: () => number
  /** How long is tried to send a file while there is no connection. */
  readonly asking: () => Asking
}

export interface FileAddress {
  readonly url: string
  /** The address is needed no more: the memory behind it is given back. */
  readonly release: () => void
}

/** The files of a conversation: sends them, shows how far they have come, and finds those of both sides. */
export class FileController {
  readonly #contact: Contact
  readonly #options: FileControllerOptions
  readonly #sending = new Map<string, Sending>()

  constructor(contact: Contact, options: FileControllerOptions) {
    this.#contact = contact
    this.#options = options
  }

  send(files: Iterable<File>): void {
    for (const file of files) {
      const ref = newRef()
      this.#options.change((transcript) => ownMessage(transcript, bodyOf(file, ref), this.#options.now()))
      this.#deliver(lastKey(this.#options.transcript()), { file, ref })
    }
  }

  /** Tries again with a file that has failed; false where it is gone, after a reload. */
  retry(key: string): boolean {
    const sending = this.#sending.get(key)
    if (!sending) return false
    this.#options.change((transcript) => retried(transcript, key))
    this.#deliver(key, sending)
    return true
  }

  cancel(key: string): void {
    this.#sending.get(key)?.cancel.abort()
  }

  /** An address of a file that works now. A secure contact's file is decrypted for it. */
  async address(id: string): Promise<FileAddress> {
    const contact = this.#contact
    if (!contact.secure) return { url: await contact.attachmentUrl(id), release: () => {} }
    const url = URL.createObjectURL(await contact.openAttachment(id))
    return { url, release: () => URL.revokeObjectURL(url) }
  }

  /** The contact tells of an own file. */
  echo({ meta, id, ts: at }: ContactEvents['attachment']): void {
    this.#options.change((transcript) => echoed(transcript, shownBody(meta), { id, at }))
  }

  /** Lets go of the files that are not shown any more. */
  keepOnly({ items }: Transcript): void {
    if (this.#sending.size === 0) return
    const shown = new Set(items.map(({ key }) => key))
    for (const key of this.#sending.keys()) if (!shown.has(key)) this.#sending.delete(key)
  }

  close(): void {
    this.#sending.clear()
  }

  #deliver(key: string, { file, ref }: Pick<Sending, 'file' | 'ref'>): void {
    const cancel = new AbortController()
    this.#sending.set(key, { file, ref, cancel })
    const { asking, change } = this.#options
    const onProgress = (sentBytes: number, totalBytes: number): void =>
      change((transcript) => progressed(transcript, key, totalBytes === 0 ? 1 : sentBytes / totalBytes))
    const attach = () => this.#contact.attach(file, null, ref, { signal: cancel.signal, onProgress })
    untilDecided(attach, stoppedBy(cancel.signal, asking())).then(
      ({ id }) => {
        this.#sending.delete(key)
        change((transcript) => accepted(transcript, key, id))
      },
      (error: unknown) =>
        change((transcript) =>
          cancel.signal.aborted ? cancelled(transcript, key) : failed(transcript, key, codeOf(error)),
        ),
    )
  }
}

/**
 * Until there is a connection, or the file is cancelled. `offline`: nothing was sent; an upload that has begun waits
 * by itself.
 */
const stoppedBy = (cancel: AbortSignal, asking: Asking): Asking => ({
  ...asking,
  isOpen: (thrown) => !cancel.aborted && codeOf(thrown) === 'offline',
  onBack: (wake, until) => {
    asking.onBack?.(wake, until)
    cancel.addEventListener('abort', wake, { signal: until })
  },
})

/** By which a later page and the other tabs know the file again. */
const newRef = (): string =>
  `f${Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16)).join('')}`

const bodyOf = ({ name, size, type }: File, ref: string): AttachmentBody => ({
  type: 'file',
  name,
  size,
  mimetype: type,
  ref,
})

/** A file as the transcript shows it. */
export const shownBody = ({
  id,
  originalName,
  size,
  mimetype,
  referenceId,
  width,
  height,
}: ContactEvents['attachment']['meta']): Body => ({
  type: 'file',
  id,
  name: originalName,
  size,
  mimetype,
  ...(width !== undefined && height !== undefined && { width, height }),
  ...(referenceId !== undefined && { ref: referenceId }),
})
