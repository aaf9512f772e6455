import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { lockProblems } from '../../scripts/lock-file.mjs'

const packages = (
  content: Parameters<typeof lockProblems>[0]['packages'],
): Parameters<typeof lockProblems>[0] => ({ packages: content })

describe('lockProblems', () => {
  it('finds nothing in the lock file of the repository', () => {
    const json = (name: string): never =>
      JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')) as never
    const own = json('package.json') as Record<'allowScripts' | 'overrides', Record<string, boolean>>
    expect(lockProblems(json('package-lock.json'), own.allowScripts, own.overrides)).toEqual([])
  })

  it('finds a download address, but takes the links of the workspace', () => {
    const lock = packages({
      'node_modules/a': { version: '1.0.0', resolved: 'https://example.org/a.tgz' },
      'node_modules/b': { resolved: 'service', link: true },
    })
    expect(lockProblems(lock, {})).toEqual([expect.stringContaining('node_modules/a has a download address')])
  })

  it('finds versions with known holes, nested ones too', () => {
    const lock = packages({
      'node_modules/ws': { version: '8.21.0' },
      'node_modules/x/node_modules/ws': { version: '8.9.0' },
      'node_modules/crypto-js': { version: '4.1.9' },
    })
    expect(lockProblems(lock, {})).toEqual([
      expect.stringContaining('node_modules/x/node_modules/ws is 8.9.0'),
      expect.stringContaining('node_modules/crypto-js is 4.1.9'),
    ])
  })

  it('finds an install script that nobody decided on', () => {
    const lock = packages({
      'node_modules/@a/b': { version: '1.0.0', hasInstallScript: true },
      'node_modules/c': { version: '1.0.0', hasInstallScript: true },
    })
    expect(lockProblems(lock, { c: false })).toEqual([
      expect.stringContaining('node_modules/@a/b has an install script'),
    ])
  })

  it('finds an override of what somebody gets who installs the package', () => {
    const lock = packages({
      'node_modules/a': { version: '1.0.0' },
      'node_modules/b': { version: '1.0.0', dev: true },
    })
    expect(lockProblems(lock, {}, { a: '1.0.0', b: '1.0.0' })).toEqual([
      expect.stringContaining('node_modules/a is overridden'),
    ])
  })
})
