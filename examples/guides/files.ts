import { ContactError } from 'duolog'
import type { Contact, ContactEvents } from 'duolog'

/** Sends a file. `signal` cancels it; a cut of the connection does not. */
export async function sendFile(
  contact: Contact,
  file: File,
  how: { readonly signal?: AbortSignal; readonly onProgress?: (done: number) => void } = {},
): Promise<'sent' | 'cancelled' | 'too large'> {
  try {
    await contact.attach(file, null, null, {
      ...(how.signal && { signal: how.signal }),
      onProgress: (doneBytes, totalBytes) => how.onProgress?.(doneBytes / totalBytes),
    })
    return 'sent'
  } catch (error) {
    if (error instanceof ContactError && error.code === 'withdrawn') return 'cancelled'
    if (error instanceof ContactError && error.code === 'too_large') return 'too large'
    throw error
  }
}

/** A file of the contact, of either party. */
export interface ShownFile {
  readonly name: string
  readonly isOwn: boolean
  /** The bytes. Pictures have their type; everything else is `application/octet-stream`. */
  open(): Promise<Blob>
}

/** Tells `show` of each file of the contact: those from before this page was loaded, then each new one. */
export async function showFiles(contact: Contact, show: (file: ShownFile) => void): Promise<void> {
  const shown = new Set<string>()
  const showOnce = ({ meta, agent }: Pick<ContactEvents['attachment'], 'meta' | 'agent'>): void => {
    if (shown.has(meta.id)) return
    shown.add(meta.id)
    show({
      name: meta.originalName,
      isOwn: (contact.role === 'agent') === agent,
      open: () => contact.openAttachment(meta.id),
    })
  }
  // What is sent from now on. One that arrives while the earlier ones are read is among them, too.
  contact.on('attachment', showOnce)
  const earlier = []
  for await (const message of contact.transcript())
    if (message.type === 'attachment') earlier.unshift(message)
  earlier.forEach(showOnce)
}
