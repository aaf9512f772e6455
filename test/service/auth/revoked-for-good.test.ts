import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Principal } from '../../../service/src/auth/principal.ts'
import { Revocations } from '../../../service/src/auth/revocations.ts'
import { removeRevocations } from '../../../service/src/store/removal.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

const DAY_MS = 86_400_000
let test: TestService
beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

it.each(['agent', 'token'] as const)(
  'SND-127 a token that does not say when it was issued does not outlive the revocation of its %s',
  async (use) => {
    const { db } = test.service.database
    const clock = new ManualClock()
    const principal = { use: 'agent', id: randomUUID(), jti: randomUUID(), issued: 0 } as Principal
    const revocations = new Revocations({ db, clock })
    const taken = (by: Revocations) =>
      by
        .guard(() => Promise.resolve(principal))('token')
        .then(
          () => true,
          () => false,
        )
    expect(await taken(revocations)).toBe(true)
    await revocations.revoke({ use, id: use === 'agent' ? principal.id : (principal.jti ?? '') })
    for (const days of [0, 25, 31, 400]) {
      clock.advance(days * DAY_MS)
      await removeRevocations(db, clock.now())
      await revocations.load()
      const restarted = new Revocations({ db, clock })
      await restarted.load()
      expect([await taken(revocations), await taken(restarted)], `after ${days} days`).toEqual([false, false])
    }
    expect(revocations.size).toBe(0)
  },
)
