/** The rules of the agreement, each with what takes it out of a copy of the production code. */
import type { Rule } from './rule.ts'
import { LASTING } from './rules-lasting.ts'

const AGREEMENT = 'sdk/crypto/agreement.ts'
const HANDSHAKE = 'sdk/crypto/handshake.ts'
const MACHINE = 'machines/encryption/encryption.machine.ts'
const SECRECY = 'sdk/crypto/secrecy.ts'

export const RULES: readonly Rule[] = [
  {
    id: 'K1',
    safeguard: 'what is revealed is what was committed to',
    world: 'first',
    patches: [
      {
        file: HANDSHAKE,
        rule: 'if (!equalBytes(commitOf(contact, share.visitor, visitorKey), share.commit))',
        by: 'if (equalBytes === undefined || commitOf === undefined)',
      },
    ],
  },
  {
    id: 'K2',
    safeguard: 'the agent shares before the visitor reveals',
    world: 'first',
    patches: [
      {
        file: HANDSHAKE,
        rule: 'const body = { commit: base64(commit)',
        by: 'const body = { key: base64(pair.publicKey), commit: base64(commit)',
      },
    ],
  },
  {
    id: 'K3',
    safeguard: 'the key of each commit is a new one',
    world: 'signed and discarded',
    patches: [
      {
        file: HANDSHAKE,
        rule: 'const pair = keyPair(random(32))\n    const commit =',
        by: 'const pair = keyPair(new Uint8Array(32).fill(1))\n    const commit =',
      },
    ],
  },
  {
    id: 'K4',
    safeguard: 'the key of each share is a new one',
    world: 'signed and discarded',
    patches: [
      {
        file: HANDSHAKE,
        rule: 'const pair = keyPair(random(32))\n    const resumed =',
        by: 'const pair = keyPair(new Uint8Array(32).fill(2))\n    const resumed =',
      },
    ],
  },
  {
    id: 'K5',
    safeguard: 'a secret of zeros is refused',
    world: 'first',
    patches: [{ file: AGREEMENT, rule: 'if (secret.every((byte) => byte === 0)) throw refused()', by: '' }],
  },
  {
    id: 'K6',
    safeguard: 'a resumed key has the old secret in it',
    world: 'resumed',
    patches: [
      {
        file: AGREEMENT,
        rule: 'concat(secret, resumed.secret)',
        by: 'concat(secret, NOTHING_RESUMED.secret)',
      },
    ],
  },
  {
    id: 'K7',
    safeguard: 'the signature of the organisation is checked',
    world: 'signed',
    patches: [
      {
        file: HANDSHAKE,
        rule: 'if (trustedKeys.length > 0 && !signed && (!goesOn || signature !== undefined))',
        by: 'if (trustedKeys.length > 1e9)',
      },
    ],
  },
  {
    id: 'K8',
    safeguard: 'the signature covers the commit',
    world: 'signed and discarded',
    patches: [
      {
        file: 'sdk/crypto/agent-signature.ts',
        rule: '    lengthPrefixed(agentSession),\n    commit,\n    agentKey,',
        by: '    lengthPrefixed(agentSession),\n    commit.slice(32),\n    agentKey,',
      },
    ],
  },
  {
    id: 'K9',
    safeguard: 'a commit is used once',
    world: 'first',
    patches: [
      {
        file: HANDSHAKE,
        rule: 'const pair = keyPair(random(32))\n    const commit =',
        by: 'const pair = this.#commit?.pair ?? keyPair(random(32))\n    const commit =',
      },
      {
        file: HANDSHAKE,
        rule: '    this.#commit = null\n    const { key: theirs',
        by: '    const { key: theirs',
      },
    ],
  },
  {
    id: 'K10',
    safeguard: 'nothing that can be chosen late enters the code',
    world: 'first',
    patches: [
      {
        file: AGREEMENT,
        rule: '      resumed.id,\n',
        by: '      resumed.id, ascii(String((transcript as any).late)),\n',
      },
      {
        file: HANDSHAKE,
        rule: 'agentKey: bytesOf(theirs), visitorKey: commit.pair.publicKey },',
        by: 'agentKey: bytesOf(theirs), visitorKey: commit.pair.publicKey },\n ...{ late: entry.seq },',
      },
      {
        file: HANDSHAKE,
        rule: 'agentKey: share.pair.publicKey, visitorKey },',
        by: 'agentKey: share.pair.publicKey, visitorKey },\n ...{ late: entry.body.ref },',
      },
    ],
  },
  {
    id: 'K11',
    safeguard: 'a changed key is held until its user has compared or accepted it',
    world: 'resumed',
    patches: [
      {
        file: MACHINE,
        rule: "{ guard: 'isChanged', target: 'held', actions: 'noteKey' },",
        by: '',
      },
    ],
  },
  {
    id: 'K12',
    safeguard: 'the reveal confirms the key: its id and its seal',
    world: 'first',
    patches: [
      {
        file: HANDSHAKE,
        rule: "if (key.id !== entry.body.seal.key) throw refused('the other party has another key')",
        by: '',
      },
      {
        file: SECRECY,
        rule: "if (role === 'agent' && !this.#reader.isSealGood(entry))",
        by: "if (role === 'agent' && this.#reader === undefined)",
      },
    ],
  },
  ...LASTING,
]
