// Signs the keys of an organisation's agents for secure contacts. Never run it where the contact service runs.
import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { createRemoteJWKSet, jwtVerify } from 'jose'

const { SIGN_KEY = '', JWKS = '', ISSUER = '', AUDIENCE = '', CONSOLE = '', PORT = '8090' } = process.env
const secret = createPrivateKey(SIGN_KEY)
const signer = createPublicKey(secret)
  .export({ format: 'der', type: 'spki' })
  .subarray(-32)
  .toString('base64')
const provider = createRemoteJWKSet(new URL(JWKS))

/** A name with its length in two bytes. @param {unknown} name */
const named = (name) => {
  const bytes = Buffer.from(String(name))
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes])
}

/** @param {import('node:http').IncomingMessage} request */
async function signature(request) {
  const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
  const { payload } = await jwtVerify(token, provider, { issuer: ISSUER, audience: AUDIENCE })
  const asked = /** @type {Record<string, unknown>} */ (await json(request))
  const [commit, key] = [asked['commit'], asked['key']].map((each) => Buffer.from(String(each), 'base64'))
  if (asked['agent'] !== payload.sub) throw new Error('an agent asks for the key of another one')
  if (commit?.length !== 32 || key?.length !== 32) throw new Error('commit and key have 32 bytes each')
  const names = [asked['contact'], asked['agent'], asked['session']].map(named)
  return sign(null, Buffer.concat([Buffer.from('duolog/1 agent key'), ...names, commit, key]), secret)
}

createServer((request, response) => {
  response.setHeader('access-control-allow-origin', CONSOLE)
  response.setHeader('access-control-allow-headers', 'authorization, content-type')
  if (request.method === 'OPTIONS') response.writeHead(204).end()
  else
    signature(request).then(
      (bytes) => response.end(JSON.stringify({ signer, signature: bytes.toString('base64') })),
      (error) => response.writeHead(403).end(String(error)),
    )
}).listen(Number(PORT), () => console.log(`trustedKeys: ${signer}`))
