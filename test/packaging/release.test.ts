import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const copy = mkdtempSync(join(tmpdir(), 'duolog-release-'))
afterAll(() => rmSync(copy, { recursive: true, force: true }))

const versionOf = (folder: string): string =>
  (JSON.parse(readFileSync(join(copy, folder, 'package.json'), 'utf8')) as { version: string }).version
const notes = (): string[] => readdirSync(join(copy, '.changeset')).filter((file) => file.endsWith('.md'))
const release = (): string =>
  execFileSync(process.execPath, [join(copy, 'scripts/version.mjs'), '--apply'], {
    cwd: copy,
    encoding: 'utf8',
  })

/** What a consumer needs to see of a release: a copy of the tree in which it is made. */
function prepare(): void {
  for (const path of ['package.json', '.changeset', 'scripts', 'service/package.json']) {
    mkdirSync(join(copy, path, '..'), { recursive: true })
    cpSync(join(repository, path), join(copy, path), { recursive: true })
  }
  symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'))
}

describe('a release', () => {
  it('PKG-10 makes of the notes the next versions, and a changelog that holds every note', () => {
    prepare()
    const given = notes().map((file) => readFileSync(join(copy, '.changeset', file), 'utf8'))
    expect(given.length).toBeGreaterThan(0)
    release()
    expect(notes()).toEqual([])
    const changelog = (folder: string): string => readFileSync(join(copy, folder, 'CHANGELOG.md'), 'utf8')
    for (const note of given) {
      const [, head = '', text = ''] = /^---\n([\s\S]*?)\n---\n+([\s\S]*)$/.exec(note) ?? []
      const [line = ''] = text.trim().split('\n')
      if (/['"]duolog['"]:/.test(head)) expect(changelog('.')).toContain(line)
      if (head.includes('duolog-service')) expect(changelog('service')).toContain(line)
    }
    expect(changelog('.')).toContain(`## ${versionOf('.')}`)
  })

  it.each([
    ['patch', '1.2.4'],
    ['minor', '1.3.0'],
    ['major', '2.0.0'],
  ])('PKG-10 a %s change of 1.2.3 gives %s', (kind, version) => {
    const manifest = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8')) as object
    writeFileSync(join(copy, 'package.json'), JSON.stringify({ ...manifest, version: '1.2.3' }))
    for (const [name, level] of [
      ['small', 'patch'],
      ['large', kind],
    ])
      writeFileSync(
        join(copy, '.changeset', `${name}.md`),
        `---\n'duolog': ${level}\n---\n\nA ${name} change.\n`,
      )
    expect(release()).toContain(`duolog 1.2.3 → ${version}`)
    expect([versionOf('.'), existsSync(join(copy, '.changeset', 'large.md'))]).toEqual([version, false])
    const [, latest = ''] = readFileSync(join(copy, 'CHANGELOG.md'), 'utf8').split(/^## /m)
    for (const part of [version, 'A large change.', 'A small change.']) expect(latest).toContain(part)
  })
})
