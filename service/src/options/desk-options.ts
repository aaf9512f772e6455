import type { CannedReply } from '../../../protocol/index.ts'
import { readReplies } from '../desk/replies.ts'
import { StartError, messageOf } from '../start-error.ts'
import type { RawOptions } from './flags.ts'

/** @throws {@link StartError} */
export function deskOptions({ one }: RawOptions): { readonly replies: readonly CannedReply[] } {
  const path = one('replies')
  if (path === '') return { replies: [] }
  try {
    return { replies: readReplies(path) }
  } catch (cause) {
    throw new StartError(`unable to read --replies; ${messageOf(cause)}`, { cause })
  }
}
