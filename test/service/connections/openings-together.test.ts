/** Pages that come back at the same time. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { queueVisitor } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { recordStatements } from '../../support/statements.ts'

const PAGES = 24
let test: TestService
beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

it('CLU-154 what many openings at once read of their logs is a few statements, and each has its own answer', async () => {
  const pages = await Promise.all(Array.from({ length: PAGES }, () => queueVisitor(test)))
  const { rows } = await test.service.database.pool.query<{ contact: string; seq: number; id: string }>(
    'select contact, seq, id from entries e where seq = (select max(seq) from entries where contact = e.contact)',
  )
  const ends = new Map(rows.map(({ contact, ...last }) => [contact, last]))
  const lasts = pages.map(({ id: contact }, index) => {
    const { seq, id } = ends.get(contact) ?? { seq: 0, id: '' }
    const wrong = [
      { seq, id: `other-${id}` },
      { seq: seq + 5, id },
    ][index % 6]
    return { last: wrong ?? { seq, id }, cursor: seq, same: wrong === undefined }
  })
  const { all, stop } = recordStatements()
  const opened = await Promise.all(
    pages.map(({ client, id: contact, session }, index) => {
      const { last = { seq: 0, id: '' }, cursor = 0 } = lasts[index] ?? {}
      return client.call('contact.open', { contact, session: session.id, cursor, last })
    }),
  )
  stop()
  expect(opened.map(({ same }) => same)).toEqual(lasts.map(({ same }) => same))
  const read = all.filter(({ text }) => /from entries|join entries/.test(text))
  expect(read.length).toBeLessThan(PAGES)
})
