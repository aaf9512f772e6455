/** Schemas of the entries of a log, made from their definitions. */
import * as v from './checks.ts'
import { definitionOf, partyEntries, serviceEntries } from './entries/list.ts'
import type { EntryDefinition } from './entries/definition.ts'
import { LIMITS } from './limits.ts'
import type { Entry } from './log.ts'
import { sealedForm } from './sealed-body.ts'
import { shapeFault } from './shape.ts'
import { wellFormed } from './text.ts'
import { SLOTS, nameSchema, seq, shown, slot } from './value-schema.ts'

const SERVICE = 'service'
const WRITERS: readonly string[] = [...SLOTS, SERVICE]

const head = { seq, id: nameSchema, time: v.number() }
const partyHead = {
  ...head,
  slot,
  session: nameSchema,
  counter: seq,
  from: v.object({ id: nameSchema, nick: v.exactOptional(shown(LIMITS.nick)) }),
}
const serviceHead = { ...head, slot: v.literal(SERVICE) }

/** Either form; what is no sealed body may be a plain one. */
const readBody = (definition: EntryDefinition): v.GenericSchema => {
  const { body, read = body, isSealed } = definition
  return isSealed ? v.union([sealedForm(read, definition), read]) : read
}
const entriesOf = <H extends object>(entryHead: H, definitions: Readonly<Record<string, EntryDefinition>>) =>
  Object.entries(definitions).map(([type, definition]) =>
    v.object({ ...entryHead, type: v.literal(type), body: readBody(definition) }),
  )
const knownEntry = v.variant('type', [
  ...entriesOf(partyHead, partyEntries),
  ...entriesOf(serviceHead, serviceEntries),
])

/** An entry of a later minor version: it keeps its position in the log and has no meaning here. */
const laterEntry = v.pipe(
  v.object({ ...head, type: nameSchema, slot: nameSchema, session: v.exactOptional(nameSchema) }),
  v.transform((entry) => ({ ...entry, type: `later.${entry.type}`, body: {} }) as unknown as Entry),
)

const isNew = (value: unknown, known: readonly string[]): boolean =>
  typeof value === 'string' && !known.includes(value)

/** Whether the type of an entry, its writer or a decisive member is of a later minor version. */
function isLater(entry: unknown): boolean {
  const { type, slot: writer, body } = Object(entry) as Readonly<Record<string, unknown>>
  if (typeof type !== 'string') return false
  const definition = definitionOf(type)
  if (!definition || isNew(writer, WRITERS)) return true
  const { decisive } = definition
  return (
    decisive !== undefined &&
    isNew((Object(body) as Readonly<Record<string, unknown>>)[decisive[0]], decisive[1])
  )
}

/** An entry of a party. One whose body cannot be read keeps its position and has no meaning here. */
const writtenEntry = v.union([knownEntry, laterEntry])

/** Only the head is read of an entry that is not well shaped. */
const shaped = (entry: unknown): unknown =>
  shapeFault(entry) === null ? wellFormed(entry) : { ...Object(entry), body: undefined }

const isWritten = (entry: unknown): boolean =>
  SLOTS.some((party) => party === (Object(entry) as { readonly slot?: unknown }).slot)

const received = new WeakMap<object, unknown>()

/** An entry as the service sent it, with all its members; undefined of one that did not come that way. */
export const rawEntry = (entry: Entry): unknown => received.get(entry)

/** An entry as the service sends it. */
export const entrySchema = v.lazy((raw) =>
  v.pipe(
    v.unknown(),
    v.transform(shaped),
    v.lazy((entry) => (isLater(entry) ? laterEntry : isWritten(entry) ? writtenEntry : knownEntry)),
    v.transform((entry) => {
      received.set(entry, raw)
      return entry
    }),
  ),
)
