// Signs the keys of an organisation's agents for secure contacts. Never run it where the contact service runs.
import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { createRemoteJWKSet, jwtVerify } from 'jose'

const { SIGN_KEY = '', JWKS = '', ISSUER = '', AUDIENCE = '', CONSOLE = '', PORT = '8090' } = process.env
const secret = createPrivateKey(SIGN_KEY)
const { x = '' } = createPublicKey(secret).export({ format: 'jwk' })
const signer = Buffer.from(x, 'base64url').toString('base64')
const provider = createRemoteJWKSet(new URL(JWKS))

/** @param {import('node:http').IncomingMessage} request */
async function signatureFor(request) {
  const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
  const { payload } = await jwtVerify(token, provider, { issuer: ISSUER, audience: AUDIENCE })
  const asked = /** @type {Record<string, string>} */ (await json(request))
  const names = ['contact', 'agent', 'session'].map((name) => Buffer.from(asked[name] ?? ''))
  const keys = ['commit', 'key'].map((name) => Buffer.from(asked[name] ?? '', 'base64'))
  if (asked['agent'] !== payload.sub || keys.some(({ length }) => length !== 32)) throw new Error('refused')
  const parts = names.flatMap((name) => [Buffer.from([name.length >> 8, name.length & 255]), name])
  return sign(null, Buffer.concat([Buffer.from('duolog/1 agent key'), ...parts, ...keys]), secret)
}

createServer((request, response) => {
  response.setHeader('access-control-allow-origin', CONSOLE)
  response.setHeader('access-control-allow-headers', 'authorization, content-type')
  if (request.method === 'OPTIONS') return void response.end()
  signatureFor(request).then(
    (bytes) => response.end(JSON.stringify({ signer, signature: bytes.toString('base64') })),
    () => response.writeHead(403).end(),
  )
}).listen(Number(PORT), () => console.log(`trustedKeys: ${signer}`))
