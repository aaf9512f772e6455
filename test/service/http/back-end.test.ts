import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ContactData } from '../../../protocol/index.ts'
import type { AuditLine } from '../../../service/src/audit.ts'
import { recordFaults } from '../../support/data-schemas.ts'
import { joinBoth, queueVisitor } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import { sendFile } from '../../support/tus.ts'
import type { TestService } from '../../support/service.ts'

const audited: AuditLine[] = []
let test: TestService
let token: string

/** The token of an agent with these rights. */
async function tokenWith(...rights: readonly string[]): Promise<string> {
  const answer = await fetch(`${test.url}/v1/dev/agents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ nick: `Back end ${rights.length}`, rights }),
  })
  return ((await answer.json()) as { readonly token: string }).token
}

const ask = (path: string, bearer: string | null = token): Promise<Response> =>
  fetch(`${test.url}${path}`, { headers: bearer === null ? {} : { authorization: `Bearer ${bearer}` } })
const read = async <T>(path: string): Promise<T> => (await ask(path)).json() as Promise<T>
const codeOf = async (answer: Response): Promise<unknown> => [
  answer.status,
  ((await answer.json()) as { readonly error: { readonly code: string } }).error.code,
]

interface Listed {
  readonly contacts: readonly { readonly id: string; readonly state: string; readonly visitor: string }[]
  readonly next?: string
}
interface Transcript {
  readonly messages: readonly { readonly seq: number; readonly body: { readonly text: string } }[]
  readonly next?: number
}

beforeAll(async () => {
  test = await startTestService({}, { audit: (line) => audited.push(line) })
  token = await tokenWith('contacts:read')
})
afterAll(() => test.close())

describe('the routes for the back end of the organisation', () => {
  it('PRD-120 list contacts, the newest first, page by page, and those of one visitor', async () => {
    const ids: string[] = []
    for (let count = 0; count < 5; count += 1) {
      ids.unshift((await queueVisitor(test)).id)
      test.clock.advance(1_000)
    }
    const found: string[] = []
    let next: string | undefined = ''
    while (next !== undefined) {
      const page: Listed = await read(`/v1/contacts?limit=2${next && `&before=${encodeURIComponent(next)}`}`)
      found.push(...page.contacts.map(({ id }) => id))
      next = page.next
    }
    expect(found).toEqual(ids)
    const [first] = (await read<Listed>('/v1/contacts?limit=1')).contacts
    expect(first).toMatchObject({ state: 'queued', nick: 'Vera', tags: [], messages: 0 })
    const own = await read<Listed>(`/v1/contacts?visitor=${first?.visitor}`)
    expect(own.contacts.map(({ id }) => id)).toEqual([ids[0]])
  })

  it('PRD-121 give the record of a contact, fields that agents do not see included', async () => {
    const field = {
      name: 'number',
      desc: 'Number',
      type: 'text' as const,
      value: '17',
      visible: false,
      editable: false,
    }
    const { id } = await queueVisitor(test, {
      data: [{ name: 'order', desc: 'Order', data: [field] }],
    })
    expect(await read(`/v1/contacts/${id}`)).toMatchObject({
      id,
      state: 'queued',
      visitor: { nick: 'Vera' },
      data: [{ name: 'order', data: [{ name: 'number', value: '17' }] }],
    })
  })

  it('PRD-121 say the same of a transferred contact in its record and in the list', async () => {
    const { agent, id } = await joinBoth(test)
    test.clock.advance(1_000)
    const { contact: next } = await agent.client.call('agent.transfer', { contact: id, toTags: ['parcels'] })
    const { contacts } = await read<Listed>('/v1/contacts')
    const listed = contacts.find((each) => each.id === id)
    expect(listed).toMatchObject({ id, state: 'transferred', ended: expect.any(String) })
    const { state, ended, agent: user } = Object(listed) as Record<string, unknown>
    const record = await read<ContactData>(`/v1/contacts/${id}`)
    expect(record).toMatchObject({ id, state, ended, transferredTo: next, agent: { user } })
    expect(recordFaults(record)).toEqual([])
    const successor: unknown = await read(`/v1/contacts/${next}`)
    expect(successor).toMatchObject({ id: next, state: 'queued', transferredFrom: id })
    expect(successor).not.toHaveProperty('transferredTo')
  })

  it('PRD-122 give the transcript with who wrote what, page by page', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    await visitor.session.text('Good morning')
    await agent.session.text('Hello Vera')
    await visitor.session.text('My parcel is late')
    const all = await read<Transcript>(`/v1/contacts/${id}/transcript`)
    expect(all).toEqual({
      messages: [
        expect.objectContaining({
          type: 'text',
          from: { role: 'visitor', id: expect.any(String), nick: 'Vera' },
          body: { text: 'Good morning' },
        }),
        expect.objectContaining({
          from: { role: 'agent', id: expect.any(String), nick: expect.stringMatching(/^Agent /) },
          body: { text: 'Hello Vera' },
        }),
        expect.objectContaining({ body: { text: 'My parcel is late' } }),
      ],
    })
    const found: number[] = []
    let next: number | undefined = 0
    while (next !== undefined) {
      const page: Transcript = await read(`/v1/contacts/${id}/transcript?limit=2&after=${next}`)
      found.push(...page.messages.map(({ seq }) => seq))
      next = page.next
    }
    expect(found).toEqual(all.messages.map(({ seq }) => seq))
  })

  it('PRD-122 say which party sent a file', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    await sendFile(test.url, visitor, new Uint8Array(3))
    await sendFile(test.url, agent, new Uint8Array(4))
    const { messages } = await read<Transcript>(`/v1/contacts/${id}/transcript`)
    expect(messages).toMatchObject([
      {
        type: 'attachment',
        from: { role: 'visitor', id: expect.stringMatching(/^v-/), nick: 'Vera' },
        body: { size: 3 },
      },
      { type: 'attachment', from: { role: 'agent' }, body: { size: 4 } },
    ])
  })

  it('PRD-123 answer only a token with the right, and the audit log says whose it was', async () => {
    const { id } = await queueVisitor(test)
    const [agent, visitor] = [await tokenWith(), (await test.visitor()).token]
    for (const path of ['/v1/contacts', `/v1/contacts/${id}`, `/v1/contacts/${id}/transcript`]) {
      expect(await codeOf(await ask(path, null))).toEqual([401, 'unauthorized'])
      expect(await codeOf(await ask(path, agent))).toEqual([403, 'forbidden'])
      expect(await codeOf(await ask(path, visitor))).toEqual([403, 'forbidden'])
      const answer = await ask(path)
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
    }
    const line = { who: expect.stringMatching(/^agent a-/), action: 'GET /v1/contacts/:contact', contact: id }
    expect(audited).toContainEqual({ ...line, result: 'ok' })
    expect(audited).toContainEqual({ ...line, result: '403' })
  })

  it.each([
    ['/v1/contacts/none', 404, 'not_found'],
    ['/v1/contacts/none/transcript', 404, 'not_found'],
    ['/v1/contacts/a%20b', 404, 'not_found'],
    ['/v1/contacts?limit=0', 400, 'invalid_argument'],
    ['/v1/contacts?limit=201', 400, 'invalid_argument'],
    ['/v1/contacts?before=yesterday', 400, 'invalid_argument'],
    ['/v1/contacts?visitor=a%20b', 400, 'invalid_argument'],
  ])('PRD-124 %s is answered with %i %s', async (path, status, code) => {
    expect(await codeOf(await ask(path))).toEqual([status, code])
  })
})
