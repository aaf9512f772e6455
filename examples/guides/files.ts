import { ContactError } from 'duolog'
import type { Contact } from 'duolog'

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

/** Tells `show` of each file of the contact, of either party. */
export function showFiles(
  contact: Contact,
  show: (file: {
    readonly name: string
    readonly isOwn: boolean
    /** The bytes. Pictures have their type; everything else is `application/octet-stream`. */
    open(): Promise<Blob>
  }) => void,
): () => void {
  return contact.on('attachment', ({ meta, agent }) =>
    show({
      name: meta.originalName,
      isOwn: (contact.role === 'agent') === agent,
      open: () => contact.openAttachment(meta.id),
    }),
  )
}
