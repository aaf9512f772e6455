import { afterAll, beforeAll, expect, it } from 'vitest'
import { joinBoth } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireSession } from '../../support/wire-client.ts'

let test: TestService

beforeAll(async () => {
  test = await startTestService()
})
afterAll(() => test.close())

interface Version {
  readonly session?: string
  readonly xmin: string
  readonly ctid: string
}

/** Which versions of its rows the store has: each time a row is written it gets another. */
async function versions(contact: string): Promise<[Version[], Version[]]> {
  const { pool } = test.service.database
  const { rows: own } = await pool.query<Version>(
    'select xmin::text, ctid::text from contacts where id = $1',
    [contact],
  )
  const { rows: sessions } = await pool.query<Version>(
    'select session, xmin::text, ctid::text from sessions where contact = $1 order by session',
    [contact],
  )
  return [own, sessions]
}

it('SND-127 opening a contact again writes the row of its session only; what was written before is kept', async () => {
  const { visitor, agent, id } = await joinBoth(test)
  await visitor.session.text('hello')
  await agent.client.entry(id, 'text')
  const [contact, before] = await versions(id)
  const isOthers = ({ session }: Version): boolean => session !== visitor.session.id
  expect(await visitor.session.open()).toMatchObject({ counter: 2 })
  const other = await test.visitorAgain(visitor.client)
  expect(await new WireSession(other, id, visitor.session.id).open()).toMatchObject({ counter: 2 })
  const [after, sessions] = await versions(id)
  expect([after, sessions.filter(isOthers)]).toEqual([contact, before.filter(isOthers)])
  expect(sessions).toHaveLength(2)
  await agent.session.leave()
})

it('SND-127 a session that is opened for the first time is stored, and its contact is not written', async () => {
  const { visitor, agent, id } = await joinBoth(test)
  const [[contact]] = await versions(id)
  await new WireSession(visitor.client, id).open()
  const [[after], sessions] = await versions(id)
  expect([after, sessions]).toEqual([contact, expect.objectContaining({ length: 3 })])
  await agent.session.leave()
})
