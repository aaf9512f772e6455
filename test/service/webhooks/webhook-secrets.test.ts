/** Events while the file of their secrets is out of order. */
import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { queueVisitor } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { temporaryData } from '../../support/temporary-data.ts'
import { queueIs } from '../../support/webhook-queue.ts'
import { WebhookReceiver } from '../../support/webhook-receiver.ts'

const secret = `${randomBytes(32).toString('base64')}\n`
const files = temporaryData()
const secretFile = join(files.folder, 'secrets')
const said: unknown[] = []
const faults: unknown[] = []
let receiver: WebhookReceiver
let test: TestService

beforeAll(async () => {
  writeFileSync(secretFile, secret)
  receiver = await WebhookReceiver.start()
  test = await startTestService(
    { webhook: { url: receiver.url, secretFile } },
    { report: { warn: (...line) => said.push(line), fault: (thrown) => faults.push(thrown) } },
  )
})
afterAll(async () => {
  await test?.close()
  await receiver?.close()
  files.remove()
})

it.each([
  ['missing', () => rmSync(secretFile), 'ENOENT'],
  ['empty', () => writeFileSync(secretFile, ''), 'the file has no secret'],
])(
  'PRD-112 OPS-11 events wait by the same times while the file of secrets is %s, and the log names it',
  async (_what, harm, why) => {
    harm()
    const { id } = await queueVisitor(test)
    await queueIs(test, id, 'waiting')
    expect(said).toContainEqual([
      'unable to read --webhook-secret-file; webhooks wait',
      { file: secretFile, why },
    ])
    expect(faults).toEqual([])
    expect(receiver.heard.filter(({ said: { data } }) => data.contact === id)).toEqual([])
    writeFileSync(secretFile, secret)
    test.clock.advance(1_000)
    await receiver.of(id, 2)
  },
)
