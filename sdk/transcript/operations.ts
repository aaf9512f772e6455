import { copyOf } from '../../protocol/index.ts'
import type { TranscriptMessage, TranscriptOptions, TranscriptPage } from '../api/transcript.ts'
import { loaded } from '../async/lazy-module.ts'
import type { Loading } from '../async/lazy-module.ts'
import { runOperation } from '../async/run-operation.ts'
import { later } from '../contact/lazy-modules.ts'
import { fromArguments } from '../values/arguments.ts'
import type { TranscriptHost } from './transcript.ts'

const OPERATION = 'read the transcript'

/** One page of the transcript. What reads it is loaded with the first one. */
export function readTranscript(
  host: TranscriptHost & Loading,
  options: TranscriptOptions | undefined,
): Promise<TranscriptPage> {
  return runOperation(OPERATION, async () => {
    const own = fromArguments(OPERATION, () => copyOf(options))
    return (await loaded(OPERATION, later.transcript(), host)).readTranscript(host, own)
  })
}

/** All of the transcript, newest message first. */
export async function* transcript(
  host: TranscriptHost & Loading,
): AsyncGenerator<TranscriptMessage, void, undefined> {
  const { transcriptOf } = await loaded(OPERATION, later.transcript(), host)
  yield* transcriptOf(host)
}
