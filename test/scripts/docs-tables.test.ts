/** The tables of docs that list what the code defines. */
import { readFileSync, readdirSync } from 'node:fs'
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

/** Rows of a page's tables that have more or fewer cells than the head of their table, each as `line: row`. */
function oddRows(text: string): readonly string[] {
  const lines = text.replaceAll(/^```.*?^```/gms, (code) => code.replaceAll(/[^\n]/g, '')).split('\n')
  const cells = (line: string): number => line.split(/(?<!\\)\|/).length
  let head: number | null = null
  return lines.flatMap((line, at) => {
    head = line.startsWith('|') ? (head ?? cells(line)) : null
    return head === null || cells(line) === head ? [] : [`${at + 1}: ${line}`]
  })
}

describe('the tables of the docs', () => {
  const docs = fileURLToPath(new URL('../../docs/', import.meta.url))
  const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((page) =>
    page.endsWith('.md'),
  )
  it.each(pages)('PKG-14 docs/%s: every row has as many cells as the head of its table', (page) => {
    expect(oddRows(readFileSync(`${docs}/${page}`, 'utf8'))).toEqual([])
  })

  it('PKG-14 docs/events.md lists every event', () => {
    expect(listed('events.md')).toEqual(expect.arrayContaining(contactEvents()))
  })

  it('PKG-14 docs/protocol.md lists every entry of the log', () => {
    const types = Object.keys({ ...partyEntries, ...serviceEntries })
    expect(listed('protocol.md')).toEqual(expect.arrayContaining(types))
  })
})
