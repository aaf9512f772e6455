import { afterAll, beforeAll, expect, it } from 'vitest'
import { joinBoth } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { announceNew, tus } from '../../support/tus.ts'

const adminToken = 'an administration token'
let test: TestService
beforeAll(async () => {
  test = await startTestService({ adminToken })
})
afterAll(() => test.close())

async function newSigningKey(voids: boolean): Promise<void> {
  const answer = await fetch(`${test.url}/v1/admin/signing-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ voids }),
  })
  expect(answer.status).toBe(204)
}

it('SRV-21 unfinished uploads end when the signing keys are voided, and go on when there is only a new one', async () => {
  const { visitor, agent } = await joinBoth(test)
  const kept = await announceNew(visitor, { size: 4 })
  await newSigningKey(false)
  expect((await tus(test.url, kept, { body: 'file' })).status).toBe(204)
  const places = [await announceNew(visitor, { size: 4 }), await announceNew(agent, { size: 4 })]
  await newSigningKey(true)
  for (const place of places) expect((await tus(test.url, place, { body: 'file' })).status).toBe(410)
})
