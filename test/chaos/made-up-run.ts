/** Runs that tests make up. */
import type { Fact, Fault, OwnEnd, Run, Seen, StoredEntry } from './facts.ts'

export const START = 1_000_000

/** A run that a test makes up and then spoils. */
export class MadeUp {
  facts: Fact[] = []
  faults: Fault[] = []
  ends: OwnEnd[] = []
  entries: StoredEntry[] = []
  timers: { subject: string; kind: string; due: number }[] = []
  files: { id: string; seq: number | null; sha256: string | null }[] = []
  sessions: { contact: string; session: string; ended: boolean }[] = []
  heads: Record<string, number> = {}
  end = START + 600_000

  see(at: number, page: string, seen: Seen): this {
    this.facts.push({ at: START + at, page, ...seen })
    return this
  }

  write(type: string, body: Record<string, unknown>, rest: Partial<StoredEntry> = {}): StoredEntry {
    const contact = rest.contact ?? 'c'
    const seq = (this.heads[contact] ?? 0) + 1
    this.heads[contact] = seq
    const entry: StoredEntry = {
      ...{ contact, seq, id: `e${seq}`, type, session: null, counter: null, time: START + seq, body },
      ...rest,
    }
    this.entries.push(entry)
    return entry
  }

  /** A page writes a text, which is stored and acknowledged, and both pages read it. */
  text(page: string, number: number, at = number * 100): StoredEntry {
    const text = `${page}#${number}`
    const entry = this.write(
      'text',
      { text },
      { session: `s-${page}`, counter: number, time: START + at, id: text },
    )
    this.see(at, page, { what: 'send', contact: 'c', text }).see(at, page, { what: 'stored', text, id: text })
    for (const reader of ['v1/1', 'a1/1']) this.see(at, reader, { what: 'read', contact: 'c', text })
    return entry
  }

  run(): Run {
    const contacts = Object.entries(this.heads).map(([id, head]) => ({ id, life: 'joined', head }))
    const { facts, faults, ends, entries, timers, files, sessions, end } = this
    return { facts, faults, ends, stored: { at: end, contacts, entries, timers, files, sessions } }
  }
}

/** Two pages of a contact who talk, ask, stream and send a file, with a fault on the way. */
export function goodRun(): MadeUp {
  const made = new MadeUp()
  made.see(0, 'a1/0', { what: 'offered', contact: 'c', agent: 'Ada', expiresInMs: 30_000 })
  made.see(1, 'a1/0', { what: 'accepted', contact: 'c', agent: 'Ada' })
  made.write('assigned', { user: 'Ada' })
  made.see(2, 'v1/1', { what: 'opened', role: 'visitor', contact: 'c' })
  made.see(2, 'a1/1', { what: 'opened', role: 'agent', contact: 'c' })
  made.text('v1/1', 1)
  made.text('a1/1', 1, 150)
  made.text('v1/1', 2)
  made.faults.push({ name: 'kill', target: 'node-1', from: START + 250, until: START + 260 })
  made.text('v1/1', 3)
  made.see(310, 'v1/1', { what: 'asked', key: 'k' }).see(311, 'a1/1', { what: 'ran', key: 'k' })
  made.see(312, 'v1/1', { what: 'answered', key: 'k', code: null })
  for (const n of [1, 2, 3]) made.see(320 + n, 'a1/1', { what: 'framed', stream: 'v1/1~1', n })
  made.files.push({ id: 'f', seq: 5, sha256: 'aa' })
  made.write('attachment', {}, { id: 'f' })
  made.see(330, 'v1/1', { what: 'file', contact: 'c', id: 'f', sha256: 'aa' })
  made.see(331, 'a1/1', { what: 'opened-file', id: 'f', sha256: 'aa' })
  made.sessions.push({ contact: 'c', session: 's-v1/1', ended: false })
  const texts = ['v1/1#1', 'a1/1#1', 'v1/1#2', 'v1/1#3']
  made.see(900, 'v1/1', { what: 'stream', stream: 'v1/1~1', n: 3 })
  made.see(900, 'v1/1', { what: 'final', contact: 'c', texts, own: 'V', remote: 'A' })
  made.see(900, 'a1/1', { what: 'final', contact: 'c', texts, own: 'A', remote: 'V' })
  return made
}

/** A page is killed, and its session is over then. */
export function withDeath(made: MadeUp, leftAfter: number | null): MadeUp {
  made.faults.push({
    name: 'pages killed',
    target: 'v1',
    from: START + 1_000,
    until: START + 1_000,
    killed: ['v1'],
  })
  if (leftAfter !== null)
    made.write('left', { session: 's-v1/1', reason: 'timeout' }, { time: START + 1_000 + leftAfter })
  return made
}

export const swap = (made: MadeUp, from: (fact: Fact) => boolean, to: Partial<Fact>): void => {
  const index = made.facts.findIndex(from)
  const found = made.facts[index]
  if (found) made.facts[index] = { ...found, ...to } as Fact
}

export const isRead = (text: string, page: string) => (fact: Fact) =>
  fact.what === 'read' && fact.page === page && fact.text === text

export const without = (made: MadeUp, drop: (fact: Fact) => boolean): void => {
  const index = made.facts.findIndex(drop)
  made.facts.splice(index, 1)
}
