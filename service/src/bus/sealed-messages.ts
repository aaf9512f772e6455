/**
 * The form of messages between nodes: a MAC (HMAC-SHA-256, RFC 2104, 32 bytes) and the JSON text that it
 * covers. Whoever can publish on the server but does not have the key of the deployment is not heard.
 */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

const MAC_BYTES = 32
/** Messages of the version before are understood, too, from the second version on. */
const VERSION = 1

export interface SealedMessage {
  readonly from: string
  /** The sender's messages to this subject, counted from 1. */
  readonly count: number
  /** When it was sent, milliseconds of the store's clock. */
  readonly at: number
  readonly kind: string
  readonly body: unknown
}

/** What a MAC covers beside the text: no message stands for one to another subject, and no answer for another. */
type Scope = string | Uint8Array

/** The key of the deployment, made once: a text would be made a key for each message. */
export const sealingKey = (secret: string): KeyObject => createSecretKey(secret, 'utf8')

function macOf(key: KeyObject, scope: Scope, text: Uint8Array): Buffer {
  const length = typeof scope === 'string' ? Buffer.byteLength(scope) : scope.length
  return createHmac('sha256', key).update(`${length}:`).update(scope).update(text).digest()
}

/** The bytes of a JSON value, written where they are sent from. */
export function sealValue(key: KeyObject, scope: Scope, value: unknown): Uint8Array {
  const text = JSON.stringify(value)
  const bytes = Buffer.allocUnsafe(MAC_BYTES + Buffer.byteLength(text))
  bytes.write(text, MAC_BYTES)
  bytes.set(macOf(key, scope, bytes.subarray(MAC_BYTES)))
  return bytes
}

/** The JSON value of bytes; undefined where they were not sealed with this key and scope. */
export function openValue(key: KeyObject, scope: Scope, bytes: Uint8Array): unknown {
  if (bytes.length <= MAC_BYTES) return undefined
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + MAC_BYTES, bytes.length - MAC_BYTES)
  if (!timingSafeEqual(macOf(key, scope, text), bytes.subarray(0, MAC_BYTES))) return undefined
  return JSON.parse(text.toString()) as unknown
}

/** The bytes of a message to a subject. */
export const sealMessage = (key: KeyObject, subject: string, message: SealedMessage): Uint8Array =>
  sealValue(key, subject, { v: VERSION, ...message })

/** Null where it is of nobody with the key, or of a version that is not understood. */
export function openMessage(key: KeyObject, subject: string, bytes: Uint8Array): SealedMessage | null {
  const value = openValue(key, subject, bytes) as (SealedMessage & { readonly v: number }) | undefined
  return value?.v === VERSION ? value : null
}

/** Binds an answer to its request: the MAC of the request. */
export const answerScope = (request: Uint8Array): Uint8Array => request.subarray(0, MAC_BYTES)
