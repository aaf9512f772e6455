/** The ways in which a node proves to a NATS server who it is. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, nkeys } from '@nats-io/transport-node'
import type { NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BusMessage } from '../../../service/src/bus/bus.ts'
import { openNatsBus } from '../../../service/src/bus/open-bus.ts'
import { readOptions } from '../../../service/src/options.ts'
import { StartError } from '../../../service/src/start-error.ts'
import { NatsServer } from '../../support/nats-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'duolog-sign-in-'))
const file = (name: string): string => join(folder, name)
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString()
const servers: NatsServer[] = []

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()))
  rmSync(folder, { recursive: true })
})

/** A server with a configuration, and its port. */
async function serverWith(name: string, config: string): Promise<number> {
  writeFileSync(file(name), config)
  const server = await NatsServer.start('-c', file(name))
  servers.push(server)
  return server.port
}

const optionsOf = (...args: string[]) => readOptions(args, {})?.bus
const nobody = {
  hint: () => {},
  request: () => Promise.resolve(null),
  frame: () => 'taken' as const,
  missed: () => {},
}

/** Opens the bus and closes it; gives why it cannot be used. */
async function tryBus(...args: string[]): Promise<string> {
  const options = optionsOf(...args)
  if (!options) throw new Error('no bus is named')
  try {
    const parts = { node: 'n', key: 'k', now: () => 0, handlers: nobody, onFault: () => {} }
    await (await openNatsBus(parts, options)).close()
    return 'opened'
  } catch (thrown) {
    if (thrown instanceof StartError) return thrown.message
    throw thrown
  }
}

/** A JWT as NATS reads it: signed with an nkey (https://docs.nats.io/running-a-nats-service/nats_admin/jwt). */
function jwt(signer: ReturnType<typeof nkeys.createUser>, subject: string, nats: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { jti: subject, iat: 1, iss: signer.getPublicKey(), name: 'test', sub: subject, nats }
  const text = `${part({ typ: 'JWT', alg: 'ed25519-nkey' })}.${part(claims)}`
  return `${text}.${Buffer.from(signer.sign(Buffer.from(text))).toString('base64url')}`
}

/** As docs/cluster.md sets a deployment up: `ear` has all of its account, `other` another one. */
const ACCOUNTS = `
accounts {
  SHOP { users: [
    { user: duolog, password: p, permissions: { publish: ["duolog.shop.>"], subscribe: ["duolog.shop.>"] } }
    { user: ear, password: p }
  ] }
  OTHER { users: [ { user: other, password: p } ] }
}`

/** A client of the server that is no node, and what it hears of all subjects. */
async function listener(port: number, user: string) {
  const connection: NatsConnection = await connect({ port, user, pass: 'p' })
  const heard: { readonly subject: string; readonly data: Uint8Array }[] = []
  connection.subscribe('>', { callback: (_fault, message) => void heard.push(message) })
  await connection.flush()
  return { connection, heard }
}

it('CLU-136 users of another account hear nothing and are not heard; who is in the account is not without the key', async () => {
  const port = await serverWith('accounts.conf', ACCOUNTS)
  const options = optionsOf('--bus', `nats://duolog:p@127.0.0.1:${port}/shop`)
  if (!options) throw new Error('no bus is named')
  const taken: BusMessage[] = []
  const open = (node: string) =>
    openNatsBus(
      {
        ...{ node, key: 'k', now: () => 0, onFault: () => {} },
        handlers: { ...nobody, hint: (_from, message) => taken.push(message) },
      },
      options,
    )
  const [ear, other] = [await listener(port, 'ear'), await listener(port, 'other')]
  const [a, b] = [await open('a'), await open('b')]
  a.hint('b', { kind: 'match', body: 1 })
  await expect.poll(() => taken.length).toBe(1)
  // The node's question to itself at its start, and the hint.
  const ofB = () => ear.heard.filter(({ subject }) => subject === 'duolog.shop.n.b')
  await expect.poll(() => ofB().length).toBe(2)
  const recorded = ofB()[1]?.data ?? new Uint8Array()
  for (const { connection } of [ear, other]) {
    connection.publish('duolog.shop.n.b', recorded)
    connection.publish('duolog.shop.all', recorded)
    connection.publish(
      'duolog.shop.n.b',
      JSON.stringify({ v: 1, from: 'a', count: 9, at: 0, kind: 'match', body: 2 }),
    )
    await connection.flush()
  }
  a.hint('b', { kind: 'match', body: 3 })
  await expect.poll(() => taken.map(({ body }) => body)).toEqual([1, 3])
  expect(other.heard.map(({ subject }) => subject)).toEqual([
    'duolog.shop.n.b',
    'duolog.shop.all',
    'duolog.shop.n.b',
  ])
  for (const each of [a, b, ear.connection, other.connection]) await each.close()
})

