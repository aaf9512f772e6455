import { BUS_LIMITS } from './bus.ts'

/** Counts the frames that wait for an answer: the back-pressure of the relay between nodes. */
export class FrameWindow {
  readonly #frames = new Map<string, number>()
  readonly #bytes = new Map<string, number>()

  /** False where the session or the node has too much waiting. True: `release` follows. */
  take(node: string, session: string, bytes: number): boolean {
    const [frames, sum] = [this.#frames.get(session) ?? 0, this.#bytes.get(node) ?? 0]
    if (frames >= BUS_LIMITS.sessionFrames || sum + bytes > BUS_LIMITS.nodeFrameBytes) return false
    this.#frames.set(session, frames + 1)
    this.#bytes.set(node, sum + bytes)
    return true
  }

  /** The frame was answered, or was given up. */
  release(node: string, session: string, bytes: number): void {
    lower(this.#frames, session, 1)
    lower(this.#bytes, node, bytes)
  }

  /** Sessions and nodes with frames that wait. */
  get size(): number {
    return this.#frames.size + this.#bytes.size
  }
}

function lower(sums: Map<string, number>, key: string, by: number): void {
  const left = (sums.get(key) ?? 0) - by
  if (left > 0) sums.set(key, left)
  else sums.delete(key)
}
