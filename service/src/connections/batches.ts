import type { Entry } from '../../../protocol/index.ts'

const BATCH_BYTES = 192 * 1024

/** Cuts a list so that no push grows too large for a connection. */
export function* batches(entries: readonly Entry[]): Generator<readonly Entry[]> {
  let batch: Entry[] = []
  let size = 0
  for (const entry of entries) {
    const bytes = JSON.stringify(entry).length * 2
    if (batch.length > 0 && size + bytes > BATCH_BYTES) {
      yield batch
      batch = []
      size = 0
    }
    batch.push(entry)
    size += bytes
  }
  if (batch.length > 0) yield batch
}
