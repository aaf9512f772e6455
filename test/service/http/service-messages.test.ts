/** Messages that the organisation's back end has the service write. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuditLine } from '../../../service/src/audit.ts'
import { joinBoth, queueVisitor } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'

const audited: AuditLine[] = []
let test: TestService
let token: string

async function tokenWith(...rights: readonly string[]): Promise<string> {
  const answer = await fetch(`${test.url}/v1/dev/agents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ nick: `Back end ${rights.join(' ')}`, rights }),
  })
  return ((await answer.json()) as { readonly token: string }).token
}

const write = async (contact: string, body: unknown, bearer = token): Promise<[number, object]> => {
  const answer = await fetch(`${test.url}/v1/contacts/${contact}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
    body: JSON.stringify(body),
  })
  return [answer.status, (await answer.json()) as object]
}
const refused = (status: number, code: string) => [
  status,
  { error: { code, message: expect.any(String) as string } },
]

beforeAll(async () => {
  test = await startTestService({}, { audit: (line) => audited.push(line) })
  token = await tokenWith('contacts:read', 'contacts:write')
})
afterAll(() => test.close())

describe('a message of the service', () => {
  it('PRD-160 reaches both parties, and stands in transcript and count', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    const [status, written] = await write(id, { text: 'Your parcel is here', lang: 'en', nick: 'Parcels' })
    expect([status, written]).toEqual([
      201,
      { id: expect.stringMatching(/^b-/), seq: expect.any(Number), time: expect.stringMatching(/Z$/) },
    ])
    for (const { client } of [visitor, agent])
      expect(await client.entry(id, 'notice')).toMatchObject({
        ...{ slot: 'service', type: 'notice', id: (written as { id: string }).id },
        body: { text: 'Your parcel is here', lang: 'en', nick: 'Parcels' },
      })
    const { record } = await visitor.client.call('contact.read', { contact: id })
    expect(record.transcript.messages).toBe(1)
    const transcript = await fetch(`${test.url}/v1/contacts/${id}/transcript`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const { messages } = (await transcript.json()) as { messages: object[] }
    expect(messages).toMatchObject([{ type: 'notice', body: { text: 'Your parcel is here' } }])
    expect(messages[0]).not.toHaveProperty('from')
  })

  it('PRD-161 is written once under the id that the back end gives, also where many ask at once', async () => {
    const { id } = await queueVisitor(test)
    const answers = await Promise.all([1, 2, 3].map(() => write(id, { id: 'order-17', text: 'Shipped' })))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]).toMatchObject([201, { id: 'b-order-17' }])
    const [, other] = await write(id, { id: 'order-18', text: 'Shipped' })
    expect(other).toMatchObject({ id: 'b-order-18' })
  })

  it('PRD-161 is refused where an entry of a party has its id', async () => {
    const visitor = await queueVisitor(test)
    await visitor.session.text('mine', 'b-taken')
    expect(await write(visitor.id, { id: 'taken', text: 'x' })).toEqual(refused(400, 'invalid_argument'))
  })

  it('PRD-162 is refused in a secure contact, where it would not be encrypted, and after the end', async () => {
    const secure = await queueVisitor(test, { secure: true })
    expect(await write(secure.id, { text: 'x' })).toEqual(refused(403, 'forbidden'))
    const { agent, id } = await joinBoth(test)
    await write(id, { id: 'a', text: 'Before' })
    await agent.session.leave()
    expect(await write(id, { text: 'x' })).toEqual(refused(409, 'invalid_state'))
    expect(await write(id, { id: 'a', text: 'Before' })).toMatchObject([201, { id: 'b-a' }])
  })

  it('PRD-163 needs the right contacts:write, and the audit log says whose token it was', async () => {
    const { id } = await queueVisitor(test)
    expect(await write(id, { text: 'x' }, await tokenWith('contacts:read'))).toEqual(
      refused(403, 'forbidden'),
    )
    expect(await write(id, { text: 'x' }, (await test.visitor()).token)).toEqual(refused(403, 'forbidden'))
    await write(id, { text: 'x' })
    const line = { action: 'POST /v1/contacts/:contact/messages', contact: id }
    expect(audited).toContainEqual({ ...line, who: expect.stringMatching(/^agent a-/), result: 'ok' })
    expect(audited).toContainEqual({ ...line, who: expect.stringMatching(/^agent a-/), result: '403' })
  })

  it.each([
    [{}],
    [{ text: '' }],
    [{ text: 7 }],
    [{ text: 'a\u0000b' }],
    [{ text: 'x', id: 'a b' }],
    [{ text: 'x', id: 'a'.repeat(121) }],
    [{ text: 'x', nick: 'n'.repeat(65) }],
    [null],
  ])('PRD-164 is bounded: %o', async (body) => {
    const { id } = await queueVisitor(test)
    expect(await write(id, body)).toEqual(refused(400, 'invalid_argument'))
  })

  it('PRD-164 is well-formed, as over the link, and its name has nothing that is not seen', async () => {
    const { id, client } = await queueVisitor(test)
    await write(id, { id: 'half', text: 'a\ud800b', lang: '\udc00', nick: 'Our \n\u202eparcels \ud800' })
    expect(await client.entry(id, 'notice')).toMatchObject({
      body: { text: 'a\ufffdb', lang: '\ufffd', nick: 'Our parcels' },
    })
    const { rows } = await test.service.database.pool.query<{ body: string }>(
      "select body::text as body from entries where contact = $1 and type = 'notice'",
      [id],
    )
    expect(rows[0]?.body).not.toMatch(/\\u?d[89a-f]/i)
    await write(id, { id: 'nameless', text: 'x', nick: '\u202e' })
    const transcript = await fetch(`${test.url}/v1/contacts/${id}/transcript`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const { messages } = (await transcript.json()) as { messages: { readonly body: object }[] }
    expect(messages.map(({ body }) => body)).toEqual([
      { text: 'a\ufffdb', lang: '\ufffd', nick: 'Our parcels' },
      { text: 'x' },
    ])
  })

  it('PRD-164 one that is too long is answered so, by its bytes', async () => {
    const { id } = await queueVisitor(test)
    expect(await write(id, { text: 'ü'.repeat(4_096) })).toMatchObject([201, {}])
    for (const text of ['ü'.repeat(4_097), 'x'.repeat(8_193), 'x'.repeat(70_000)])
      expect(await write(id, { text })).toEqual(refused(413, 'too_large'))
    expect((await write(id, { text: 'ü'.repeat(4_097) }))[1]).toMatchObject({
      error: { message: expect.stringContaining('text is longer than 8192 bytes') as string },
    })
  })

  it('PRD-164 of a contact that is not there is answered so', async () => {
    expect(await write('none', { text: 'x' })).toEqual(refused(404, 'not_found'))
  })
})
