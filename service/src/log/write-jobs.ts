import type { AppendResult, EntryInsert } from './entry-insert.ts'

/** The fields of every job. */
interface Weighed {
  /** Characters of its content. */
  readonly characters: number
}

export interface Append extends Weighed {
  readonly kind: 'append'
  readonly inserts: readonly EntryInsert[]
  readonly done: (outcomes: AppendResult[]) => void
  readonly failed: (cause: unknown) => void
}

/** The entries of one statement, by contact. */
export type Batch = ReadonlyMap<string, readonly Append[]>

/** The room that is left in a statement. */
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
 * The first jobs of the list, at least one, up to a job that names a message again: a statement cannot see
 * the entries that it stores itself.
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

/** The names that may appear only once in a batch. */
const namesOf = ({ contact, id, slot, ref }: EntryInsert): string[] =>
  ref === null ? [`${contact} ${id}`] : [`${contact} ${id}`, `${contact} ${slot} ${ref}`]

export const charactersOf = (inserts: readonly EntryInsert[]): number =>
  inserts.reduce((sum, { body }) => sum + body.length, 0)
