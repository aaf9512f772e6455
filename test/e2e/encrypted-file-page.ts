/** Runs in the page: a file goes out encrypted, and comes back. */
import { download } from '../../sdk/attachments/download.ts'
import { tusUpload } from '../../sdk/attachments/tus-upload.ts'
import { pageClock } from '../../sdk/client/clock.ts'
import { fromBase64 } from '../../sdk/crypto/bytes.ts'
import { EncryptedFile } from '../../sdk/crypto/encrypted-file.ts'
import { openedFile } from '../../sdk/crypto/files.ts'

export interface EncryptedFilePage {
  /** Uploads the chosen file in as many attempts as it takes; resolves with them, and the key. */
  send(): Promise<{ readonly attempts: number; readonly key: string; readonly size: number }>
  /** The most that the heap retained, buffers included, since it was asked for last; bytes. */
  heap(): number
  /** Opens what the server has; resolves with the size, or the code of the failure. */
  open(key: string): Promise<number | string>
  /** The SHA-256 of what was opened last. */
  hash(): Promise<string>
}

declare global {
  interface Window {
    encrypted: EncryptedFilePage
  }
}

const MB = 1024 * 1024

let opened = new Blob()
let most = 0
/** What the collector has not come to yet does not count. */
const lookAtHeap = (): void => {
  if (!gc) throw new Error('garbage cannot be collected: --js-flags=--expose-gc is missing')
  gc()
  const { usedJSHeapSize } = (performance as unknown as { memory: { usedJSHeapSize: number } }).memory
  most = Math.max(most, usedJSHeapSize)
}

/** Looks after each MiB. */
function looking(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let next = 0
  let size = 0
  return new TransformStream({
    transform(bytes, out) {
      size += bytes.length
      if (size >= next) lookAtHeap()
      next = Math.max(next, Math.floor(size / MB + 1) * MB)
      out.enqueue(bytes)
    },
  })
}

window.encrypted = {
  async send() {
    const chosen = document.querySelector<HTMLInputElement>('input')?.files?.[0]
    if (!chosen) throw new Error('no file was chosen')
    const source = await EncryptedFile.of(chosen)
    const job = {
      ...{ url: new URL('/upload', location.href).href, token: 'secret', onProgress: lookAtHeap },
      ...{ cancelled: new AbortController().signal, stopped: new AbortController().signal },
    }
    for (let attempts = 1; ; attempts += 1) {
      const failure = await tusUpload(source, job).then(
        () => null,
        ({ code }: { code: string }) => code,
      )
      if (failure === null) return { attempts, key: source.key, size: source.size }
      if (!['offline', 'timeout'].includes(failure)) throw new Error(failure)
    }
  },
  async open(key) {
    try {
      opened = await download({
        ...{ url: '/stored', clock: pageClock, ending: new AbortController(), onLength: () => {} },
        through: [openedFile(crypto, fromBase64(key) ?? new Uint8Array()), looking()],
      })
      return opened.size
    } catch (thrown) {
      return (thrown as { code: string }).code
    }
  },
  heap() {
    const found = most
    most = 0
    return found
  },
  async hash() {
    const digest = await crypto.subtle.digest('SHA-256', await opened.arrayBuffer())
    return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
  },
}