describe('the sign-in at a NATS server', () => {
  it('CLU-80 is by an nkey, whose seed is in a file', async () => {
    const [own, other] = [nkeys.createUser(), nkeys.createUser()]
    const port = await serverWith('nkey.conf', `authorization { users: [{ nkey: ${own.getPublicKey()} }] }`)
    writeFileSync(file('own.seed'), `${textOf(own.getSeed())}\n`)
    writeFileSync(file('other.seed'), textOf(other.getSeed()))
    const at = ['--bus', `nats://127.0.0.1:${port}`, '--bus-credentials']
    expect(await tryBus(...at, file('own.seed'))).toBe('opened')
    expect(await tryBus(...at, file('other.seed'))).toMatch(/authorization/i)
    expect(() => optionsOf(...at, file('none.seed'))).toThrow('unable to read --bus-credentials; ENOENT')
  })

  it('CLU-80 is by credentials with a JWT, which are read anew at each sign-in', async () => {
    const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()]
    const limits = { subs: -1, data: -1, payload: -1 }
    const unlimited = { ...limits, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 }
    const accountJwt = jwt(operator, account.getPublicKey(), {
      type: 'account',
      version: 2,
      limits: unlimited,
    })
    const userJwt = jwt(account, user.getPublicKey(), { type: 'user', version: 2, ...limits })
    const operatorJwt = jwt(operator, operator.getPublicKey(), { type: 'operator', version: 2 })
    const port = await serverWith(
      'jwt.conf',
      `operator: ${operatorJwt}\nresolver: MEMORY\nresolver_preload: { ${account.getPublicKey()}: ${accountJwt} }`,
    )
    writeFileSync(
      file('user.creds'),
      `-----BEGIN NATS USER JWT-----\n${userJwt}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${textOf(user.getSeed())}\n------END USER NKEY SEED------\n`,
    )
    expect(await tryBus('--bus', `nats://127.0.0.1:${port}`, '--bus-credentials', file('user.creds'))).toBe(
      'opened',
    )
  })

  describe('with certificates', () => {
    let at: string[]

    beforeAll(async () => {
      const ssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
      const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
      ssl(
        'req',
        '-x509',
        ...key,
        '-days',
        '2',
        '-subj',
        '/CN=authority',
        '-keyout',
        'ca.key',
        '-out',
        'ca.pem',
      )
      for (const name of ['server', 'node']) {
        ssl('req', ...key, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`)
        writeFileSync(file('names'), 'subjectAltName=DNS:localhost')
        const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names']
        ssl('x509', '-req', '-days', '2', '-in', `${name}.csr`, '-out', `${name}.pem`, ...signed)
      }
      const tls = { cert_file: 'server.pem', key_file: 'server.key', ca_file: 'ca.pem' }
      const lines = Object.entries(tls).map(([name, path]) => `${name}: "${file(path)}"`)
      const port = await serverWith('tls.conf', `tls { ${lines.join(', ')}, verify: true }`)
      at = ['--bus', `tls://localhost:${port}`]
    })

    it('CLU-81 the node has a certificate of its own, and takes a server of its authorities only', async () => {
      const own = ['--bus-cert', file('node.pem'), '--bus-key', file('node.key')]
      expect(await tryBus(...at, ...own, '--bus-ca', file('ca.pem'))).toBe('opened')
      expect(await tryBus(...at, ...own)).toMatch(/unable to use the bus.*certificate/i)
      expect(await tryBus(...at, '--bus-ca', file('ca.pem'))).toMatch(/unable to use the bus/)
    })
  })

  it.each([
    [['--bus', 'nats://a', '--bus-cert', 'c', '--bus-key', 'k'], '--bus must be tls://'],
    [['--bus', 'nats://a', '--bus-ca', 'c'], '--bus must be tls://'],
    [['--bus', 'tls://a', '--bus-cert', 'c'], '--bus-key must be given'],
    [['--bus', 'tls://a', '--bus-key', 'k'], '--bus-cert must be given'],
    [['--bus', 'nats://u:p@a', '--bus-credentials', 'c'], '--bus-credentials must be the only sign-in'],
    [['--bus-credentials', 'c'], '--bus must be given'],
  ])('CLU-81 refuses %j', (args, why) => {
    expect(() => optionsOf(...args)).toThrow(why)
  })
})
