import type { AppendResult, EntryInsert } from './entry-insert.ts'

/** What every job has, whichever kind it is. */
interface Weighed {
  /** Of the content that it brings. */
  readonly characters: number
}

export interface Append extends Weighed {
  readonly kind: 'append'
  readonly inserts: readonly EntryInsert[]
  readonly done: (outcomes: AppendResult[]) => void
  readonly failed: (cause: unknown) => void
}

/** What one statement appends, by contact. */
export type Batch = ReadonlyMap<string, readonly Append[]>

/** What a statement can still take. */
export interface Room {
  readonly entries: number
  readonly characters: number
}

interface Change<C> extends Weighed {
  readonly kind: 'change'
  readonly change: C
}

export type Job<C> = Append | Change<C>

/**
 * From the front, at least one, up to one that names a message again: a statement cannot see what it is about
 * to store.
 */
export function firstAppends(jobs: readonly Job<unknown>[], room: Room): readonly Append[] {
  const [first] = jobs
  if (jobs.length === 1 && first?.kind === 'append') return [first]
  const batch: Append[] = []
  const seen = new Set<string>()
  const size = { entries: 0, characters: 0 }
  for (const job of jobs) {
    if (job.kind !== 'append') break
    const names = job.inserts.flatMap(namesOf)
    size.entries += job.inserts.length
    size.characters += job.characters
    const fits = size.entries <= room.entries && size.characters <= room.characters
    if (batch.length > 0 && (!fits || names.some((name) => seen.has(name)))) break
    for (const name of names) seen.add(name)
    batch.push(job)
  }
  return batch
}

/** What may stand only once in a batch. */
const namesOf = ({ contact, id, slot, ref }: EntryInsert): string[] =>
  ref === null ? [`${contact} ${id}`] : [`${contact} ${id}`, `${contact} ${slot} ${ref}`]

export const charactersOf = (inserts: readonly EntryInsert[]): number =>
  inserts.reduce((sum, { body }) => sum + body.length, 0)
