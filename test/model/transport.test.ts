/**
 * What the searches take for granted of the way between a page and the log, explored on the SDK's outbox and
 * reader themselves: each entry once, in order, without gaps.
 */
import { describe, expect, it } from 'vitest'
import { ContactError } from '../../protocol/index.ts'
import type { Appended, Clock, Draft, Entry, UnsentEntry, Slot } from '../../protocol/index.ts'
import { ContactLog } from '../../sdk/log/log-reader.ts'
import { Outbox } from '../../sdk/log/outbox.ts'
import { MemoryContact } from '../../testing/index.ts'

/**
 * What becomes of a call to the service. `pause`: it takes the first draft and wants a pause. `cut`: carried
 * out, then the channel is gone for a while.
 */
const FATES = ['lost', 'answer lost', 'pause', 'cut'] as const
type Fate = 'pass' | (typeof FATES)[number]
const CALLS = 6
const FAULTS = 2

/** Every way in which up to `FAULTS` of the first `CALLS` calls go wrong. */
function scripts(length: number, faults: number): Fate[][] {
  if (length === 0) return [[]]
  const fine = scripts(length - 1, faults).map((rest): Fate[] => ['pass', ...rest])
  const bad =
    faults === 0
      ? []
      : FATES.flatMap((fate) => scripts(length - 1, faults - 1).map((rest): Fate[] => [fate, ...rest]))
  return [...fine, ...bad]
}

/** Time passes when nothing else happens. */
class Timers implements Clock {
  readonly #due: { readonly run: () => void }[] = []
  now = (): number => 0
  setTimeout = (run: () => void): unknown => {
    const timer = { run }
    this.#due.push(timer)
    return timer
  }
  clearTimeout = (timer: unknown): void => {
    const at = this.#due.indexOf(timer as { run: () => void })
    if (at >= 0) this.#due.splice(at, 1)
  }
  next = (): boolean => {
    const timer = this.#due.shift()
    timer?.run()
    return timer !== undefined
  }
}

const rest = async (): Promise<void> => {
  for (let turn = 0; turn < 24; turn++) await Promise.resolve()
}

const text = (id: string): UnsentEntry => ({ id, type: 'text', body: { text: id === 'v2' ? '' : id } })
const SESSION = { visitor: 'v', agent: 'a' } as const

/**
 * Both outboxes write into one log while calls go wrong as the script says. `v2` is malformed: the service
 * refuses it for good.
 */
async function play(
  script: readonly Fate[],
): Promise<{ readonly stored: string[]; readonly told: Record<string, string>; readonly settled: number }> {
  const clock = new Timers()
  const nothing = (): void => {}
  const contact = new MemoryContact({
    id: 'c',
    visitor: { slot: 'visitor', id: 'V' },
    request: { tags: [] },
    clock: new Timers(),
    onLimit: nothing,
    onTransfer: () => 'x',
  })
  contact.agent = { slot: 'agent', id: 'A' }
  const told: Record<string, string> = {}
  let [calls, settled] = [0, 0]
  const outboxes = new Map<Slot, Outbox>()
  const append =
    (slot: Slot) =>
    async (drafts: readonly Draft[]): Promise<readonly Appended[]> => {
      const fate = script[calls++] ?? 'pass'
      await Promise.resolve()
      if (fate === 'lost') throw new ContactError('timeout', 'no answer')
      const taken = contact.append(slot, SESSION[slot], fate === 'pause' ? drafts.slice(0, 1) : drafts)
      if (fate === 'answer lost') throw new ContactError('timeout', 'no answer')
      if (fate === 'cut') {
        outboxes.get(slot)?.suspend()
        clock.setTimeout(() => outboxes.get(slot)?.resume())
        throw new ContactError('offline', 'the connection was lost')
      }
      return fate === 'pause'
        ? [
            ...taken,
            ...drafts
              .slice(1)
              .map(({ id }): Appended => ({ id, error: { code: 'rate_limited', message: 'slower' } })),
          ]
        : taken
    }
  const write = (slot: Slot, ...ids: readonly string[]): void => {
    for (const id of ids)
      outboxes
        .get(slot)
        ?.add(text(id))
        .then(
          (seq) => (told[id] = contact.entries[seq - 1]?.id === id ? 'stored' : 'wrong number'),
          (error: ContactError) => (told[id] = error.code),
        )
        .finally(() => settled++)
  }
  for (const slot of ['visitor', 'agent'] as const) {
    contact.announce(SESSION[slot], { id: slot, slot })
    outboxes.set(
      slot,
      new Outbox({ contact: 'c', session: () => SESSION[slot], clock, append: append(slot), keep: nothing }),
    )
  }
  write('visitor', 'v1')
  for (const outbox of outboxes.values()) outbox.resume()
  write('agent', 'a1', 'a2')
  await Promise.resolve()
  write('visitor', 'v2', 'v3')
  do await rest()
  while (clock.next())
  return { stored: contact.entries.filter(({ type }) => type === 'text').map(({ id }) => id), told, settled }
}

