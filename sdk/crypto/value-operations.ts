/** `encrypt`, `decrypt`, `encryptMessage` and `decryptMessage` (encryption.md section 1). */
import { ContactError, shapeFault, textBytes } from '../../protocol/index.ts'
import type { JsonValue, Verification } from '../../protocol/index.ts'
import type { EncryptionOperations } from '../api/encryption.ts'
import { plainJson } from '../values/plain-json.ts'
import { memberData, valueData } from './associated-data.ts'
import type { Writer } from './associated-data.ts'
import { decryptValue, encryptJson, encryptText, parseCiphertext } from './cipher.ts'
import type { Pen } from './entry-sealing.ts'
import type { KeyRing } from './key-ring.ts'
import type { Trust } from './trust.ts'

/** Bytes of a text, or of the JSON of a member. */
const MOST_BYTES = 32_768 // §2
/** Names that a message cannot have encrypted: the list itself, and those of every object's prototype. */
const REFUSED = new Set(['encrypted', '__proto__', 'constructor', 'prototype']) // §1

/** The operations of encryption on one contact. */
export abstract class ValueOperations implements EncryptionOperations {
  protected abstract readonly trust: Trust
  protected abstract readonly ring: KeyRing
  /** With what this party writes now; null while no key may be used. */
  protected abstract readonly usablePen: Pen | null

  get verification(): Verification {
    return this.trust.verification
  }

  verify(matches: boolean, digits?: string): void {
    this.trust.verify(matches, digits)
  }

  acceptKey(digits?: string): void {
    this.trust.acceptKey(digits)
  }

  encrypt(text: string): string {
    return encryptValue(text, this.#penFor('encrypt the text'))
  }

  decrypt(data: string): string {
    this.trust.requireWhole()
    return decryptText(data, this.ring)
  }

  encryptMessage<M extends object>(
    msg: M,
    fields: readonly (keyof M & string)[],
  ): M & { encrypted: string[] } {
    return encryptMembers(msg, fields, this.#penFor('encrypt the message')) as M & { encrypted: string[] }
  }

  decryptMessage<M extends object>(msg: M): M {
    this.trust.requireWhole()
    return decryptMembers(msg, this.ring) as M
  }

  #penFor(operation: string): Pen {
    this.trust.requireWhole()
    const pen = this.usablePen
    if (pen) return pen
    throw new ContactError('invalid_key', `unable to ${operation}; no key is agreed on`) // §5
  }
}

const invalid = (operation: string, reason: string): ContactError =>
  new ContactError('invalid_argument', `unable to ${operation}; ${reason}`)

/** Encrypts a text. @throws {@link ContactError} `invalid_argument`, `too_large` */
function encryptValue(text: unknown, pen: Pen): string {
  if (typeof text !== 'string') throw invalid('encrypt the text', 'it must be a string')
  requireSize('encrypt the text', text)
  return encryptText(text, { ...pen, aad: valueData(pen), iv: pen.random(16) })
}

/** Encrypts members of a message. @throws {@link ContactError} `invalid_argument`, `too_large` */
function encryptMembers(msg: unknown, fields: unknown, pen: Pen): Record<string, unknown> {
  const operation = 'encrypt the message'
  const message = messageOf(operation, msg)
  if (!Array.isArray(fields)) throw invalid(operation, 'fields must be a list of names')
  const encrypted: string[] = []
  for (const name of fields as readonly unknown[]) {
    if (typeof name !== 'string' || REFUSED.has(name) || !Object.hasOwn(message, name))
      throw invalid(operation, 'fields must name properties of it, but not encrypted')
    if (encrypted.includes(name)) throw invalid(operation, 'a field is named twice')
    const value = plainJson(operation, message[name], { name, bytes: MOST_BYTES })
    message[name] = encryptJson(value, {
      ...{ ...pen, aad: memberData(pen, name) },
      iv: pen.random(16),
    })
    encrypted.push(name)
  }
  return { ...message, encrypted }
}

/** Decrypts a value. @throws {@link ContactError} `invalid_argument`, `invalid_key`, `tampered` */
function decryptText(data: unknown, ring: KeyRing): string {
  const operation = 'decrypt the text'
  if (typeof data !== 'string') throw invalid(operation, 'it must be a string')
  const value = decrypted(operation, data, { ring, aad: valueData })
  if (typeof value !== 'string') throw unreadable(operation) // §5
  return value
}

/** Decrypts members of a message. @throws {@link ContactError} `invalid_argument`, `invalid_key`, `tampered` */
function decryptMembers(msg: unknown, ring: KeyRing): Record<string, unknown> {
  const operation = 'decrypt the message'
  const { encrypted, ...message } = messageOf(operation, msg)
  if (!Array.isArray(encrypted)) throw invalid(operation, 'its property encrypted must be a list of names')
  for (const name of encrypted as readonly unknown[]) {
    if (typeof name !== 'string' || REFUSED.has(name) || !Object.hasOwn(message, name))
      throw unreadable(operation) // §1
    const data = message[name]
    if (typeof data !== 'string') throw unreadable(operation) // §5
    message[name] = decrypted(operation, data, { ring, aad: (writer) => memberData(writer, name) })
  }
  return message
}

function decrypted(
  operation: string,
  data: string,
  { ring, aad }: { readonly ring: KeyRing; readonly aad: (writer: Writer) => Uint8Array },
): JsonValue {
  const parsed = parseCiphertext(data)
  const kept = ring.get(parsed.key)
  const keys = ring.keysOf(parsed.key, parsed.slot)
  if (!kept || !keys)
    // §5
    throw new ContactError('invalid_key', `unable to ${operation}; this page has no such key`)
  const value = decryptValue(parsed, keys, aad({ contact: kept.contact, slot: parsed.slot }))
  if (shapeFault(value) !== null) throw unreadable(operation) // §5
  return value
}

function messageOf(operation: string, msg: unknown): Record<string, unknown> {
  if (typeof msg !== 'object' || msg === null || Array.isArray(msg))
    throw invalid(operation, 'it must be an object')
  return { ...msg }
}

function requireSize(operation: string, text: string): void {
  if (text.length > MOST_BYTES || textBytes(text) > MOST_BYTES)
    // §2
    throw new ContactError('too_large', `unable to ${operation}; it has more than ${MOST_BYTES} bytes`)
}

const unreadable = (operation: string): ContactError =>
  new ContactError('tampered', `unable to ${operation}; it is not what the owner of the key encrypted`)
