import { mkdirSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import { dirname, join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService } from '../../support/service.ts'
import { temporaryData } from '../../support/temporary-data.ts'
import type { TestService } from '../../support/service.ts'

const built = temporaryData()
let test: TestService

/** A script of 1,200 bytes, as the build leaves it. */
const SCRIPT = 'export const n = 1\n'.padEnd(1_200, '// The same again.\n')

function script(folder: string, name: string): void {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, SCRIPT)
  writeFileSync(`${path}.br`, brotliCompressSync(SCRIPT))
  writeFileSync(`${path}.gz`, gzipSync(SCRIPT))
}

/** What a browser that takes these encodings is sent. `fetch` would hide it. */
const asked = (path: string, encodings: string): Promise<{ headers: IncomingHttpHeaders; body: Buffer }> =>
  new Promise((resolve, reject) => {
    get(`${test.url}${path}`, { headers: { 'accept-encoding': encodings } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }))
    }).on('error', reject)
  })

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
  for (const name of ['duolog.js', 'widget.js']) script(join(built.folder, 'sdk'), name)
  script(join(built.folder, 'sdk'), 'chunks/rpc-2LGR4EXM.js')
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

  it.each([
    { takes: 'gzip, deflate, br', gets: 'br', read: brotliDecompressSync },
    { takes: 'gzip', gets: 'gzip', read: gunzipSync },
    { takes: 'identity', gets: undefined, read: (bytes: Buffer) => bytes },
  ])(
    'PKG-2 a browser that takes $takes gets the SDK as the build has compressed it',
    async ({ takes, gets, read }) => {
      const { headers, body } = await asked('/sdk/duolog.js', takes)
      expect(headers['content-encoding']).toBe(gets)
      expect(headers.vary).toContain('accept-encoding')
      expect(headers['content-type']).toContain('javascript')
      expect(read(body).toString()).toBe(SCRIPT)
      expect(body.length < 200).toBe(gets !== undefined)
    },
  )

  it('PKG-2 a file whose name changes with its content is kept by browsers, others are asked for again', async () => {
    for (const takes of ['br', 'identity']) {
      const cacheOf = async (path: string) => (await asked(path, takes)).headers['cache-control']
      expect(await cacheOf('/sdk/chunks/rpc-2LGR4EXM.js')).toBe('public, max-age=31536000, immutable')
      expect(await cacheOf('/sdk/duolog.js')).toBe('no-cache')
      expect(await cacheOf('/visitor/')).toBe('no-cache')
    }
  })

  it('PRD-1 the loader of the widget stands at the root, compressed, and every page may load it', async () => {
    const { headers, body } = await asked('/widget.js', 'br')
    expect(brotliDecompressSync(body).toString()).toBe(SCRIPT)
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cache-control': 'no-cache',
      'content-encoding': 'br',
      'cross-origin-resource-policy': 'cross-origin',
    })
  })

  it('SEC-11 every page may load the SDK, and nothing else', async () => {
    const originOf = async (path: string) =>
      (await fetch(`${test.url}${path}`)).headers.get('access-control-allow-origin')
    expect(await originOf('/sdk/main.js')).toBe('*')
    for (const path of ['/visitor/main.js', '/agent/main.js', '/inspector/main.js', '/'])
      expect(await originOf(path)).toBeNull()
  })
})
