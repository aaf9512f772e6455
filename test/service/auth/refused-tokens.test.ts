import { SignJWT, exportJWK, generateKeyPair } from 'jose'
import type { CryptoKey } from 'jose'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadSigningKeys } from '../../../service/src/auth/keys.ts'
import { announce } from '../../support/tus.ts'
import { joinBoth } from '../../support/parties.ts'
import { signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireClient } from '../../support/wire-client.ts'

const adminToken = 'an administration token'
const lines: string[] = []
let test: TestService
let key: { readonly kid: string; readonly key: CryptoKey }

beforeAll(async () => {
  test = await startTestService(
    { adminToken },
    {
      report: {
        info: (...line) => lines.push(JSON.stringify(line)),
        warn: (...line) => lines.push(JSON.stringify(line)),
        debug: (...line) => lines.push(JSON.stringify(line)),
        fault: (thrown) => lines.push(String(thrown)),
      },
    },
  )
  key = (await loadSigningKeys(test.service.database.db, 0)).current
})
afterAll(() => test.close())

const connect = (token: unknown) => WireClient.connect(test.url, token).then((client) => client.close())

/** A token with the service's own signature, whatever it says. */
function signed(
  claims: Record<string, unknown>,
  header: Record<string, unknown> = {},
  by: CryptoKey | Uint8Array = key.key,
): Promise<string> {
  const now = Math.floor(test.clock.now() / 1_000)
  const whole = {
    use: 'agent',
    sub: 'a-x',
    nick: 'Eve',
    tags: [],
    avatar: null,
    iss: 'duolog-service',
    aud: 'duolog',
    iat: now,
    exp: now + 600,
    ...claims,
  }
  return new SignJWT(whole)
    .setProtectedHeader({ alg: 'EdDSA', kid: key.kid, typ: 'duolog+jwt', ...header })
    .sign(by)
}

describe('tokens that are not for this', () => {
  it('SRV-3 the twin of those that follow is taken', async () => {
    await connect(await signed({}))
  })

  it.each<[string, Record<string, unknown>]>([
    ['another issuer', { iss: 'https://evil.example' }],
    ['another audience', { aud: 'other' }],
    ['no subject', { sub: undefined }],
    ['a subject that is no id', { sub: '../x' }],
    ['another use', { use: 'upload' }],
    ['no use', { use: undefined }],
    ['no expiry', { exp: undefined }],
    ['an expiry that is text', { exp: '9999999999' }],
    ['an endless expiry', { exp: 1e308 }],
    ['a negative expiry', { exp: -1 }],
    ['a time before which it is not valid', { nbf: 9_999_999_999 }],
    ['no time of issue', { iat: undefined }],
    ['a visitor without an origin', { use: 'visitor' }],
  ])('SRV-3 signed by the service, with %s', async (_name, claims) => {
    await expect(connect(await signed(claims).catch(() => 'x'))).rejects.toMatchObject({
      code: 'unauthorized',
    })
  })

  it('SRV-3 keys that the token brings along or names are never looked at', async () => {
    const own = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
    const jwk = await exportJWK(own.publicKey)
    const headers = [
      { jwk },
      { x5u: `${test.url}/x5u` },
      { jku: `${test.url}/jku` },
      { kid: "' or 1=1 --" },
      { kid: '__proto__' },
    ]
    for (const header of headers)
      await expect(connect(await signed({}, header, own.privateKey))).rejects.toMatchObject({
        code: 'unauthorized',
      })
  })

  it('SRV-3 the public key is no shared secret', async () => {
    const rows = await test.service.database.db.selectFrom('signing_keys').select('private_jwk').execute()
    const { x } = JSON.parse(rows[0]?.private_jwk ?? '{}') as { x: string }
    for (const secret of [x, JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x })])
      await expect(connect(await signed({}, { alg: 'HS256' }, Buffer.from(secret)))).rejects.toMatchObject({
        code: 'unauthorized',
      })
    await expect(
      connect(await signed({}, { alg: 'HS256' }, Buffer.from(x, 'base64url'))),
    ).rejects.toMatchObject({ code: 'unauthorized' })
  })

  it('SRV-3 tokens of uploads and downloads open no connection, and a token in the address none either', async () => {
    const { visitor } = await joinBoth(test)
    const { token, id } = (await announce(visitor, { size: 1 })) as { token: string; id: string }
    await expect(connect(token)).rejects.toMatchObject({ code: 'unauthorized' })
    const good = (await signInVisitor(test.url)).token
    const socket = io(test.url, {
      path: '/v1/link',
      query: { token: good },
      auth: { protocol: '1.0' },
      transports: ['websocket'],
      reconnection: false,
      forceNew: true,
    })
    const error = await new Promise<Error & { data?: unknown }>((settle) =>
      socket.once('connect_error', settle),
    )
    socket.close()
    expect(error.data).toMatchObject({ code: 'unauthorized' })
    expect(
      (
        await fetch(`${test.url}/v1/uploads/${id}?token=${token}`, {
          method: 'HEAD',
          headers: { 'tus-resumable': '1.0.0' },
        })
      ).status,
    ).toBe(401)
    expect(lines.join()).not.toContain(good)
  })

  it('SRV-3 nothing of Socket.IO that brings a connection back passes by the token', async () => {
    const { visitor } = await joinBoth(test)
    const pid = visitor.client.socket.id
    for (const token of [undefined, 'bad', await signed({ exp: 1 })]) {
      const auth = { token, protocol: '1.0', pid, offset: 'x' }
      const socket = io(test.url, {
        path: '/v1/link',
        auth,
        transports: ['websocket'],
        reconnection: false,
        forceNew: true,
      })
      const error = await new Promise<Error & { data?: unknown }>((settle) =>
        socket.once('connect_error', settle),
      )
      socket.close()
      expect(error.data).toMatchObject({ code: 'unauthorized' })
    }
  })

  it('SRV-3 neither an older Engine.IO nor another namespace opens anything', async () => {
    const { token } = await signInVisitor(test.url)
    expect((await fetch(`${test.url}/v1/link/?EIO=3&transport=polling`)).status).toBe(400)
    const socket = io(`${test.url}/admin`, {
      path: '/v1/link',
      auth: { token, protocol: '1.0' },
      transports: ['websocket'],
      reconnection: false,
      forceNew: true,
    })
    const error = await new Promise<Error>((settle) => socket.once('connect_error', settle))
    socket.close()
    expect(error.message).toBe('Invalid namespace')
  })
})
