/** What stands in the stream of a channel: records, each with its length before it. */
import { ContactError, isName } from '../../protocol/index.ts'
import type { ChannelData, JsonValue } from '../../protocol/index.ts'

/** `open` is the first record of a stream, `close` the last. */
export type RecordType = 'open' | 'json' | 'binary' | 'close'

/** One record of a stream. */
export interface ChannelRecord {
  readonly type: RecordType
  readonly topic: string
  readonly data: Uint8Array<ArrayBuffer>
}

/** Content of `open`. */
export interface Opening {
  readonly name: string
  /** Stream of the other party to which this one belongs; missing where none was known yet. */
  readonly re?: number
}

/** Bytes of a record before its topic: length of the data, type, length of the topic. */
export const RECORD_HEAD = 6
/** The record types, in the order of their numbers on the wire. */
export const TYPES = ['open', 'json', 'binary', 'close'] as const
/** Bytes that a message may have. */
export const MESSAGE_BYTES = 16 * 1024 * 1024

const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])
/** A text that may have such a key; letters can be escaped. */
const SUSPICIOUS = /__proto__|constructor|prototype|\\u/
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

/** A record as bytes, a copy. */
export function encodeRecord(type: RecordType, topic = '', data: Uint8Array = new Uint8Array()): Uint8Array {
  const record = new Uint8Array(RECORD_HEAD + topic.length + data.length)
  const head = new DataView(record.buffer)
  head.setUint32(0, data.length)
  head.setUint8(4, TYPES.indexOf(type))
  head.setUint8(5, topic.length)
  encoder.encodeInto(topic, record.subarray(RECORD_HEAD))
  record.set(data, RECORD_HEAD + topic.length)
  return record
}

export const encodeOpening = (opening: Opening): Uint8Array =>
  encodeRecord('open', '', encoder.encode(JSON.stringify(opening)))

/** What `open` says; nothing where it is malformed. */
export function decodeOpening(data: Uint8Array): Opening | undefined {
  const value = parse(data)
  if (typeof value !== 'object' || value === null || !('name' in value) || !isName(value.name))
    return undefined
  const re = 're' in value && typeof value.re === 'number' ? { re: value.re } : {}
  return { name: value.name, ...re }
}

const refused = (reason: string): ContactError =>
  new ContactError('invalid_argument', `unable to send the data; ${reason}`)

/** A message of the application as a record. @throws {@link ContactError} `invalid_argument`, `too_large` */
export function encodeMessage(data: ChannelData, topic: string | undefined): Uint8Array {
  if (topic !== undefined && topic !== null && !isName(topic))
    throw refused('a topic has 1 to 128 letters, digits or ._:-')
  const bytes = bytesOf(data)
  const content = bytes ?? encoder.encode(textOf(data))
  if (content.length > MESSAGE_BYTES)
    throw new ContactError('too_large', `unable to send the data; it is larger than ${MESSAGE_BYTES} bytes`)
  return encodeRecord(bytes ? 'binary' : 'json', topic ?? '', content)
}

/** The value in a record of the other party; nothing where it is malformed. */
export function decodeMessage({ type, data }: ChannelRecord): JsonValue | ArrayBuffer | undefined {
  if (type === 'binary') return data.byteLength === data.buffer.byteLength ? data.buffer : data.slice().buffer
  return parse(data) as JsonValue | undefined
}

function bytesOf(data: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  return data instanceof ArrayBuffer ? new Uint8Array(data) : undefined
}

function textOf(data: unknown): string {
  let text: string | undefined
  try {
    text = JSON.stringify(data)
  } catch {
    throw refused('it must be a JSON value or bytes')
  }
  if (text === undefined) throw refused('it must be a JSON value or bytes')
  if (SUSPICIOUS.test(text) && hasForbiddenKey(JSON.parse(text)))
    throw refused('it has a key that is not allowed')
  return text
}

/** The JSON value in bytes from outside; nothing where it is none, or has a key that is not allowed. */
function parse(data: Uint8Array): unknown {
  try {
    const text = decoder.decode(data)
    const value = JSON.parse(text) as unknown
    return SUSPICIOUS.test(text) && hasForbiddenKey(value) ? undefined : value
  } catch {
    return undefined
  }
}

/** Goes through a value without recursion: it may come from outside. */
function hasForbiddenKey(value: unknown): boolean {
  const open: unknown[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next !== 'object' || next === null) continue
    if (!Array.isArray(next) && Object.keys(next).some((key) => FORBIDDEN.has(key))) return true
    for (const inner of Object.values(next)) if (typeof inner === 'object' && inner !== null) open.push(inner)
  }
  return false
}
