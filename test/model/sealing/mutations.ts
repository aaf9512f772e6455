/** Rules of the encryption, each with what takes it out of the sources and the tests that have to notice. */
import type { Patch } from '../agreement/load.ts'

export interface Mutation {
  readonly id: string
  readonly safeguard: string
  readonly patches: readonly Patch[]
  /** Files of `test/`, without their ending. */
  readonly tests: readonly string[]
}

const AAD = 'sdk/crypto/associated-data.ts'
const CIPHER = 'sdk/crypto/cipher.ts'
const GUARD = 'sdk/crypto/log-guard.ts'
const HANDSHAKE = 'sdk/crypto/handshake.ts'
const SEALING = 'sdk/crypto/entry-sealing.ts'
const PROPERTIES = 'sdk/crypto/properties'
const HOSTILE = 'sdk/crypto/hostile-service'
const TAMPERED = 'sdk/crypto/tampered-log'
const SECURE = 'sdk/crypto/secure-contact'

const one = (
  [id, safeguard]: readonly [string, string],
  [file, rule, by]: readonly [string, string, string],
  ...tests: readonly string[]
): Mutation => ({ id, safeguard, patches: [{ file, rule, by }], tests })

const FIELD = '    lengthPrefixed(place.id),\n    lengthPrefixed(place.type),\n    lengthPrefixed(field),'

/** Ciphertexts: section 1. */
const CIPHERTEXTS: readonly Mutation[] = [
  one(
    ['S1', 'a ciphertext is bound to the id of its entry'],
    [AAD, FIELD, FIELD.replace('place.id', "''")],
    PROPERTIES,
  ),
  one(
    ['S2', '… to the counter'],
    [AAD, `    uint32(place.counter),\n${FIELD}`, `    uint32(0),\n${FIELD}`],
    PROPERTIES,
  ),
  one(
    ['S3', '… to the slot of its writer'],
    [AAD, 'Uint8Array.of(slotByte(slot))', 'Uint8Array.of(slotByte(slot) & 0)'],
    PROPERTIES,
  ),
  one(
    ['S4', '… to the contact'],
    [AAD, 'lengthPrefixed(contact), Uint8Array', "lengthPrefixed(contact && ''), Uint8Array"],
    PROPERTIES,
  ),
  one(['S5', '… a frame to its number'], [AAD, 'uint32(place.n)', 'uint32(0)'], PROPERTIES, TAMPERED),
  one(
    ['S6', 'the IV of a field is another one each time'],
    [SEALING, 'aad, iv: pen.random(16) }\n', 'aad, iv: pen.random(16).fill(0) }\n'],
    'sdk/crypto/initialisation',
  ),
  one(
    ['S7', 'the IV of a frame is another one each time'],
    [
      SEALING,
      'aad: frameData(place), iv: pen.random(16) }',
      'aad: frameData(place), iv: pen.random(16).fill(0) }',
    ],
    'sdk/crypto/initialisation',
  ),
  one(
    ['S8', 'the tag is compared before anything is decrypted'],
    [CIPHER, 'if (!equalBytes(tagOf(keys, aad, { iv, body }), tag)) throw tampered()', ''],
    PROPERTIES,
  ),
  one(
    ['S9', 'base64 has one form'],
    ['sdk/crypto/bytes.ts', 'util.encodeBase64(bytes) === text ? bytes : null', 'bytes'],
    PROPERTIES,
  ),
]

/** The log: sections 2 and 5. */
const LOG: readonly Mutation[] = [
  one(
    ['S10', 'the chain is over the entry as it was received'],
    [
      GUARD,
      '(rawEntry(entry) ?? entry) as RawEntry',
      '(rawEntry === undefined ? entry : entry) as unknown as RawEntry',
    ],
    TAMPERED,
  ),
  one(
    ['S11', 'the seal is compared'],
    [
      GUARD,
      "equalBytes(expected, given) ? 'good' : 'bad'",
      "equalBytes(expected, expected) ? 'good' : 'bad'",
    ],
    HOSTILE,
  ),
  one(
    ['S12', 'a new page meets the head of the one before'],
    [
      GUARD,
      'if (this.#meeting?.seq === entry.seq && this.#meeting.head !== base64(head)) throw tampered()',
      '',
    ],
    'sdk/crypto/meeting',
  ),
  one(
    ['S13', 'numbers of a session rise'],
    [GUARD, 'if (!Number.isSafeInteger(counter) || counter <= last.counter) throw tampered()', ''],
    'sdk/crypto/meeting',
  ),
  one(
    ['S14', 'what an author has read does not fall'],
    [GUARD, 'if (read < last.read) throw tampered()', ''],
    'sdk/crypto/meeting',
  ),
  one(
    ['S15', 'what is sealed under another key than the agreed one is void'],
    ['protocol/key-phase.ts', "? { keys } : { reason: 'other_key' }", '? { keys } : { keys }'],
    'protocol/key-phase',
  ),
  one(
    ['S16', 'a message is settled by reading it back'],
    [
      'sdk/log/outbox.ts',
      "waiting.isStored = 'seq' in result && waiting.key",
      'waiting.isStored = waiting.bytes < 0 && waiting.key',
    ],
    TAMPERED,
  ),
  one(
    ['S17', 'what stands in the own name was written here'],
    ['sdk/contact/incoming.ts', "    encryption?.broken('log') // §5\n", ''],
    HOSTILE,
  ),
  one(
    ['S18', 'a contact that was secure stays so while it is open'],
    ['sdk/contact/contact-session.ts', "if (encryption && !record.secure) encryption.broken('lowered')", ''],
    HOSTILE,
  ),
  one(
    ['S19', '… and on a later page'],
    ['sdk/contact/open-contact.ts', "if (isLowered) made.encryption?.broken('lowered')", ''],
    'sdk/crypto/meeting',
  ),
]

