import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import type { CannedReply } from '../../../protocol/index.ts'

/** Of the organisation: how many there may be, and bytes of their JSON together. */
const MOST = 200
const MOST_BYTES = 65_536
const MOST_CHARACTERS = 2_048

const replySchema = v.strictObject({
  shortcut: v.pipe(v.string(), v.regex(/^[\p{L}\p{N}_-]{1,32}$/u)),
  text: v.pipe(v.string(), v.minLength(1), v.maxLength(MOST_CHARACTERS), v.regex(/^[^\0]*$/)),
})
const repliesSchema = v.pipe(v.array(replySchema), v.maxLength(MOST))

/**
 * The canned replies in a JSON file: a list of `{ "shortcut", "text" }`. Throws an `Error` that says what is wrong
 * with it.
 */
export function readReplies(path: string): readonly CannedReply[] {
  const text = readFileSync(path, 'utf8')
  if (Buffer.byteLength(text) > MOST_BYTES) throw new Error(`it has more than ${MOST_BYTES} bytes`)
  const read = v.safeParse(repliesSchema, JSON.parse(text))
  if (!read.success) {
    const [issue] = read.issues
    throw new Error(`${v.getDotPath(issue) ?? 'it'} is malformed: ${issue.message}`)
  }
  const seen = new Set<string>()
  for (const { shortcut } of read.output) {
    if (seen.has(shortcut.toLowerCase())) throw new Error(`/${shortcut} is there twice`)
    seen.add(shortcut.toLowerCase())
  }
  return read.output
}
