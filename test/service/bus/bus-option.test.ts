import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openNatsBus } from '../../../service/src/bus/open-bus.ts'
import { readOptions } from '../../../service/src/options.ts'
import { StartError } from '../../../service/src/start-error.ts'
import { startService } from '../../../service/src/start-service.ts'
import { NatsServer } from '../../support/nats-server.ts'
import { startTestService, testOptions } from '../../support/service.ts'
import { preparedData } from '../../support/prepared-store.ts'

/** A user who may use the subjects of one deployment, and a server whose messages must be small. */
const CONFIG = `
max_payload: 1MB
authorization {
  users: [{
    user: node, password: secret,
    permissions: { publish: ["duolog.shop.>"], subscribe: ["duolog.shop.>"], allow_responses: true }
  }]
}
`
const folder = mkdtempSync(join(tmpdir(), 'duolog-nats-'))
let server: NatsServer

beforeAll(async () => {
  writeFileSync(join(folder, 'nats.conf'), CONFIG)
  server = await NatsServer.start('-c', join(folder, 'nats.conf'))
})

afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

const busOf = (...urls: string[]) =>
  readOptions(
    urls.flatMap((url) => ['--bus', url]),
    {},
  )?.bus
const at = (port: number, rest = '/shop') => `nats://node:secret@127.0.0.1:${port}${rest}`

const nobody = {
  hint: () => {},
  request: () => Promise.resolve(null),
  frame: () => 'taken' as const,
  missed: () => {},
}

/** Opens a bus that must be refused, and gives the reason. */
async function refused(url: string): Promise<string> {
  const options = busOf(url)
  if (!options) throw new Error('no bus is named')
  try {
    await openNatsBus({ node: 'n', key: 'k', now: () => 0, handlers: nobody, onFault: () => {} }, options)
  } catch (thrown) {
    if (thrown instanceof StartError) return thrown.message
    throw thrown
  }
  throw new Error('it was opened')
}

describe('--bus', () => {
  it('CLU-2 names the servers of a cluster, how to sign in, and the deployment', () => {
    expect(readOptions([], {})?.bus).toBeNull()
    expect(busOf('nats://a')).toEqual({
      servers: ['a:4222'],
      tls: false,
      user: null,
      password: null,
      deployment: 'main',
    })
    expect(busOf('tls://u:p%40@a:1/shop', 'tls://u:p%40@[::1]/shop')).toEqual({
      servers: ['a:1', '[::1]:4222'],
      tls: true,
      user: 'u',
      password: 'p@',
      deployment: 'shop',
    })
    expect(readOptions([], { DUOLOG_BUS: 'nats://a,nats://b' })?.bus?.servers).toEqual(['a:4222', 'b:4222'])
  })

  it.each([
    [['http://a']],
    [['a:4222']],
    [['nats://']],
    [['nats://a/shop.>']],
    [['nats://a/shop/b']],
    [['nats://a?x=1']],
    [['nats://a', 'tls://b']],
    [['nats://a/x', 'nats://b/y']],
    [['nats://u@a', 'nats://b']],
  ])('CLU-2 refuses %s', (urls) => {
    expect(() => busOf(...urls)).toThrow(StartError)
  })

  it('CLU-3 production takes nats:// on this machine only', () => {
    const production = (url: string) =>
      readOptions(
        [
          ...['--mode', 'production', '--origin', 'https://a.example', '--bus', url],
          ...['--agent-jwks', 'https://id.example/jwks', '--agent-issuer', 'i', '--agent-audience', 'a'],
        ],
        {},
      )
    for (const url of ['nats://127.0.0.1', 'nats://[::1]', 'nats://localhost:1', 'tls://nats.example'])
      expect(production(url)?.bus).not.toBeNull()
    expect(() => production('nats://nats.example')).toThrow('--bus must be tls://')
  })

  it('CLU-4 a server that is not there, that refuses the user or the subjects, or takes small messages only, is refused with one line', async () => {
    expect(await refused('nats://127.0.0.1:1')).toMatch(/^unable to use the bus at 127\.0\.0\.1:1; .+$/)
    expect(await refused(at(server.port, '/other'))).toContain('unable to reach the node')
    expect(await refused(`nats://127.0.0.1:${server.port}`)).toMatch(/authorization/i)
    const small = await NatsServer.start('-c', smallConfig())
    expect(await refused(`nats://127.0.0.1:${small.port}`)).toContain('max_payload is 65536')
    await small.stop()
  })

  it('CLU-4 the service does not start without its bus', async () => {
    const data = preparedData()
    const options = testOptions(data.folder, {}, ['--bus', 'nats://127.0.0.1:1'])
    await expect(startService(options)).rejects.toMatchObject({
      message: expect.stringContaining('unable to use the bus at 127.0.0.1:1'),
      exitCode: 1,
    })
    data.remove()
  })

  it('CLU-5 the service goes on while the bus is down, and lets it go at its end', async () => {
    const own = await NatsServer.start()
    const bus = busOf(`nats://127.0.0.1:${own.port}`)
    const test = await startTestService({ bus: bus ?? null })
    const up = async () => /^duolog_bus_up (\d)$/m.exec(await textOf(`${test.url}/metrics`))?.[1]
    expect(await up()).toBe('1')
    await own.stop()
    await expect.poll(up).toBe('0')
    expect((await fetch(`${test.url}/readyz`)).status).toBe(200)
    await test.close()
  })
})

function smallConfig(): string {
  const file = join(folder, 'small.conf')
  writeFileSync(file, 'max_payload: 65536\n')
  return file
}

const textOf = async (url: string): Promise<string> => (await fetch(url)).text()
