/** What hostile services do to the log of a contact. Each value is one attack, with a memory of its own. */
import type { CallName, Slot } from '../../protocol/index.ts'
import type { Attack, Raw } from './hostile-service.ts'

type Fits = (entry: Raw) => boolean

/** Messages of a kind, of a slot. */
export const isFrom =
  (slot: Raw['slot'], type: string): Fits =>
  (entry) =>
    entry.slot === slot && entry.type === type

/** A party reads nothing from the first such entry on. */
export function withheld(from: Fits, reader: Slot): Attack {
  let end = Number.POSITIVE_INFINITY
  return {
    entries(entries, to) {
      if (to !== reader) return entries
      const first = entries.find((entry) => from(entry))
      if (first) end = Math.min(end, first.seq)
      return entries.filter(({ seq }) => seq < end)
    },
    answer: (_name, result: { readonly head?: number }, to) =>
      to === reader && result.head !== undefined
        ? { ...result, head: Math.min(result.head, end - 1) }
        : result,
  }
}

/** Each entry that a party reads, changed where it fits. */
export const changing = (fits: Fits, reader: Slot, change: (entry: Raw) => Raw): Attack => ({
  entries: (entries, to) =>
    to === reader ? entries.map((entry) => (fits(entry) ? change(entry) : entry)) : entries,
})

/** Two entries that fit change places for a party; what lies between them is told after the first of them. */
export function reordered(fits: Fits, reader: Slot): Attack {
  let held: Raw | null = null
  let isDone = false
  return {
    entries: (entries, to) =>
      to !== reader || isDone
        ? entries
        : entries.flatMap((entry) => {
            if (isDone || !fits(entry)) return held && !isDone ? [] : [entry]
            if (!held) {
              held = entry
              return []
            }
            isDone = true
            return [
              { ...entry, seq: held.seq },
              { ...held, seq: held.seq + 1 },
            ]
          }),
  }
}

/**
 * One more entry stands in the log that a party reads, before the first that fits: that party's numbers are
 * others from there on.
 */
export function inserted(
  { before, reader }: { readonly before: Fits; readonly reader: Slot },
  make: (next: Raw) => Raw,
): Attack {
  let at = Number.POSITIVE_INFINITY
  return shifted(
    reader,
    () => at,
    1,
    (entries) => {
      const first = entries.find((entry) => before(entry))
      if (first && first.seq < at) at = first.seq
      return entries.flatMap((entry) => {
        const moved = entry.seq >= at ? { ...entry, seq: entry.seq + 1 } : entry
        return entry.seq === at ? [{ ...make(entry), seq: at }, moved] : [moved]
      })
    },
  )
}

/** The first entry that fits does not stand in the log that a party reads. */
export function hidden(fits: Fits, reader: Slot): Attack {
  let at = Number.POSITIVE_INFINITY
  return shifted(
    reader,
    () => at,
    -1,
    (entries) => {
      const first = entries.find((entry) => fits(entry))
      if (first && first.seq < at) at = first.seq
      return entries.flatMap((entry) =>
        entry.seq === at ? [] : [entry.seq > at ? { ...entry, seq: entry.seq - 1 } : entry],
      )
    },
  )
}

/** Another log for one reader: its numbers from `at` on are moved by `by`, in calls and answers as well. */
function shifted(
  reader: Slot,
  at: () => number,
  by: 1 | -1,
  entries: (entries: readonly Raw[]) => readonly Raw[],
): Attack {
  const told = (seq: number): number => (seq >= at() ? seq + by : seq)
  const asked = (seq: number): number => (seq >= at() + (by === 1 ? 1 : 0) ? seq - by : seq)
  return {
    entries: (list, to) => (to === reader ? entries(list) : list),
    ask(name: CallName, args: Readonly<Record<string, unknown>>, from) {
      if (from !== reader) return args
      if (name === 'contact.open') return { ...args, cursor: asked(args['cursor'] as number) }
      return name === 'log.read' ? { ...args, after: asked(args['after'] as number) } : args
    },
    answer(_name, result: Readonly<Record<string, unknown>>, to) {
      if (to !== reader) return result
      const appended = result['appended'] as readonly { readonly seq?: number }[] | undefined
      return {
        ...result,
        ...(typeof result['head'] === 'number' && { head: told(result['head']) }),
        ...(appended && {
          appended: appended.map((one) => (one.seq === undefined ? one : { ...one, seq: told(one.seq) })),
        }),
      }
    },
  }
}

/** The record is told as one of a contact that is not secure. */
export const lowered = (reader: Slot): Attack => ({
  answer: (_name, result: { readonly record?: object }, to) =>
    to === reader && result.record ? { ...result, record: { ...result.record, secure: false } } : result,
})

/** Several at once, or one that begins when the test says so. */
export function attackable(): { attack: Attack | null; readonly service: Attack } {
  const hands: { attack: Attack | null; readonly service: Attack } = {
    attack: null,
    service: {
      entries: (entries, to) => hands.attack?.entries?.(entries, to) ?? entries,
      ask: (name, args, from) => hands.attack?.ask?.(name, args, from) ?? args,
      answer: (name, result, to) => hands.attack?.answer?.(name, result, to) ?? result,
      push: (push, to) => (hands.attack?.push ? hands.attack.push(push, to) : push),
    },
  }
  return hands
}