const entry = (seq: number): Entry => ({
  seq,
  id: `m${seq}`,
  time: 0,
  type: 'text',
  slot: 'agent',
  session: 'a',
  counter: seq,
  from: { id: 'A' },
  body: { text: 'x' },
})
const LOG = [1, 2, 3, 4].map(entry)

describe('between a page and the log (NEG-1, NEG-2)', () => {
  it('NEG-1 LOG-5 LOG-6 LOG-9 whatever is lost, delayed, paused, refused or cut on the way of both outboxes: each entry once, in the order written, and each Promise settles once', async () => {
    const all = scripts(CALLS, FAULTS)
    for (const script of all) {
      const { stored, told, settled } = await play(script)
      const { v2, ...others } = told
      const seen = {
        visitor: stored.filter((id) => id.startsWith('v')),
        agent: stored.filter((id) => id.startsWith('a')),
        others,
        settled,
      }
      expect(seen, script.join()).toEqual({
        visitor: ['v1', 'v3'],
        agent: ['a1', 'a2'],
        others: { v1: 'stored', v3: 'stored', a1: 'stored', a2: 'stored' },
        settled: 5,
      })
      // Where the first answer was lost the service only knows that the number is used up.
      expect(['invalid_argument', 'invalid_state', 'too_large'], script.join()).toContain(v2)
    }
    process.stdout.write(
      `model: both outboxes: ${all.length} ways in which up to ${FAULTS} of ${CALLS} calls go wrong, complete\n`,
    )
  })

  it('NEG-1 LOG-3 whatever pushes are lost, repeated or overtake each other: each entry is read once, in order; a gap opens the channel anew', () => {
    const pushes = LOG.flatMap((_, from) =>
      LOG.slice(from).map((__, length) => LOG.slice(from, from + length + 1)),
    )
    let runs = 0
    const visit = (done: readonly (readonly Entry[])[], left: number): void => {
      const read: number[] = []
      let gaps = 0
      const log = new ContactLog({
        reader: 'visitor',
        initialOffer: undefined,
        onEntry: ({ entry: { seq } }) => void read.push(seq),
        onGap: () => void gaps++,
      })
      for (const push of done) {
        const [next, before] = [read.length + 1, gaps]
        log.receive(push)
        expect(gaps - before).toBe((push[0]?.seq ?? 0) > next ? 1 : 0)
      }
      expect(read).toEqual(LOG.map(({ seq }) => seq).slice(0, read.length))
      log.receive(LOG.slice(read.length))
      expect(read).toEqual([1, 2, 3, 4])
      runs++
      if (left > 0) for (const push of pushes) visit([...done, push], left - 1)
    }
    visit([], 3)
    process.stdout.write(
      `model: a reader: ${runs} sequences of up to 3 of ${pushes.length} pushes, complete\n`,
    )
  })
})
