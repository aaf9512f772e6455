// Signs the keys of an organisation's agents for secure contacts. Never run it where the contact service runs.
import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { createRemoteJWKSet, jwtVerify } from 'jose'

const {
  SIGN_KEY = '',
  JWKS = '',
  ISSUER: issuer = '',
  AUDIENCE: audience = '',
  CONSOLE = '',
  PORT,
} = process.env
const secret = createPrivateKey(SIGN_KEY)
const signer = Buffer.from(createPublicKey(secret).export({ format: 'jwk' }).x ?? '', 'base64url').toString(
  'base64',
)
const provider = createRemoteJWKSet(new URL(JWKS))

/** @param {import('node:http').IncomingMessage} request */
async function signatureFor(request) {
  const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
  const { payload } = await jwtVerify(token, provider, { issuer, audience })
  const asked = /** @type {Record<string, string>} */ (await json(request))
  const [commit, key] = [asked['commit'], asked['key']].map((each) => Buffer.from(String(each), 'base64'))
  if (asked['agent'] !== payload.sub || commit?.length !== 32 || key?.length !== 32)
    throw new Error('it is the key of another agent, or of another length')
  const names = [asked['contact'], asked['agent'], asked['session']].flatMap((name) => {
    const bytes = Buffer.from(String(name))
    return [Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]
  })
  return sign(null, Buffer.concat([Buffer.from('duolog/1 agent key'), ...names, commit, key]), secret)
}

createServer((request, response) => {
  response.setHeader('access-control-allow-origin', CONSOLE)
  response.setHeader('access-control-allow-headers', 'authorization, content-type')
  if (request.method === 'OPTIONS') return void response.writeHead(204).end()
  signatureFor(request).then(
    (bytes) => response.end(JSON.stringify({ signer, signature: bytes.toString('base64') })),
    () => response.writeHead(403).end(),
  )
}).listen(Number(PORT ?? 8090), () => console.log(`trustedKeys: ${signer}`))
