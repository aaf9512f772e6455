import { PIPE_WATERMARKS } from '../../engines/eager.ts'
import type { Clock } from '../../protocol/index.ts'
import type { DirectPath } from './direct-path.ts'
import { FRAME_HEAD, encodeFrame, toBase64 } from './frames.ts'
import type { DataChannelImpl } from './data-channel.ts'

/** With its head and as base64 within the 16 KiB that the service allows. */
const RELAY_FRAME_BYTES = 12_000
/** Bytes on their way over the relay, all channels together: the relay is shared with signals and requests. */
const RELAY_WINDOW_BYTES = 16 * RELAY_FRAME_BYTES
const REPEAT_AFTER_MS = 500

export interface SenderOptions {
  readonly channels: () => Iterable<DataChannelImpl>
  readonly direct: DirectPath
  readonly clock: Clock
  /** Hands a frame to the relay; throws where it takes none. */
  readonly relay: (text: string) => void
}

/** Sends what channels have, a frame of each in turn, while there is room on its path. */
export class Sender {
  readonly #options: SenderOptions
  /** Stream that had its turn last. */
  #last = 0
  #timer: unknown = null

  constructor(options: SenderOptions) {
    this.#options = options
  }

  run(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      this.#last = next.stream
      if (!this.#sendOf(next)) return
    }
  }

  /** One frame on its own, regardless of room. False where it could not be sent. */
  put(frame: Uint8Array<ArrayBuffer>, path: 'direct' | 'relay'): boolean {
    if (path === 'direct') return this.#options.direct.send(frame)
    try {
      this.#options.relay(toBase64(frame))
      return true
    } catch {
      this.repeat()
      return false
    }
  }

  /** After a moment, sends again what is not acknowledged on the relay, and what has been read. */
  repeat(): void {
    const { clock, channels } = this.#options
    this.#timer ??= clock.setTimeout(() => {
      this.#timer = null
      for (const channel of channels()) {
        if (channel.path !== 'relay') continue
        channel.out.rewind()
        channel.acknowledge()
      }
      this.run()
    }, REPEAT_AFTER_MS)
  }

  stop(): void {
    this.#options.clock.clearTimeout(this.#timer)
    this.#timer = null
  }

  #sendOf(channel: DataChannelImpl): boolean {
    const path = channel.path ?? 'relay'
    const { offset, parts } = channel.out.take(
      path === 'direct' ? this.#options.direct.frameBytes - FRAME_HEAD : RELAY_FRAME_BYTES,
    )
    return this.put(encodeFrame({ kind: 'bytes', stream: channel.stream, offset }, parts), path)
  }

  /** The channel whose turn it is, of those with something to send and room to send it. */
  #next(): DataChannelImpl | undefined {
    const { direct, channels } = this.#options
    const all = [...channels()]
    const onRelay = all.reduce((sum, { path, out }) => (path === 'relay' ? sum + out.underWay : sum), 0)
    const hasRoom = {
      direct: direct.state === 'open' && direct.bufferedBytes < PIPE_WATERMARKS.high,
      relay: this.#timer === null && onRelay < RELAY_WINDOW_BYTES,
    }
    const ready = all.filter(({ path, out }) => path !== null && hasRoom[path] && out.hasMore)
    return ready.find(({ stream }) => stream > this.#last) ?? ready[0]
  }
}
