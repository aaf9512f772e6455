import type { AttachOptions, Attached, OpenOptions } from './attachments.ts'
import type { JsonValue } from '../../protocol/index.ts'
import type { GenericCallback, SendMessageCallback } from './callbacks.ts'

/** What one party says to the other. */
export interface MessageOperations {
  /**
   * Sends a chat message. It is kept and sent later while the connection is down, or where the service takes
   * no more for a while.
   *
   * @param text - 1 to 8,192 bytes of UTF-8.
   * @param lang - ISO 639-1.
   * @returns the message's id, which a later `ack` names in `ref`, once the service has stored the message.
   * @throws {@link ContactError} `invalid_argument`, `too_large` — also where too much waits to be sent
   *   already; `not_joined` — this page has not entered the contact; `unauthorized`, `protocol`,
   * `forbidden` — the service refuses this page for good; `internal` — it has failed to store the message for
   * a minute; `left`.
   * @example
   * ```ts
   * const id = await contact.sendText('Good morning')
   * ```
   */
  sendText(text: string, lang?: string, callback?: SendMessageCallback): Promise<string>

  /**
   * Sends an `http` or `https` link.
   *
   * @param url - at most 2,048 characters.
   * @param desc - at most 512 characters.
   * @throws {@link ContactError} as `sendText`; `invalid_argument` for any other scheme.
   * @example
   * ```ts
   * await contact.sendLink('https://example.org/lamps/oak', 'The oak lamp')
   * ```
   */
  sendLink(url: string, desc?: string, callback?: SendMessageCallback): Promise<string>

  /**
   * Sends a message of a type of the application's own.
   *
   * @param code - letters, digits and `._:-`, at most 128.
   * @param args - any JSON values, at most 4 KiB together; one that is no array stands alone in it, and
   *   null is none.
   * @throws {@link ContactError} as `sendText`.
   * @example
   * ```ts
   * await contact.sendAction('ShowProduct', ['oak lamp', { colour: 'warm white', watts: 9 }])
   * ```
   */
  sendAction(code: string, args?: JsonValue, callback?: SendMessageCallback): Promise<string>

  /**
   * Sends a file. It is uploaded in parts, and goes on where it was cut once the service is back. Both
   * parties then get `attachment`. In a secure contact it is encrypted as it goes out, under a key of its own that
   * only the other party is told: the service has its size and nothing else. `url` gives the encrypted bytes then,
   * and `openAttachment` the file.
   *
   * @param description - at most 512 bytes.
   * @param referenceId - the application's own name for it, at most 512 bytes, repeated in the event.
   * @param how - called when the service has stored the file; or options to follow and to cancel the upload.
   * @throws {@link ContactError} `invalid_argument` — it is no `File`, or has changed meanwhile; `not_supported` —
   *   the capabilities of one of the parties exclude files, or this type;
   * `too_large` — the file is larger than `Media.Sharing.MaxFileSize` of one of the parties, or the service
   * has no room or quota for it;
   * `rate_limited` — too many files in a short time; `withdrawn` — it was cancelled: a file that was under way
   * as a whole may be delivered all the same; `timeout` — the service
   * could not take it, time after time; `no_crypto` — the contact is secure, and the page did not come over https;
   * `forbidden`, `not_joined`, `offline` — its code could not be loaded; `left`.
   * @example
   * ```ts
   * const cancel = new AbortController()
   * const { id } = await contact.attach(input.files[0], 'The broken part', undefined, {
   *   signal: cancel.signal,
   *   onProgress: (sentBytes, totalBytes) => bar.value = sentBytes / totalBytes,
   * })
   * ```
   */
  attach(
    file: File,
    description?: string | null,
    referenceId?: string | null,
    how?: GenericCallback<Attached> | AttachOptions,
  ): Promise<Attached>

  /**
   * Beyond the contract. An address of a file of this contact, good for a few minutes: those of the event and
   * of `attach` get old. It may stand in `<a href>`, and of images in `<img crossorigin="anonymous" src>`.
   * The file is always given as a download.
   *
   * @param id - `meta.id` of the `attachment` event.
   * @throws {@link ContactError} `invalid_argument`, `too_large`, `not_found`, `not_assigned`,
   *   `rate_limited`, `timeout`, `offline`, `left`
   * @example
   * ```ts
   * contact.on('attachment', async ({ meta }) => {
   *   image.src = await contact.attachmentUrl(meta.id)
   * })
   * ```
   */
  attachmentUrl(id: string): Promise<string>

  /**
   * Beyond the contract. The bytes of a file of this contact, for a page that shows or saves it itself. They
   * are taken by stream; a browser may keep them on the disk.
   *
   * The type of the `Blob` is `image/png`, `image/jpeg`, `image/gif` or `image/webp` where the first bytes are
   * those of such a picture, and `application/octet-stream` for everything else, whatever `meta` says: an
   * address of `URL.createObjectURL` has the origin of the page. Let it stand in `img` or in `a download`, do not
   * go there, and revoke it. `meta.originalName` is safe to save under.
   *
   * @param id - `meta.id` of the `attachment` event.
   * @param how - options to follow and to end it. Without a byte for 30 s it ends by itself.
   * @throws {@link ContactError} `invalid_argument`; `too_large` — the id is longer than 128 bytes, or the file
   *   larger than 1 GiB; `not_found`; `not_assigned`; `forbidden` — this party has no part in the contact any
   * more; `rate_limited`; `timeout` — nothing came for 30 s; `offline` — the service cannot be reached, or the
   *   connection was cut; `withdrawn` — it was ended by `signal`; `left`. Of a secure contact also `no_crypto` —
   *   the page did not come over https; `invalid_key` — this page has not the key; `tampered` — the service gives
   *   other bytes than were stored, or not all of them. Nothing of such a file is given.
   * @example
   * ```ts
   * contact.on('attachment', async ({ meta }) => {
   *   const blob = await contact.openAttachment(meta.id)
   *   const link = document.createElement('a')
   *   link.href = URL.createObjectURL(blob)
   *   link.download = meta.originalName
   *   link.click()
   * })
   * ```
   */
  openAttachment(id: string, how?: OpenOptions): Promise<Blob>

  /**
   * Tells the remote that somebody has seen its message `ref`, and what came before: the remote gets `read`. Tell
   * it of the last message that is in view, at most once a second, and never of what nobody looked at.
   *
   * @param ref - id of a message of the remote.
   * @throws {@link ContactError} as `sendText`.
   * @example
   * ```ts
   * contact.on('text', ({ id }) => document.hasFocus() && contact.sendRead(id))
   * ```
   */
  sendRead(ref: string): Promise<void>

  /**
   * Tells the remote that this party is typing; sent at most once in 3 s, never stored.
   *
   * @example
   * ```ts
   * input.addEventListener('input', () => contact.sendIsWriting())
   * ```
   */
  sendIsWriting(): void
}
