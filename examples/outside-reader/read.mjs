/**
 * Reads a secure contact from the database of the service with the keys of one page, by docs/encryption/protocol.md
 * and the libraries of others alone: Node's own cryptography, and `jose`.
 *
 *   node read.mjs entries.json keys.json
 *
 * `entries.json`: the rows of the table `entries` of one contact, by `seq`. `keys.json`: what the page keeps in its
 * `sessionStorage` under `duolog:<service>:<contact>:keys`. Without it nothing can be read.
 */
import { createHash, createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { compactDecrypt } from 'jose'

/**
 * @typedef {{ encrypted?: string[], seal?: any, [member: string]: any }} Body
 * @typedef {{ seq: number, id: string, time: number, type: string, slot: string, body: Body, session: string,
 *   counter: number, from?: object }} Entry one of a party; one of the service has no session, counter and from
 * @typedef {{ readonly [column: string]: any }} Row
 * @typedef {{ seal: Uint8Array, mac: Uint8Array, cipher: Uint8Array }} Keys
 * @typedef {readonly any[]} Ring
 */

const HEADER = Buffer.from('{"alg":"dir","enc":"A256CBC-HS512"}').toString('base64url')

/** @param {string} text */
const ascii = (text) => Buffer.from(text, 'ascii')
/** Two bytes of length, big-endian, and the text in UTF-8. @param {string} text */
const lp = (text) => {
  const bytes = Buffer.from(text, 'utf8')
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes])
}
/** @param {number} number */
const u32 = (number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(number)
  return bytes
}
/** @param {string} slot */
const slotOf = (slot) => Buffer.from([slot === 'agent' ? 1 : 0])
/** @param {...Uint8Array} parts */
const sha = (...parts) => createHash('sha512').update(Buffer.concat(parts)).digest().subarray(0, 32)
/** @param {Uint8Array} key @param {...Uint8Array} parts */
const hmac = (key, ...parts) =>
  createHmac('sha512', key).update(Buffer.concat(parts)).digest().subarray(0, 32)

/** RFC 8785, of what JSON.parse gives. @type {(value: any) => string} */
const canonical = (value) =>
  Array.isArray(value)
    ? `[${value.map(canonical).join()}]`
    : value !== null && typeof value === 'object'
      ? `{${Object.keys(value)
          .toSorted()
          .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)
          .join()}}`
      : JSON.stringify(value)

/** A row as the service tells it to pages. @param {Row} row @returns {Entry} */
function entryOf({ seq, id, time, type, slot, session, counter, from_id, from_nick, body }) {
  const entry = { seq: Number(seq), id, time: Number(time), type, slot, body: JSON.parse(body) }
  if (slot === 'service') return /** @type {Entry} */ (entry)
  const from = { id: from_id, ...(from_nick !== null && { nick: from_nick }) }
  return { ...entry, session, counter: Number(counter), from }
}

/** Section 2: what an entry adds to the chain. @param {Entry} entry */
function chained({ body: { url, ...body }, ...entry }) {
  const kept = entry.type === 'attachment' || url === undefined ? body : { ...body, url }
  return canonical({ ...entry, body: kept })
}

/** Section 4: 96 bytes of a direction are the keys of seals, MACs and ciphers.
 * @param {Ring} ring @param {string} id @param {string} slot @returns {Keys | null} */
function keysOf(ring, id, slot) {
  const kept = ring.findLast((key) => key.id === id)
  if (!kept) return null
  const bytes = Buffer.from(String(kept[slot]), 'base64')
  return { seal: bytes.subarray(0, 32), mac: bytes.subarray(32, 64), cipher: bytes.subarray(64, 96) }
}

/** Section 2: whether the author of an entry has read the same log, and written this body.
 * @param {{ contact: string, heads: readonly Uint8Array[], entry: Entry, keys: Keys }} what */
function isSealed({ contact, heads, entry, keys }) {
  const { slot, session, counter, id, type, body } = entry
  const { seal: sealed, ...members } = body
  const { mac, ...seal } = sealed
  const head = heads[seal.read]
  if (!head || seal.read >= entry.seq) return false
  const place = [
    ascii('duolog/1 entry'),
    lp(contact),
    slotOf(slot),
    lp(session),
    u32(counter),
    lp(id),
    lp(type),
  ]
  const digest = sha(Buffer.from(canonical({ ...members, seal })))
  return hmac(keys.seal, ...place, u32(seal.read), head, digest).equals(Buffer.from(mac, 'base64'))
}

/** Section 1: opens a ciphertext. `aad` is bytes, which `jose` does not take: its tag is made anew over the header.
 * @param {string} text @param {Keys} keys @param {Uint8Array} aad @returns {Promise<unknown>} */
async function opened(text, keys, aad) {
  const bytes = Buffer.from(text, 'base64')
  const [iv, body, tag] = [bytes.subarray(9, 25), bytes.subarray(25, -32), bytes.subarray(-32)]
  /** @param {Uint8Array} data */
  const tagOver = (data) => {
    const bits = Buffer.alloc(8)
    bits.writeBigUInt64BE(BigInt(data.length) * 8n)
    return hmac(keys.mac, data, iv, body, bits)
  }
  if (!tagOver(aad).equals(tag)) throw new Error('a ciphertext was changed')
  const parts = [HEADER, '', ...[iv, body, tagOver(ascii(HEADER))].map((part) => part.toString('base64url'))]
  const { plaintext } = await compactDecrypt(parts.join('.'), Buffer.concat([keys.mac, keys.cipher]))
  const value = Buffer.from(plaintext.subarray(1)).toString('utf8')
  return plaintext[0] === 1 ? JSON.parse(value) : value
}

/** @param {string} contact @param {Entry} entry @param {Keys} keys */
async function openedBody(contact, { slot, session, counter, id, type, body }, keys) {
  const { seal: _seal, encrypted = [], ...members } = body
  for (const name of encrypted) {
    const place = [lp(contact), slotOf(slot), lp(session), u32(counter), lp(id), lp(type), lp(name)]
    members[name] = await opened(members[name], keys, Buffer.concat([ascii('duolog/1 field'), ...place]))
  }
  return members
}

/**
 * Each sealed entry of a contact: `{ seq, type, slot, body }` as its author wrote it, and whether its seal is right
 * over the log up to what the author had read; `body` null where there is no key for it.
 *
 * @param {string} contact @param {readonly Row[]} rows @param {Ring} ring
 */
export async function readContact(contact, rows, ring) {
  const heads = [sha(ascii('duolog/1 log'), lp(contact))]
  const read = []
  for (const row of rows) {
    const entry = entryOf(row)
    heads.push(sha(heads[heads.length - 1] ?? Buffer.of(), Buffer.from(chained(entry))))
    const { seq, type, slot, body } = entry
    if (slot === 'service' || !body.seal) continue
    const keys = keysOf(ring, body.seal.key, slot)
    const isWhole = keys !== null && isSealed({ contact, heads, entry, keys })
    read.push({ seq, type, slot, isWhole, body: keys && (await openedBody(contact, entry, keys)) })
  }
  return read
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [rows, ring] = await Promise.all(
    process.argv.slice(2, 4).map(async (path) => JSON.parse(await readFile(path, 'utf8'))),
  )
  for (const each of await readContact(rows[0].contact, rows, ring)) console.log(JSON.stringify(each))
}
