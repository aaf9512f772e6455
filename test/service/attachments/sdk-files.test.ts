import { randomBytes } from 'node:crypto'
import { openAsBlob, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../../sdk/index.ts'
import type { Contact } from '../../../sdk/index.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { startTestService } from '../../support/service.ts'
import { temporaryData } from '../../support/temporary-data.ts'
import type { TestService } from '../../support/service.ts'

const LARGER_THAN_A_PART = 5 * 1024 * 1024

let test: TestService
let visitor: Contact

beforeAll(async () => {
  test = await startTestService()
  visitor = await createClient({ service: test.url, storage: memoryStore() }).createContact()
})
afterAll(async () => {
  await visitor.leave()
  await test.close()
})

it('ATT-1 ATT-3 a program sends a file as a page does, in parts', async () => {
  const bytes = randomBytes(LARGER_THAN_A_PART)
  const sent: number[] = []
  const { url } = await visitor.attach(new File([bytes], 'noise.bin'), 'noise', 'r-1', {
    onProgress: (sentBytes) => sent.push(sentBytes),
  })
  expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(bytes)).toBe(true)
  expect(sent.at(-1)).toBe(LARGER_THAN_A_PART)
})

it('ENC-300 ENC-302 a program opens what it has sent, and is told of the progress', async () => {
  const bytes = randomBytes(LARGER_THAN_A_PART)
  const { id } = await visitor.attach(new File([bytes], 'noise.bin'))
  const told: number[] = []
  const blob = await visitor.openAttachment(id, { onProgress: (done, total) => told.push(done, total) })
  expect([blob.type, Buffer.from(await blob.arrayBuffer()).equals(bytes)]).toEqual([
    'application/octet-stream',
    true,
  ])
  expect(told.slice(-2)).toEqual([LARGER_THAN_A_PART, LARGER_THAN_A_PART])
  await expect(visitor.openAttachment('f-unknown')).rejects.toMatchObject({ code: 'not_found' })
})

it('ATT-3 ERR-2 a file that changes while it is sent is given up, with a code', async () => {
  const { folder, remove } = temporaryData()
  const path = join(folder, 'note.txt')
  writeFileSync(path, 'before')
  const file = (await openAsBlob(path)) as File
  writeFileSync(path, 'after that it is longer')
  await expect(visitor.attach(file, 'a note', 'r-2')).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringMatching(/cannot be read/) as unknown,
  })
  remove()
})
