/** The bytes of an address, by stream. */
import { ContactError, within } from '../../protocol/index.ts'
import type { Clock, ErrorCode } from '../../protocol/index.ts'

/** A download ends after so much time without a byte. */
const SILENCE_MS = 30_000
/** What a page takes, so that no service fills a disk. */
const MOST_BYTES = 1_073_741_824
/** Codes of what the service refuses; any other status is one that may be tried again. */
const REFUSALS: Readonly<Record<number, ErrorCode>> = { 403: 'forbidden', 404: 'not_found', 410: 'not_found' }

type Bytes = Uint8Array<ArrayBuffer>

export interface Download {
  readonly url: string
  readonly clock: Clock
  /** Ends it, with a `ContactError` as its reason; it is aborted in the end. */
  readonly ending: AbortController
  /** What the bytes go through on their way, in order. */
  readonly through: readonly TransformStream<Bytes, Bytes>[]
  /** Called with the length that the service tells; 0: it tells none. */
  readonly onLength: (bytes: number) => void
}

/**
 * All bytes together. A browser keeps them on the disk where they are many.
 * @throws {@link ContactError} `forbidden`, `not_found`, `too_large`, `timeout`, `offline`; the reason of `ending`
 */
export async function download({ url, clock, ending, through, onLength }: Download): Promise<Blob> {
  const silence = new Silence(clock, () => ending.abort(failure('timeout', 'nothing of it came for 30 s')))
  const work = async (): Promise<Blob> => {
    const { status, body, headers } = await fetch(url, { signal: ending.signal, credentials: 'omit' })
    if (status !== 200 || !body)
      throw failure(REFUSALS[status] ?? 'offline', `the service answered ${status}`)
    const length = Number(headers.get('content-length')) || 0
    if (length > MOST_BYTES) throw tooLarge()
    onLength(length)
    return collected(body, [watched(silence), ...through])
  }
  try {
    return await within(work(), { over: ending.signal })
  } catch (thrown) {
    if (thrown instanceof ContactError) throw thrown
    throw failure('offline', 'the connection was cut', thrown)
  } finally {
    silence.end()
    ending.abort(failure('internal', 'it is over'))
  }
}

/** What comes out of the transforms, as one; fails with what one of them says, where one does. */
async function collected(
  body: ReadableStream<Bytes>,
  through: readonly TransformStream<Bytes, Bytes>[],
): Promise<Blob> {
  let bytes = body
  const moving = through.map((each) => {
    const moved = bytes.pipeTo(each.writable)
    bytes = each.readable
    return moved
  })
  const file = new Response(bytes).blob()
  const ends = await Promise.allSettled([...moving, file])
  const failures = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []))
  if (failures.length === 0) return file
  // Browsers do not pass on why a stream has failed.
  throw failures.find((thrown) => thrown instanceof ContactError) ?? failures[0]
}

const failure = (code: ErrorCode, reason: string, cause?: unknown): ContactError =>
  new ContactError(code, `unable to open the file; ${reason}`, { cause })
const tooLarge = (): ContactError => failure('too_large', `it is larger than ${MOST_BYTES} bytes`)

/** Bytes as they are: each breaks the silence, and too many are refused. */
function watched(silence: Silence): TransformStream<Bytes, Bytes> {
  let taken = 0
  return new TransformStream({
    transform(bytes, out) {
      silence.break()
      taken += bytes.length
      if (taken > MOST_BYTES) throw tooLarge()
      out.enqueue(bytes)
    },
  })
}

/** Ends what nothing is heard of. */
class Silence {
  readonly #clock: Clock
  readonly #late: () => void
  #timer: unknown

  constructor(clock: Clock, late: () => void) {
    this.#clock = clock
    this.#late = late
    this.break()
  }

  break(): void {
    this.end()
    this.#timer = this.#clock.setTimeout(this.#late, SILENCE_MS)
  }

  end(): void {
    this.#clock.clearTimeout(this.#timer)
  }
}
