/** The tables of docs that list what the code defines. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { partyEntries, serviceEntries } from '../../protocol/entries/list.ts'
import { contactEvents } from '../../scripts/contact-interface.mjs'

/** Names in the first column of the tables of a page. */
function listed(page: string): readonly string[] {
  const text = readFileSync(fileURLToPath(new URL(`../../docs/${page}`, import.meta.url)), 'utf8')
  return [...text.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/\w+/g)].map(String),
  )
}

describe('the tables of the docs', () => {
  it('PKG-14 docs/events.md lists every event', () => {
    expect(listed('events.md')).toEqual(expect.arrayContaining(contactEvents()))
  })

  it('PKG-14 docs/protocol.md lists every entry of the log', () => {
    const types = Object.keys({ ...partyEntries, ...serviceEntries })
    expect(listed('protocol.md')).toEqual(expect.arrayContaining(types))
  })
})