/** The agreement: sections 3, 4 and 6. */
const AGREEMENT: readonly Mutation[] = [
  one(
    ['S20', 'what is revealed is what was committed to'],
    [
      HANDSHAKE,
      'if (!equalBytes(commitOf(contact, share.visitor, visitorKey), share.commit))',
      'if (equalBytes === undefined || commitOf === undefined)',
    ],
    'sdk/crypto/man-in-the-middle',
  ),
  one(
    ['S21', 'a secret of zeros is refused'],
    ['sdk/crypto/agreement.ts', 'if (secret.every((byte) => byte === 0)) throw refused()', ''],
    PROPERTIES,
  ),
  one(
    ['S22', 'the old secret is mixed in'],
    ['sdk/crypto/agreement.ts', 'concat(secret, resumed.secret)', 'concat(secret, NOTHING_RESUMED.secret)'],
    'sdk/crypto/meeting',
  ),
  one(
    ['S23', 'a signature with S ≥ L is refused'],
    ['sdk/crypto/agent-signature.ts', ' || littleEndian(bytes.subarray(32)) >= ORDER', ''],
    'sdk/crypto/vectors',
  ),
  one(
    ['S24', 'a changed key is held'],
    [
      'machines/encryption/encryption.machine.ts',
      "{ guard: 'isChanged', target: 'held', actions: 'noteKey' },",
      '',
    ],
    SECURE,
  ),
  one(
    ['S25', 'what is held is not told'],
    [
      'sdk/crypto/trust.ts',
      "if (value !== 'held' && !(read?.isLate && !this.isSecured)) return false",
      'if (run !== undefined) return false',
    ],
    SECURE,
  ),
  one(
    ['S26', 'the keys are erased with the contact'],
    ['sdk/crypto/secrecy.ts', 'else if (isOver) this.ring.erase()', ''],
    SECURE,
  ),
]

/** What people decide of keys, over tabs and page loads: sections 3 and 6. */
const DECISIONS: readonly Mutation[] = [
  one(
    ['S27', 'what is held is told under its own key only, or one that goes on from it'],
    ['sdk/crypto/trust.ts', 'if (code === now) run()', 'if (code !== null || now) run()'],
    'sdk/crypto/held-events',
  ),
  one(
    ['S28', '… also after a page load'],
    ['sdk/crypto/sealed-reader.ts', 'isLate = isOther && this.#isLate(entry)', 'isLate = isOther && !entry'],
    'sdk/crypto/held-events',
  ),
  one(
    ['S29', 'what people say of one code is not taken for another'],
    ['sdk/crypto/trust.ts', 'digits !== this.verification.code?.digits', 'digits === null'],
    'sdk/crypto/refusals',
  ),
  one(
    ['S30', 'of two tabs the later decision about a key counts'],
    ['sdk/crypto/key-ring.ts', 'timesOf(other) - timesOf(key) || Number', 'Number'],
    'sdk/crypto/secure-tabs',
  ),
]

/** What keys leave behind, and what is written again under the next one: sections 3 and 5. */
const CHANGES: readonly Mutation[] = [
  one(
    ['S31', 'the secret that a key goes on from is erased in every tab'],
    ['sdk/crypto/key-ring.ts', 'resume: other.resume && key.resume', 'resume: key.resume'],
    'sdk/crypto/secure-tabs',
  ),
  one(
    ['S32', 'what was written under a key that is over is written again'],
    [
      'sdk/contact/incoming.ts',
      'if (isOfOtherKey) outbox.again(',
      'if (isOfOtherKey && !entry) outbox.again(',
    ],
    'model/key-changes',
  ),
  one(
    ['S33', '… and counts once'],
    ['protocol/contact-state.ts', "judged.reason === 'other_key' &&", "judged.reason === 'glare' &&"],
    'protocol/key-phase',
  ),
  one(
    ['S34', 'what stands in the own name was written here, also in a contact that is not secure'],
    ['sdk/contact/incoming.ts', '    if (!encryption)\n', '    if (!encryption && !id)\n'],
    'sdk/contact/own-entries',
  ),
]

export const MUTATIONS: readonly Mutation[] = [...CIPHERTEXTS, ...LOG, ...AGREEMENT, ...DECISIONS, ...CHANGES]
