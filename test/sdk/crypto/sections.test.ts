/** Read as an audit would: each constant, label and check of the encryption names its section of the protocol. */
import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const CODE = new URL('../../../sdk/crypto/', import.meta.url)
const PROTOCOL = new URL('../../../docs/encryption/protocol.md', import.meta.url)
/** A label of the protocol, a constant of a module, a check that refuses. */
const NEEDS = [
  /[`']duolog\/1 /,
  /^(?:export )?const [A-Z_]+\b.* =/,
  /throw (?:tampered|refused|changed|truncated|unreadable)\(/,
]
const SECTION = /§(\d)/g

const lines = readdirSync(CODE).flatMap((name) => {
  const text = readFileSync(new URL(name, CODE), 'utf8').split('\n')
  return text.map((line, at) => ({ where: `${name}:${at + 1}`, line, above: text[at - 1] ?? '' }))
})
const sections = new Set(
  [...readFileSync(PROTOCOL, 'utf8').matchAll(/^## (\d+)\. /gm)].map(([, number]) => number),
)

describe('the code of the encryption', () => {
  it('ENC-599 names the section of the protocol beside each constant, label and check', () => {
    const isCode = (line: string): boolean => !/^\s*(?:\*|\/\*|\/\/)/.test(line)
    const needing = lines.filter(({ line }) => isCode(line) && NEEDS.some((each) => each.test(line)))
    expect(needing.length).toBeGreaterThan(60)
    const without = needing.filter(
      ({ line, above }) =>
        !line.includes('§') && !(above.trimStart().startsWith('//') && above.includes('§')),
    )
    expect(without.map(({ where, line }) => `${where} ${line.trim()}`)).toEqual([])
  })

  it('ENC-599 names no section that the protocol has not', () => {
    const named = lines.flatMap(({ where, line }) =>
      [...line.matchAll(SECTION)].map(([, number]) => ({ where, number })),
    )
    expect(named.filter(({ number }) => !sections.has(number ?? ''))).toEqual([])
  })
})
