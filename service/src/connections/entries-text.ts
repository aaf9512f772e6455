import type { Entry, Pushes } from '../../../protocol/index.ts'

const texts = new WeakMap<readonly Entry[], string>()

/** JSON text of a list of new entries, made once for all channels that send it. */
export function textOfList(entries: readonly Entry[]): string {
  const known = texts.get(entries)
  if (known !== undefined) return known
  const text = JSON.stringify(entries)
  texts.set(entries, text)
  return text
}

/** JSON text of the push of entries. */
export const entriesText = ({ contact, entries }: Pushes['log.entries']): string =>
  `{"contact":${JSON.stringify(contact)},"entries":${textOfList(entries)}}`
