/**
 * The sealed form of a body, of which the service can read no content (`docs/protocol.md`, section 8). A
 * reader of the protocol alone checks its shape: cryptography is the SDK's.
 */
import * as v from './checks.ts'
import type { EntryDefinition } from './entries/definition.ts'
import { jsonBytes } from './json.ts'
import { count } from './value-schema.ts'

/** Authenticates an entry together with the log that its author had read. */
export interface Seal {
  /** Id of the key: 8 bytes in base64. */
  readonly key: string
  /** The last `seq` that the author had read. */
  readonly read: number
  /** HMAC of the entry and of that log: 32 bytes in base64. */
  readonly mac: string
}

/** What a sealed body has besides. */
export interface SealedMembers {
  readonly seal?: Seal
  /** Names of the members that are ciphertexts until they are opened. */
  readonly encrypted?: readonly string[]
}

/** Bytes of JSON that a sealed body may have: members that this version does not know are kept. */
const SEALED_BYTES = 65_536 // §2
const BASE64 = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
/** 73 bytes in base64: the ciphertext of nothing. */
const SHORTEST = 100 // §1

/** Exactly so many bytes, which are no multiple of 3, in base64. */
export const base64Of = (bytes: number) =>
  v.pipe(
    v.string(),
    v.regex(new RegExp(`^[A-Za-z0-9+/]{${Math.ceil((bytes * 4) / 3)}}={${3 - (bytes % 3)}}$`)),
  )

/** A ciphertext of at most so many characters, in place of an encrypted member. */
export const ciphertext = (most: number) =>
  v.pipe(v.string(), v.minLength(SHORTEST), v.maxLength(most), v.regex(BASE64))

const seal = v.looseObject({ key: base64Of(8), read: count, mac: base64Of(32) })

/** A body with a seal: it is kept as it came, since the seal is over all of it. */
export const withSeal = (members: Readonly<Record<string, v.GenericSchema>>) =>
  v.pipe(
    v.looseObject({ ...members, seal }),
    v.check((body) => jsonBytes(body) <= SEALED_BYTES),
  )

/** The sealed form of a body whose plain form is `plain`. */
export function sealedForm(plain: v.GenericSchema, { encrypts = {} }: EntryDefinition): v.GenericSchema {
  const { entries } = plain as unknown as { readonly entries: Record<string, v.GenericSchema> }
  const names = Object.keys(encrypts)
  return v.pipe(
    withSeal({ ...entries, ...encrypts, encrypted: v.exactOptional(v.array(v.picklist(names))) }),
    v.check((body) => {
      const encrypted = (body as SealedMembers).encrypted ?? []
      const present = names.filter((name) => Object.hasOwn(body, name))
      return encrypted.length === present.length && present.every((name) => encrypted.includes(name))
    }),
  )
}

/** Whether a body says that it is sealed. */
export const isSealedForm = (body: unknown): boolean =>
  ['seal', 'encrypted'].some((member) => Object.hasOwn(Object(body) as object, member))

/** Whether an entry has encrypted members that were not opened: there is nothing to tell of it. */
export const isUnopened = ({ body }: { readonly body: object }): boolean =>
  'encrypted' in body && Array.isArray(body.encrypted)
