import type { JsonValue, MediaCapabilities, RequestCallback } from '../../protocol/index.ts'

/** What the two parties can do, and what one asks the other to do. */
export interface RemoteOperations {
  /**
   * Asks the remote to run a procedure: the handler that it has registered with `on` for the name `type`.
   *
   * However often a request is repeated, the procedure runs at most once.
   *
   * @param type - 1 to 128 letters, digits or `._:-`; by convention camel case with an initial capital.
   * @param data - anything that `JSON.stringify` takes: at most 32 KiB of JSON, 16 deep, with 256 keys in
   *   an object and 1,024 items in a list, and no NUL.
   * @param timeout - how long one attempt may take, milliseconds; when left out, the request waits as long
   *   as the contact lasts.
   * @param retries - attempts after the first one, at most 100; needs a timeout.
   * @param callback - called with the failure or the result.
   * @returns the result that the procedure gave.
   * @throws {@link ContactError} `timeout` — no answer within the timeout, with all retries used;
   *   `not_supported` — the remote has no handler for
   * `type`, or it is the name of an event; `peer_left` — nobody is there, or the page that may have run the
   * procedure is gone; `invalid_argument`;
   * `too_large` — the data, the result, or too much waits already; `rate_limited` — too much runs there;
   * `not_joined`; `left`. Also any failure that the procedure gave, in its own shape: a value of JSON as it
   * is, an `Error` with its name, message and further members.
   * @example
   * ```ts
   * const title = await contact.request('GetTitle', { language: 'en' }, 5_000, 2)
   * ```
   */
  request(
    type: string,
    data?: unknown,
    timeout?: number | null,
    retries?: number | null,
    callback?: RequestCallback,
  ): Promise<JsonValue | undefined>

  /**
   * What this party can do: a copy.
   *
   * @example
   * ```ts
   * const { Mobile, WebRTC } = await contact.getLocalCapabilities()
   * ```
   */
  getLocalCapabilities(): Promise<MediaCapabilities>

  /**
   * Sets one capability of this party. Those of third parties may be added under any name.
   *
   * @param path - 1 to 16 names with dots between them; objects on the way are made where they are missing.
   * @param value - anything that `JSON.stringify` takes; all capabilities together have at most 16 KiB and
   *   are at most 16 deep.
   * @returns the complete capabilities. The remote hears of the change at once if it has been told any.
   * @throws {@link ContactError} `invalid_argument` — also for a value that the documented capabilities do
   *   not allow; `too_large`; `left`.
   * @example
   * ```ts
   * await contact.setLocalCapability('MediaAvailability.Voice', false)
   * ```
   */
  setLocalCapability(path: string, value: unknown): Promise<MediaCapabilities>

  /**
   * Replaces the capabilities of this party.
   *
   * @returns those just set. The remote hears of the change at once if it has been told any.
   * @throws {@link ContactError} as `setLocalCapability`.
   * @example
   * ```ts
   * const capabilities = await contact.getLocalCapabilities()
   * await contact.setLocalCapabilities({ ...capabilities, CoBrowsing: true })
   * ```
   */
  setLocalCapabilities(capabilities: MediaCapabilities): Promise<MediaCapabilities>

  /**
   * What the remote can do, as last told. Where nobody has told anything yet, waits up to 10 s for the remote
   * to come.
   *
   * @throws {@link ContactError} `peer_left` — there is no remote; `not_joined`; `left`.
   * @example
   * ```ts
   * const { MediaAvailability } = await contact.getRemoteCapabilities()
   * videoButton.hidden = MediaAvailability?.Video === false
   * ```
   */
  getRemoteCapabilities(): Promise<MediaCapabilities>

  /**
   * Sends the capabilities of this party, and gives those of the remote. Needed by nobody who listens to
   * `capabilities`: every change is told at once.
   *
   * @throws {@link ContactError} as `getRemoteCapabilities`.
   * @example
   * ```ts
   * const remote = await contact.updateRemoteCapabilities()
   * ```
   */
  updateRemoteCapabilities(): Promise<MediaCapabilities>
}
