import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, temporaryData } from '../support/service.ts'
import type { TestService } from '../support/service.ts'

const built = temporaryData()
let test: TestService

beforeAll(async () => {
  const page = (name: string): string => {
    const folder = join(built.folder, name)
    mkdirSync(folder)
    writeFileSync(
      join(folder, 'index.html'),
      '<!doctype html><script type="importmap">{}</script><script type="module" src="./main.js"></script>',
    )
    writeFileSync(join(folder, 'main.js'), '')
    return folder
  }
  test = await startTestService({
    folders: {
      sdk: page('sdk'),
      visitor: page('visitor'),
      agent: page('agent'),
      inspector: page('inspector'),
    },
  })
})
afterAll(async () => {
  await test.close()
  built.remove()
})

describe('the pages that the service serves', () => {
  it.each(['/', '/visitor/', '/agent/', '/inspector/'])(
    'SEC-11 %s runs only its own scripts and is framed by nobody',
    async (path) => {
      const { headers } = await fetch(`${test.url}${path}`)
      const policy = headers.get('content-security-policy') ?? ''
      for (const part of [
        "default-src 'self'",
        "script-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ])
        expect(policy).toContain(part)
      expect(policy).not.toMatch(/unsafe-(inline|eval)/)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('permissions-policy')).toContain('camera=(self)')
      expect(headers.get('referrer-policy')).toBe('strict-origin-when-cross-origin')
    },
  )

  it('SEC-11 a script that stands in a page is allowed by its hash', async () => {
    const { headers } = await fetch(`${test.url}/visitor/`)
    // Of `{}`.
    expect(headers.get('content-security-policy')).toContain(
      "'sha256-RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o='",
    )
  })

  it('SEC-11 every page may load the SDK, and nothing else', async () => {
    const originOf = async (path: string) =>
      (await fetch(`${test.url}${path}`)).headers.get('access-control-allow-origin')
    expect(await originOf('/sdk/main.js')).toBe('*')
    for (const path of ['/visitor/main.js', '/agent/main.js', '/inspector/main.js', '/'])
      expect(await originOf(path)).toBeNull()
  })
})
