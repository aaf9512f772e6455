import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readOptions } from '../../../service/src/options.ts'
import { StartError } from '../../../service/src/start-error.ts'
import { freePort } from '../../support/free-port.ts'
import { ServiceProcess, isAlive, postmasterOf } from '../../support/service-process.ts'
import { temporaryData } from '../../support/temporary-data.ts'

const data = temporaryData()
let port = 0

beforeAll(async () => {
  port = await freePort()
})
afterAll(() => data.remove())

const isRoot = process.getuid?.() === 0
const args = (...more: string[]) => ['--port', String(port), '--data', data.folder, ...more]

/** Runs a start that must fail, and gives its one line. */
const refused = (...given: string[]): Promise<string> => refusedWith(2, ...given)

async function refusedWith(wanted: number, ...given: string[]): Promise<string> {
  const { code, stderr, stdout } = await (await ServiceProcess.run(given)).ended
  expect({ code, stdout }).toEqual({ code: wanted, stdout: '' })
  expect(stderr.trim().split('\n')).toHaveLength(1)
  return stderr
}

describe('starting the service', () => {
  it('OPS-1 prints its addresses and a sign-in, answers, and stops its database with it', async () => {
    const service = await ServiceProcess.start(args())
    for (const path of ['/visitor/', '/agent/', '/sdk/duolog.js', '/agent/?nick=Ada'])
      expect(service.output).toContain(`http://localhost:${port}${path}`)
    for (const path of ['/healthz', '/readyz', '/'])
      expect((await fetch(`http://127.0.0.1:${port}${path}`)).status).toBe(200)
    const postgres = postmasterOf(data.folder)
    expect(isAlive(postgres)).toBe(true)
    expect(await service.stop()).toMatchObject({ code: 0, stderr: '' })
    expect(isAlive(postgres)).toBe(false)
  })

  it('OPS-1 adopts the database that a killed service left running', async () => {
    const first = await ServiceProcess.start(args())
    const postgres = postmasterOf(data.folder)
    await first.kill()
    expect(isAlive(postgres)).toBe(true)
    const second = await ServiceProcess.start(args())
    expect(postmasterOf(data.folder)).toBe(postgres)
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
    await second.stop()
    expect(isAlive(postgres)).toBe(false)
  })

  it('OPS-2 a database that is not there ends with code 1, so that a supervisor starts it again', async () => {
    const away = `postgres://duolog@127.0.0.1:${await freePort()}/duolog`
    expect(await refusedWith(1, '--port', String(port), '--database-url', away)).toContain(
      'unable to open the database; connect ECONNREFUSED',
    )
  })

  it('OPS-2 what is in use or away ends with one line and code 1', { timeout: 120_000 }, async () => {
    const service = await ServiceProcess.start(args())
    const other = temporaryData()
    const passing = (...given: string[]): Promise<string> => refusedWith(1, ...given)
    expect(await passing('--port', String(port), '--data', other.folder)).toContain('the port is in use')
    expect(await passing('--port', '0', '--data', data.folder)).toContain('another service is running on it')
    for (const [host, why] of [
      ['203.0.113.7', 'EADDRNOTAVAIL'],
      ['nowhere.invalid', 'nowhere.invalid'],
    ] as const)
      expect(
        await passing('--port', '0', '--host', host, '--open-sign-in', '--data', other.folder),
      ).toContain(why)
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
    other.remove()
    await service.stop()
  })

  it.each([
    ...['EADDRINUSE', 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ENOSPC'],
    ...['25006', '55000', '55P03', '57P03', '53300', '08006'],
  ])('OPS-2 %s passes: it ends with code 1, so that a supervisor starts the service again', (code) => {
    const cause = Object.assign(new Error('away'), { code })
    expect(new StartError('unable to start', { cause }).exitCode).toBe(1)
  })

  it.each(['ENOENT', 'EACCES', 'ENOTDIR', '28P01', '3D000', ''])(
    'OPS-2 %s does not pass: it ends with code 2',
    (code) => {
      const cause = Object.assign(new Error('wrong'), { code })
      expect(new StartError('unable to start', { cause }).exitCode).toBe(2)
      expect(new StartError('unable to start').exitCode).toBe(2)
    },
  )

  it.each([
    [['--bogus'], '--bogus'],
    [['extra'], 'extra'],
    [['--port', 'x'], '--port'],
    [['--port', '65536'], '--port'],
    [['--agent-claim', 'foo'], '--agent-jwks must be given with --agent-claim'],
    [['--visitor-issuer', 'i'], '--visitor-secret must be given with --visitor-issuer'],
    [['--mode', 'test'], '--mode'],
    [['--origin', 'shop.example'], '--origin'],
    [['--database-url', 'mysql://x'], '--database-url'],
    [['--strategy', 'best'], '--strategy'],
  ])('OPS-2 the options %j end with one line and code 2', async (given, named) => {
    expect(await refused(...given)).toContain(named)
  })

  it.each([
    ['a file', ''],
    ['below a file', '/x'],
  ])('OPS-2 a place of files that is %s ends with one line and code 2', async (_what, below) => {
    const file = join(data.folder, 'no-folder')
    writeFileSync(file, '')
    const place = `${file}${below}`
    expect(await refused(...args('--files', place))).toContain(`unable to use the folder ${place} for files`)
    const service = await ServiceProcess.start(args('--files', place, '--max-file', '0'))
    await service.stop()
  })

  it('OPS-2 folders of pages without files end a start in production with code 2, and local use warns', async () => {
    const folders = [join(data.folder, 'empty'), join(data.folder, 'whole')] as const
    for (const folder of folders) mkdirSync(folder)
    writeFileSync(join(folders[1], 'index.html'), '')
    const [empty, whole] = folders
    const pages = ['--sdk-dir', whole, '--visitor-dir', whole, '--agent-dir', empty]
    const production = [
      ...['--mode', 'production', '--origin', 'https://a.example', '--agent-jwks', 'https://b.example/k'],
      ...['--agent-issuer', 'i', '--agent-audience', 'a'],
    ]
    const line = `there are no files in ${empty} (--agent-dir)`
    expect(await refused(...args(...production, ...pages))).toContain(
      `unable to start in production; ${line}`,
    )
    const service = await ServiceProcess.start(args(...pages))
    expect(service.output).toContain(`Warning: ${line}`)
    await service.stop()
  })

  it('OPS-2 a data folder that cannot be made ends with one line and code 2', async () => {
    const file = join(data.folder, 'file')
    writeFileSync(file, '')
    expect(await refused('--port', '0', '--data', join(file, 'x'))).toContain('unable to use the data folder')
  })

  it.runIf(isRoot)(
    'OPS-2 as root, a folder that the unprivileged user cannot reach ends with one line and code 2',
    async () => {
      const closed = mkdtempSync(join(tmpdir(), 'duolog-closed-'))
      chmodSync(closed, 0o700)
      mkdirSync(join(closed, 'data'))
      expect(await refused('--port', '0', '--data', join(closed, 'data'))).toContain('cannot reach it')
      rmSync(closed, { recursive: true })
    },
  )

  it.runIf(isRoot)('OPS-1 as root, a private data folder itself is opened for the database', async () => {
    const own = mkdtempSync(join(tmpdir(), 'duolog-own-'))
    chmodSync(own, 0o700)
    const service = await ServiceProcess.start(['--port', String(port), '--data', own])
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
    await service.stop()
    rmSync(own, { recursive: true })
  })

  it('OPS-2 --version tells the version of the package, and a variable of that name is of others', async () => {
    const { code, stdout } = await (await ServiceProcess.run(['--version'])).ended
    const { version } = JSON.parse(
      readFileSync(new URL('../../../service/package.json', import.meta.url), 'utf8'),
    ) as { readonly version: string }
    expect([code, stdout]).toEqual([0, `duolog-service ${version}\n`])
    expect(readOptions([], { DUOLOG_VERSION: '1.2' })).not.toBeNull()
  })

  it('OPS-2 OPS-10 --help tells of every option', async () => {
    const { code, stdout } = await (await ServiceProcess.run(['--help'])).ended
    expect(code).toBe(0)
    for (const option of ['--port', '--data', '--database-url', '--mode', '--origin', '--turn-secret'])
      expect(stdout).toContain(option)
    const page = readFileSync(new URL('../../../docs/service.md', import.meta.url), 'utf8')
    const options = [...stdout.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option]) => option)
    expect(options.filter((option) => !page.includes(`\`${option}`))).toEqual([])
    expect(
      [...page.matchAll(/`(--[a-z-]+)/g)]
        .map(([, option]) => option)
        .filter((option) => !options.includes(option)),
    ).toEqual([])
  })
})
