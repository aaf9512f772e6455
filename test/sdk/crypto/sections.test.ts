/** Read as an audit would: each constant, label and check of the encryption names its section of the protocol. */
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const CODE = new URL('../../../sdk/crypto/', import.meta.url)
const ROOT = new URL('../../../', import.meta.url)
const PROTOCOL = readFileSync(new URL('docs/encryption/protocol.md', ROOT), 'utf8')
/** A label of the protocol, a constant of a module, a check that refuses. */
const NEEDS = [
  /[`'](?:duolog\/1 |c2sp)/,
  /^(?:export )?const [A-Z_]+\b.* =/,
  /throw (?:tampered|refused|changed|truncated|unreadable)\(/,
  /(?:throw|return) new ContactError\('(?:tampered|invalid_key|too_large|no_crypto)'/,
]
/** Where else the encryption is decided: what is encrypted, and what breaks a contact. */
const NEEDS_ELSEWHERE = [
  /^ {2}encrypts: /,
  /\.broken\('/,
  /=== 'other_key'/,
  /reason: 'other_key' }$/,
  /[Ss]ecure.*'pstn'/,
]
const SECTION = /§(\d)/g

const lines = readdirSync(CODE).flatMap((name) => {
  const text = readFileSync(new URL(name, CODE), 'utf8').split('\n')
  return text.map((line, at) => ({ where: `${name}:${at + 1}`, line, above: text[at - 1] ?? '' }))
})
const sections = new Set([...PROTOCOL.matchAll(/^## (\d+)\. /gm)].map(([, number]) => number))
const isComment = (line: string | undefined): boolean => line?.trimStart().startsWith('//') === true
const textOf = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8')
const filesIn = (path: string): readonly string[] =>
  statSync(new URL(path, ROOT)).isDirectory()
    ? readdirSync(new URL(path, ROOT), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => `${path.replace(/\/$/, '')}/${name}`)
    : [path]
/** The table of the protocol: section, and the files that it names for it. */
const table = [...PROTOCOL.matchAll(/^\| (\d+) \| .* \| ([^|]*) \|$/gm)].flatMap(
  ([, section = '', places = '']) =>
    [...places.matchAll(/`([^`]*\/[^`]*)`/g)].map(([, path = '']) => ({ section, path })),
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

  it('ENC-599 names it in each file that the table of the protocol names for it', () => {
    expect(table.length).toBeGreaterThan(30)
    const without = table.filter(
      ({ section, path }) => !filesIn(path).some((file) => textOf(file).includes(`§${section}`)),
    )
    expect(without).toEqual([])
  })

  it('ENC-599 stands in no file that the table does not name', () => {
    const named = new Set(table.flatMap(({ path }) => filesIn(path)))
    const marked = ['sdk', 'protocol', 'machines']
      .flatMap(filesIn)
      .filter((path) => textOf(path).includes('§'))
    expect(marked.filter((path) => !named.has(path))).toEqual([])
  })

  it('ENC-599 stands beside each decision about encryption in the rest of the SDK', () => {
    const deciding = ['sdk', 'protocol'].flatMap(filesIn).flatMap((path) => {
      const text = textOf(path).split('\n')
      const beside = (at: number): string => [text[at - 1], text[at + 1]].filter(isComment).join()
      return text.flatMap((line, at) =>
        NEEDS_ELSEWHERE.some((each) => each.test(line)) ? [{ path, line, said: line + beside(at) }] : [],
      )
    })
    expect(deciding.length).toBeGreaterThan(10)
    expect(deciding.filter(({ said }) => !said.includes('§'))).toEqual([])
  })
})
