/** Ratings of contacts that are over. */
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RATING_MS } from '../../../service/src/contacts/data-edit.ts'
import { joinBoth, queueVisitor } from '../../support/parties.ts'
import type { WaitingVisitor } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import { temporaryData } from '../../support/temporary-data.ts'
import type { TestService } from '../../support/service.ts'
import { WebhookReceiver } from '../../support/webhook-receiver.ts'

const files = temporaryData()
const secretFile = join(files.folder, 'secrets')
writeFileSync(secretFile, `${randomBytes(32).toString('base64')}\n`)
let receiver: WebhookReceiver
let test: TestService

beforeAll(async () => {
  receiver = await WebhookReceiver.start()
  test = await startTestService({ webhook: { url: receiver.url, secretFile } })
})
afterAll(async () => {
  await test?.close()
  await receiver?.close()
  files.remove()
})

const rate = ({ client, id }: WaitingVisitor, rating: { score: number; comment?: string }) =>
  client.ask('contact.rate', { contact: id, ...rating })
const refused = (code: string) => ({ ok: false, error: { code } })
const formOf = async ({ client, id }: WaitingVisitor) =>
  (await client.call('contact.read', { contact: id })).record.data.find(({ name }) => name === 'rating')

describe('a rating', () => {
  it('PRD-150 is a form of the record, which its agent is told of; another one takes its place', async () => {
    const { visitor, agent, id } = await joinBoth(test, {
      data: [{ name: 'rating', desc: 'Survey', data: [{ name: 'own', type: 'text', value: 'x' }] }],
    })
    await agent.session.leave()
    expect(await rate(visitor, { score: 2, comment: 'Slow' })).toMatchObject({ ok: true })
    expect(await agent.client.push('agent.rated')).toEqual({
      contact: id,
      rating: { score: 2, comment: 'Slow' },
    })
    expect(await rate(visitor, { score: 4 })).toMatchObject({ ok: true })
    expect(await formOf(visitor)).toEqual({
      name: 'rating',
      desc: 'Survey',
      data: [
        { name: 'own', type: 'text', value: 'x' },
        { name: 'score', type: 'number', value: 4, visible: true, editable: false },
      ],
    })
    const { record } = await agent.client.call('contact.read', { contact: id })
    expect(record.data[0]?.data.map(({ name }) => name)).toEqual(['own', 'score'])
  })

  it('PRD-151 is given by the visitor of the contact, once that is over for them, and until a day after its end', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    expect(await rate(visitor, { score: 5 })).toMatchObject(refused('invalid_state'))
    await visitor.session.leave()
    expect(await rate(visitor, { score: 5 })).toMatchObject({ ok: true })
    const stranger = await queueVisitor(test)
    expect(await rate({ ...stranger, id }, { score: 1 })).toMatchObject(refused('not_found'))
    expect(await agent.client.ask('contact.rate', { contact: id, score: 5 })).toMatchObject(
      refused('forbidden'),
    )
    await agent.session.leave()
    await agent.client.entry(id, 'cleared')
    expect(await rate(visitor, { score: 3 })).toMatchObject({ ok: true })
    await test.service.database.db
      .updateTable('contacts')
      .set({ ended: test.clock.now() - RATING_MS - 1 })
      .where('id', '=', id)
      .execute()
    expect(await rate(visitor, { score: 1 })).toMatchObject(refused('invalid_state'))
    expect((await formOf(visitor))?.data[0]).toMatchObject({ value: 3 })
  })

  it('PRD-151 of a contact that was handed on is that of the contact in which it ended', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    const { contact } = await agent.client.call('agent.transfer', { contact: id, toTags: ['nobody'] })
    expect(contact).not.toBe(id)
    expect(await rate(visitor, { score: 5 })).toMatchObject(refused('invalid_state'))
  })

  it('PRD-152 is bounded', async () => {
    const { visitor, agent } = await joinBoth(test)
    await agent.session.leave()
    for (const score of [0, 6, 1.5, -1])
      expect(await rate(visitor, { score })).toMatchObject(refused('invalid_argument'))
    expect(await rate(visitor, { score: 3, comment: '' })).toMatchObject(refused('invalid_argument'))
    const comment = 'x'.repeat(2_048)
    expect(await rate(visitor, { score: 3, comment: `${comment}x` })).toMatchObject(refused('too_large'))
    expect(await rate(visitor, { score: 3, comment })).toMatchObject({ ok: true })
  })

  it('PRD-152 is refused where the forms leave no room, and the record can still be read', async () => {
    const data = Array.from({ length: 50 }, (_, index) => ({ name: `f${index}`, data: [] }))
    const { visitor, agent } = await joinBoth(test, { data })
    await agent.session.leave()
    expect(await rate(visitor, { score: 5 })).toMatchObject(refused('too_large'))
    expect(await formOf(visitor)).toBeUndefined()
  })

  it('PRD-152 is refused where the forms have too many bytes with it', async () => {
    const value = 'x'.repeat(2_010)
    const field = (n: number) =>
      ({ name: `f${n}`, type: 'text', value, visible: true, editable: true }) as const
    const data = [{ name: 'long', data: Array.from({ length: 62 }, (_, n) => field(n)) }]
    const { visitor, agent } = await joinBoth(test, { data })
    await agent.session.leave()
    expect(await rate(visitor, { score: 5, comment: 'y'.repeat(2_048) })).toMatchObject(refused('too_large'))
    expect(await rate(visitor, { score: 5 })).toMatchObject({ ok: true })
  })

  it('PRD-153 of a secure contact has no comment, as it would not be encrypted', async () => {
    const { visitor, agent } = await joinBoth(test, { secure: true })
    await agent.session.leave()
    expect(await rate(visitor, { score: 5, comment: 'Thanks' })).toMatchObject(refused('forbidden'))
    expect(await formOf(visitor)).toBeUndefined()
    expect(await rate(visitor, { score: 5 })).toMatchObject({ ok: true })
    expect((await formOf(visitor))?.data).toMatchObject([{ name: 'score', value: 5 }])
  })

  it('PRD-154 is told by a webhook, once for each that is another one', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    await agent.session.leave()
    await receiver.of(id, 4)
    for (let time = 0; time < 2; time += 1) await rate(visitor, { score: 5, comment: 'Kind' })
    const heard = await receiver.of(id, 5)
    expect(heard.at(-1)?.said).toMatchObject({
      type: 'contact.rating',
      data: { contact: id, rating: { score: 5, comment: 'Kind' }, agent: expect.stringMatching(/^a-/) },
    })
    await rate(visitor, { score: 1 })
    expect((await receiver.of(id, 6)).at(-1)?.said.data).toMatchObject({ rating: { score: 1 } })
    const notes = test.service.database.db.selectFrom('webhook_notes').select('n').where('contact', '=', id)
    await expect.poll(async () => (await notes.execute()).length).toBe(0)
    expect(await receiver.of(id, 6)).toHaveLength(6)
  })
})
