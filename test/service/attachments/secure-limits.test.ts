import { afterAll, beforeAll, expect, it } from 'vitest'
import { storedSize } from '../../../protocol/index.ts'
import { queueVisitor } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

const MOST = 300_000
let test: TestService
beforeAll(async () => {
  test = await startTestService((standard) => ({
    ...standard,
    files: { ...standard.files, maxBytes: MOST },
  }))
})
afterAll(() => test.close())

/** What the service answers to the announcement of a file. */
async function announced(secure: boolean, size: number): Promise<string> {
  const { client, session, id } = await queueVisitor(test, { secure })
  const reply = await client.ask('attachment.open', {
    ...{ contact: id, session: session.id, request: 'file' },
    ...{ name: 'file', mimetype: 'application/octet-stream', size },
  })
  return reply.ok ? 'ok' : reply.error.code
}

it('SRV-7 SND-306 the largest file is counted before encryption: what is stored of it in a secure contact is larger', async () => {
  expect([await announced(false, MOST), await announced(false, MOST + 1)]).toEqual(['ok', 'too_large'])
  const stored = storedSize(MOST)
  expect([await announced(true, stored), await announced(true, stored + 1)]).toEqual(['ok', 'too_large'])
})
