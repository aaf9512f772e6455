import { copyOf } from '../../protocol/index.ts'
import type { TranscriptMessage, TranscriptOptions, TranscriptPage } from '../api/transcript.ts'
import { loaded } from '../async/lazy-module.ts'
import type { Loading } from '../async/lazy-module.ts'
import { runOperation } from '../async/run-operation.ts'
import { later } from '../contact/lazy-modules.ts'
import { fromArguments } from '../values/arguments.ts'
import type { AttachHost } from '../attachments/attach-host.ts'
import type { OpenFile, TranscriptHost } from './transcript.ts'

const OPERATION = 'read the transcript'

/** One page of the transcript. What reads it is loaded with the first one. */
export function readTranscript(
  host: AttachHost & TranscriptHost & Loading,
  options: TranscriptOptions | undefined,
): Promise<TranscriptPage> {
  return runOperation(OPERATION, async () => {
    const own = fromArguments(OPERATION, () => copyOf(options))
    return (await loaded(OPERATION, later.transcript(), host)).readTranscript(host, own, opening(host))
  })
}

/** All of the transcript, newest message first. */
export async function* transcript(
  host: AttachHost & TranscriptHost & Loading,
): AsyncGenerator<TranscriptMessage, void, undefined> {
  const { transcriptOf } = await loaded(OPERATION, later.transcript(), host)
  yield* transcriptOf(host, opening(host))
}

/** How a file is opened: what does so is loaded with the first one. */
const opening =
  (host: AttachHost): OpenFile =>
  async (id) =>
    (await later.attach()).openAttachment(host, id, {})
