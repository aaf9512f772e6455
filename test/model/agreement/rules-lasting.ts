/** The rules of what lasts longer than an agreement: decisions of users, transfers, tabs, secrets. */
import type { Rule } from './rule.ts'

const MACHINE = 'machines/encryption/encryption.machine.ts'
const SECRECY = 'sdk/crypto/secrecy.ts'
const TRUST = 'sdk/crypto/trust.ts'

export const LASTING: readonly Rule[] = [
  {
    id: 'K13',
    safeguard: 'a key that was accepted without comparing is not verified',
    world: 'accepted',
    patches: [
      {
        file: MACHINE,
        rule: "'user.accepts': { target: 'secured', actions: ['forgetVerified', 'tellAccepted'] },",
        by: "'user.accepts': { target: 'secured.verified', actions: ['forgetVerified', 'tellAccepted'] },",
      },
    ],
  },
  {
    id: 'K14',
    safeguard: 'what was accepted is not asked about again after a page load',
    world: 'accepted',
    patches: [
      {
        file: TRUST,
        rule: "this.#actor.on('accepted', () => ring.change(null, { verified: null }))",
        by: '',
      },
    ],
  },
  {
    id: 'K15',
    safeguard: 'a key ends with its contact',
    world: 'transferred',
    patches: [
      {
        file: SECRECY,
        rule: '    this.#endKey(0)\n    this.trust.dropHeld()',
        by: '    this.trust.dropHeld()',
      },
    ],
  },
  {
    id: 'K16',
    safeguard: 'a page takes over keys of its own contact only',
    world: 'transferred',
    patches: [
      {
        file: SECRECY,
        rule: 'if (!kept || kept.contact !== this.#contact) return',
        by: 'if (!kept) return',
      },
    ],
  },
  {
    id: 'K17',
    safeguard: 'the next agent is asked about, the same tab of the same agent is not: the keys go along',
    world: 'returned',
    patches: [
      {
        file: SECRECY,
        rule: 'if (isOver && goesOn) this.ring.leaveBehind()',
        by: 'if (isOver && goesOn) this.ring.erase()',
      },
    ],
  },
  {
    id: 'K18',
    safeguard: 'a tab asks the others for keys before it agrees on one',
    world: 'second tabs',
    patches: [
      {
        file: SECRECY,
        rule: 'if (this.trust.error || this.#tabs.isAsking) return []',
        by: 'if (this.trust.error) return []',
      },
    ],
  },
  {
    id: 'K19',
    safeguard: 'what is accepted in one tab is not asked about in another',
    world: 'second tabs',
    patches: [
      {
        file: MACHINE,
        rule: "{ guard: 'isAcceptedElsewhere', target: 'secured', actions: 'noteKeys' },",
        by: '',
      },
    ],
  },
  {
    id: 'K20',
    safeguard: 'a tab without the slot has no relay',
    world: 'second tabs',
    patches: [
      {
        file: SECRECY,
        rule: 'this.#current = { id: keys.id, peer: null, resumed: null }',
        by: 'this.#current = { id: keys.id, peer: "agent-0", resumed: null }',
      },
    ],
  },
  {
    id: 'K21',
    safeguard: 'the agent erases the secret that a key goes on from',
    world: 'returned',
    patches: [
      {
        file: SECRECY,
        rule: "if (role === 'agent' && resumed !== null) this.ring.change(resumed, { resume: null })",
        by: '',
      },
    ],
  },
  {
    id: 'K22',
    safeguard: 'the visitor erases it when the agent has confirmed the key',
    world: 'returned',
    patches: [
      {
        file: SECRECY,
        rule: 'if (resumed !== null) this.ring.change(resumed, { resume: null })\n  }',
        by: '}',
      },
    ],
  },
  {
    id: 'K23',
    safeguard: 'it is erased in the other tabs as well',
    world: 'second tabs',
    patches: [
      {
        file: 'sdk/crypto/key-ring.ts',
        rule: 'resume: other.resume && key.resume',
        by: 'resume: key.resume',
      },
    ],
  },
]
