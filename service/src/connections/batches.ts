import type { Entry } from '../../../protocol/index.ts'
import { textOfList } from './entries-text.ts'

/** Bytes of a push: what a line of 32 kbit/s carries in two seconds, and one entry at least. */
const BATCH_BYTES = 8_192

/** Cuts a list so that no push keeps a slow line from what comes next. */
export function* batches(entries: readonly Entry[]): Generator<readonly Entry[]> {
  if (entries.length === 1) return yield entries
  let batch: Entry[] = []
  let size = 0
  for (const entry of entries) {
    const bytes = Buffer.byteLength(JSON.stringify(entry))
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

/** Whether a list goes as one push. */
export const isOneBatch = (entries: readonly Entry[]): boolean =>
  entries.length === 1 || Buffer.byteLength(textOfList(entries)) <= BATCH_BYTES
