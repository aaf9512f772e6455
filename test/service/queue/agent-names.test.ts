import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signInAgent, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

let test: TestService
beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

describe('names of agents', () => {
  it('SND-114 the initials of a picture are whole characters', async () => {
    expect(await signInAgent(test.url, 'Ada 𐐀ra')).toMatchObject({ agent: { nick: 'Ada 𐐀ra' } })
  })

  it.each([[{ nick: 'half \ud83d' }], [{ nick: 'Ada', tags: ['a\0'] }], [{ nick: 'Ada', tags: ['\ud83d'] }]])(
    'SND-114 %j is refused as an agent',
    async (agent) => {
      const answer = await fetch(`${test.url}/v1/dev/agents`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(agent),
      })
      expect(answer.status).toBe(400)
    },
  )
})
