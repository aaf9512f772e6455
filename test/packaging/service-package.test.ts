/** The service as somebody installs it: its tarball in an empty folder, with its dependencies and nothing else. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { get } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packService } from '../../scripts/service-package.mjs'
import { readOptions } from '../../service/src/options.ts'
import { freePort } from '../support/free-port.ts'
import { repository } from './embedding-app.ts'

const folder = mkdtempSync(join(tmpdir(), 'duolog-installed-'))
const program = join(folder, 'node_modules', '.bin', 'duolog-service')
const PRODUCTION = [
  ...['--mode', 'production', '--origin', 'https://www.example.org', '--log-level', 'silent'],
  ...['--agent-issuer', 'https://id.example.org', '--agent-jwks', 'https://id.example.org/jwks'],
  ...['--agent-audience', 'https://contact.example.org', '--agent-client', 'console', '--drain-wait', '0'],
]
let service: ChildProcess
let url: string

/** As npm does it, but for the registry. */
function install(tarball: string): void {
  const own = join(folder, 'node_modules', 'duolog-service')
  mkdirSync(own, { recursive: true })
  execFileSync('tar', ['xzf', tarball, '-C', own, '--strip-components=1'])
  const manifest = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')) as {
    readonly bin: { readonly 'duolog-service': string }
    readonly dependencies: Record<string, string>
  }
  for (const name of Object.keys(manifest.dependencies)) {
    const hoisted = [join(repository, 'service/node_modules', name), join(repository, 'node_modules', name)]
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true })
    symlinkSync(hoisted.find((path) => existsSync(path)) ?? '', join(folder, 'node_modules', name))
  }
  mkdirSync(dirname(program))
  symlinkSync(join(own, manifest.bin['duolog-service']), program)
  chmodSync(program, 0o755)
}

/** Runs it until it ends by itself. */
const run = (...args: readonly string[]) =>
  spawnSync(program, [...PRODUCTION, ...args], { cwd: folder, encoding: 'utf8', timeout: 20_000 })

beforeAll(async () => {
  chmodSync(folder, 0o755)
  install(await packService(join(folder, 'packed')))
  const port = await freePort()
  service = spawn(program, [...PRODUCTION, '--port', String(port)], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise<void>((settle, reject) => {
    service.stdout?.once('data', () => settle())
    service.once('exit', (code) => reject(new Error(`it ended with ${code}`)))
  })
  url = `http://127.0.0.1:${port}`
})

afterAll(async () => {
  if (service?.exitCode === null) {
    const ended = new Promise((settle) => service.once('exit', settle))
    service.kill('SIGTERM')
    await ended
  }
  rmSync(folder, { recursive: true, force: true })
})

describe('duolog-service from its tarball, in an empty folder', () => {
  it.each([
    ['/', 'text/html'],
    ['/widget.js', 'javascript'],
    ['/sdk/duolog.js', 'javascript'],
    ['/sdk/duolog.global.js', 'javascript'],
    ['/visitor/', 'text/html'],
    ['/agent/', 'text/html'],
    ['/agent/main.js', 'javascript'],
    ['/readyz', 'application/json'],
  ])('PRD-100 serves %s in production', async (path, type) => {
    const answer = await fetch(`${url}${path}`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringContaining(type)])
  })

  it('PRD-100 every script that a page names is there, and every chunk that those import at once', async () => {
    const missing: string[] = []
    const seen = new Set<string>()
    const follow = async (address: string): Promise<void> => {
      if (seen.has(address)) return
      seen.add(address)
      const answer = await fetch(address)
      const text = await answer.text()
      if (!answer.ok) missing.push(address)
      if (!address.endsWith('.js')) {
        for (const [, path = ''] of text.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g))
          await follow(new URL(path, address).href)
        return
      }
      for (const [, path = ''] of text.matchAll(/(?:from|import)\s*"(\.{1,2}\/[^"]+\.js)"/g))
        await follow(new URL(path, address).href)
    }
    for (const page of ['visitor/', 'agent/', 'sdk/duolog.js', 'sdk/agent.js']) await follow(`${url}/${page}`)
    expect(missing).toEqual([])
    expect(seen.size).toBeGreaterThanOrEqual(10)
  })

  it('PRD-100 sends what was compressed when it was built', async () => {
    const { headers } = await new Promise<IncomingMessage>((settle, reject) => {
      get(`${url}/sdk/agent.js`, { headers: { 'accept-encoding': 'br' } }, settle).on('error', reject)
    })
    expect(headers['content-encoding']).toBe('br')
  })

  it('PRD-225 has the files that docs/deploy.md copies, where it copies them from', () => {
    const page = readFileSync(join(repository, 'docs/deploy.md'), 'utf8')
    const named = [...page.matchAll(/deploy\/(?:systemd|nginx|caddy|coturn)\/[\w.-]*\w/g)].map(
      ([file]) => file,
    )
    expect(new Set(named).size).toBeGreaterThanOrEqual(5)
    const own = join(folder, 'node_modules', 'duolog-service')
    expect(named.filter((file) => !existsSync(join(own, file)))).toEqual([])
  })

  it('PRD-101 takes a relative folder of pages from where it is started', () => {
    expect(readOptions(['--agent-dir', 'docs'], {})?.folders.agent).toBe(resolve('docs'))
  })

  it('PRD-101 ends with one line where a folder of pages is not there, or is a file', () => {
    const { status, stderr } = run('--sdk-dir', 'nowhere')
    expect(stderr).toBe(
      'duolog-service: unable to read the options; --sdk-dir must be a folder that there is\n',
    )
    expect(status).toBe(2)
    for (const path of ['/nowhere', 'package.json'])
      expect(() => readOptions(['--visitor-dir', path], {})).toThrow('--visitor-dir must be a folder')
  })
})
