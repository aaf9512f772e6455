import * as v from './checks.ts'
import { definitionOf } from './entries/list.ts'
import type { PartyEntry } from './log.ts'
import { shapeFault } from './shape.ts'
import { wellFormed } from './text.ts'

/**
 * An entry with the members that were encrypted, as the same entry without encryption is read: without its
 * seal. Null where the plain schema refuses it.
 */
export function openedEntry(entry: PartyEntry, opened: Readonly<Record<string, unknown>>): PartyEntry | null {
  const definition = definitionOf(entry.type)
  const given: unknown = { ...entry.body, ...opened }
  if (!definition || shapeFault(given) !== null) return null
  const body = v.read(definition.read ?? definition.body, wellFormed(given))
  return body instanceof v.Fault ? null : ({ ...entry, body } as PartyEntry)
}
