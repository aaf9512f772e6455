import { readdir } from 'node:fs/promises'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadSigningKeys } from '../../../service/src/auth/keys.ts'
import { joinAgent, queueVisitor } from '../../support/parties.ts'
import type { Party } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { announceNew, tus } from '../../support/tus.ts'
import { WireClient, WireSession } from '../../support/wire-client.ts'

const adminToken = 'an administration token'
let test: TestService
beforeAll(async () => {
  test = await startTestService({ adminToken })
})
afterAll(() => test.close())

/** A connection of the same agent with a token of its own. */
async function agentWith(jti: string): Promise<WireClient> {
  const keys = await loadSigningKeys(test.service.database.db, test.clock.now())
  const now = test.clock.now() / 1_000
  const token = await new SignJWT({ use: 'agent', nick: 'Ada', tags: [], avatar: null })
    .setProtectedHeader({ alg: 'EdDSA', kid: keys.current.kid, typ: 'duolog+jwt' })
    .setSubject('a-many')
    .setIssuer('duolog-service')
    .setAudience('duolog')
    .setIssuedAt(now)
    .setExpirationTime(Math.floor(now) + 600)
    .setJti(jti)
    .sign(keys.current.key)
  return WireClient.connect(test.url, token)
}

async function revokeToken(id: string): Promise<void> {
  const answer = await fetch(`${test.url}/v1/admin/revocations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${adminToken}` },
    body: JSON.stringify({ use: 'token', id }),
  })
  expect(answer.status).toBe(204)
}

const isThere = async (id: string): Promise<boolean> =>
  (await readdir(test.options.files.folder)).includes(id)

describe('a token that is revoked by its id', () => {
  it('SRV-21 takes the uploads along that were asked for with it, and no others', async () => {
    const visitor = await queueVisitor(test)
    const [lost, kept] = [await agentWith('lost'), await agentWith('kept')]
    const taken = await joinAgent({ ...test, agent: () => Promise.resolve(lost) }, visitor.id)
    const session = new WireSession(kept, visitor.id)
    await session.open()
    const other: Party = { client: kept, session }
    const [void1, void2, stays] = [
      await announceNew(taken, { size: 4 }),
      await announceNew(other, { size: 4, request: 'both' }),
      await announceNew(other, { size: 4 }),
    ]
    await announceNew(taken, { size: 4, request: 'both' })
    for (const place of [void1, void2, stays]) await tus(test.url, place, { body: new Uint8Array(2) })
    await revokeToken('lost')
    const body = new Uint8Array(2)
    for (const place of [void1, void2]) {
      expect((await tus(test.url, place, { body, offset: 2 })).status).toBe(410)
      expect(await isThere(place.id)).toBe(false)
    }
    expect((await tus(test.url, stays, { body, offset: 2 })).status).toBe(204)
    kept.close()
  })
})
