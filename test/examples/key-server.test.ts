/** The key server of `examples/`, as an organisation would run it. */
import { generateKeyPairSync } from 'node:crypto'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { fileURLToPath } from 'node:url'
import { SignJWT, exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isSigned } from '../../sdk/crypto/agent-signature.ts'
import type { AgentSignature } from '../../sdk/crypto/agent-signature.ts'
import { base64 } from '../../sdk/crypto/bytes.ts'
import { freePort } from '../support/free-port.ts'

const ISSUER = 'https://login.example.org'
const SERVER = fileURLToPath(new URL('../../examples/key-server/server.mjs', import.meta.url))
const [commit, agentKey] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
const ASKED = { contact: 'c-1', agent: 'ada', session: 'ä-1', commit: base64(commit), key: base64(agentKey) }
const SHARE = { contact: 'c-1', agent: 'ada', agentSession: 'ä-1', commit, agentKey }

const provider = await generateKeyPair('ES256')
let jwks: Server
let server: ChildProcess
let address: string
let trusted: string

const tokenOf = (subject: string): Promise<string> =>
  new SignJWT()
    .setProtectedHeader({ alg: 'ES256' })
    .setSubject(subject)
    .setIssuer(ISSUER)
    .setAudience('duolog')
    .setExpirationTime('5m')
    .sign(provider.privateKey)

const ask = async (body: object, token: string): Promise<Response> =>
  fetch(address, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  })

beforeAll(async () => {
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(provider.publicKey)), alg: 'ES256' }] })
  jwks = createServer((_, response) => response.setHeader('content-type', 'application/json').end(keys))
  await new Promise<void>((resolve) => void jwks.listen(0, '127.0.0.1', resolve))
  const { privateKey } = generateKeyPairSync('ed25519')
  const port = await freePort()
  address = `http://127.0.0.1:${port}`
  server = spawn(process.execPath, [SERVER], {
    env: {
      SIGN_KEY: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
      JWKS: `http://127.0.0.1:${(jwks.address() as AddressInfo).port}`,
      ...{ ISSUER, AUDIENCE: 'duolog', CONSOLE: 'https://console.example.org', PORT: String(port) },
    },
  })
  trusted = await new Promise((resolve, reject) => {
    server.stdout?.once('data', (line: Buffer) =>
      resolve(line.toString().trim().replace('trustedKeys: ', '')),
    )
    server.stderr?.once('data', (line: Buffer) => reject(new Error(line.toString())))
  })
})
afterAll(() => {
  server?.kill()
  jwks?.close()
})

describe('the example key server', () => {
  it('ENC-420 signs the key of the agent who asks, as the SDK checks it', async () => {
    const answer = await ask(ASKED, await tokenOf('ada'))
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([
      200,
      'https://console.example.org',
    ])
    const signature = (await answer.json()) as AgentSignature
    expect(isSigned(SHARE, signature, [trusted])).toBe(true)
    expect(isSigned({ ...SHARE, agentSession: 'a-2' }, signature, [trusted])).toBe(false)
  })

  it('ENC-420 signs nothing for another agent, without a token of the organisation, or of another length', async () => {
    const token = await tokenOf('ada')
    const other = await generateKeyPair('ES256')
    const forged = await new SignJWT({})
      .setProtectedHeader({ alg: 'ES256' })
      .setSubject('ada')
      .setIssuer(ISSUER)
      .setAudience('duolog')
      .setExpirationTime('5m')
      .sign(other.privateKey)
    const answers = await Promise.all([
      ask({ ...ASKED, agent: 'bob' }, token),
      ask(ASKED, forged),
      ask(ASKED, ''),
      ask({ ...ASKED, commit: base64(commit.slice(1)) }, token),
    ])
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403])
  })
})
