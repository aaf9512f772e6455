import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { joinAgent, joinBoth, queueVisitor } from '../../support/parties.ts'
import type { Party } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { announce, announceNew, sendFile, tus, urlOf } from '../../support/tus.ts'

const KB = 1024
const adminToken = 'an administration token'
let test: TestService

beforeAll(async () => {
  test = await startTestService((options) => ({
    ...options,
    adminToken,
    origins: ['https://shop.example'],
    files: { ...options.files, maxBytes: 64 * KB, contactBytes: 256 * KB, visitorBytes: 300 * KB },
  }))
})
afterAll(() => test.close())

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
const get = (url: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(new URL(url, test.url), { headers })
const entryOf = (party: Party, id: string) =>
  party.client.entry(party.session.contact, 'attachment', (entry) => entry.id === id)

describe('who may', () => {
  it('ATT-5 nobody else uploads, and a token opens one upload for a while', async () => {
    const { visitor } = await joinBoth(test)
    const [place, other] = [await announceNew(visitor, { size: 4 }), await announceNew(visitor, { size: 4 })]
    const body = bytesOf('1234')
    for (const token of [null, '', 'x', visitor.client.token, other.token])
      expect((await tus(test.url, place, { body, token })).status).toBe(401)
    expect((await tus(test.url, place, { body, headers: { origin: 'https://evil.example' } })).status).toBe(
      403,
    )
    expect((await tus(test.url, place, { body, headers: { origin: 'https://shop.example' } })).status).toBe(
      204,
    )
    test.clock.advance(3_600_001)
    expect((await tus(test.url, other, { body })).status).toBe(401)
  })

  it('ATT-5 only parties announce and ask for addresses', async () => {
    const { visitor, id: contact } = await joinBoth(test)
    const file = await sendFile(test.url, visitor, bytesOf('secret'))
    const stranger = await queueVisitor(test)
    const agent = await test.agent()
    const asked = { session: stranger.session.id, request: 'r', name: 'a', mimetype: 'text/plain', size: 1 }
    expect(await stranger.client.ask('attachment.open', { contact, ...asked })).toMatchObject({
      ok: false,
      error: { code: 'not_joined' },
    })
    expect(await stranger.client.ask('attachment.url', { contact, id: file })).toMatchObject({
      ok: false,
      error: { code: 'not_found' },
    })
    expect(await stranger.client.ask('attachment.url', { contact: stranger.id, id: file })).toMatchObject({
      ok: false,
      error: { code: 'not_found' },
    })
    expect(await agent.ask('attachment.url', { contact, id: file })).toMatchObject({
      ok: false,
      error: { code: 'not_assigned' },
    })
  })

  it('ATT-5 an address is good for one file and a few minutes', async () => {
    const { visitor } = await joinBoth(test)
    const [url, other] = [
      await urlOf(visitor, await sendFile(test.url, visitor, bytesOf('one'))),
      await urlOf(visitor, await sendFile(test.url, visitor, bytesOf('two'))),
    ]
    const [path = '', query = ''] = url.split('?')
    const later = new URLSearchParams({
      ...Object.fromEntries(new URLSearchParams(query)),
      until: String(test.clock.now() + 86_400_000),
    })
    for (const forged of [
      path,
      `${path}?until=1&party=x&mac=y`,
      `${path}?${other.split('?')[1]}`,
      `${path}?${later}`,
      `/v1/attachments/..%2F..%2Fetc%2Fpasswd?${query}`,
    ])
      expect((await get(forged)).status, forged).toBe(404)
    test.clock.advance(300_000)
    expect((await get(url)).status).toBe(403)
    expect((await get(other)).status).toBe(403)
  })

  it('ATT-5 an agent who has handed the contact on can neither send nor get, and the next one can', async () => {
    const { visitor, agent, id: contact } = await joinBoth(test)
    const file = await sendFile(test.url, visitor, bytesOf('secret'))
    const [before, place] = [await urlOf(agent, file), await announceNew(agent, { size: 4 })]
    const next = await test.agent('The Next')
    await next.call('agent.presence', { state: 'ready', capacity: 9 })
    const { contact: goesOn } = await agent.client.call('agent.transfer', { contact, toTags: [] })
    expect((await get(before)).status).toBe(403)
    expect((await tus(test.url, place, { body: bytesOf('1234') })).status).toBe(410)
    expect(await agent.client.ask('attachment.url', { contact, id: file })).toMatchObject({
      ok: false,
      error: { code: 'left' },
    })
    const session = `s-${randomUUID()}`
    await visitor.client.call('contact.open', { contact: goesOn, session, cursor: 0 })
    const page = {
      client: visitor.client,
      session: Object.assign(Object.create(visitor.session) as typeof visitor.session, {
        contact: goesOn,
        id: session,
        counter: 0,
      }),
    }
    await page.session.present()
    await joinAgent(test, goesOn, 'The Next')
    const { entries } = await next.call('log.read', { contact, after: 0, limit: 100 })
    const url = entries.find((entry) => entry.type === 'attachment')?.body.url ?? ''
    expect(await (await get(url)).text()).toBe('secret')
  })

  it('SND-127 ATT-2 a file whose id a text has taken is not said to be stored; sent anew it is', async () => {
    const { visitor, agent, id: contact } = await joinBoth(test)
    const request = randomUUID()
    const place = await announceNew(visitor, { size: 4, request })
    await visitor.session.text('in its place', place.id)
    expect((await tus(test.url, place, { body: bytesOf('1234') })).status).toBe(400)
    const again = await announceNew(visitor, { size: 4, request })
    expect(again.id).not.toBe(place.id)
    expect((await tus(test.url, again, { body: bytesOf('1234') })).status).toBe(204)
    expect((await entryOf(agent, again.id)).body.size).toBe(4)
    expect(await announce(visitor, { size: 4, request })).toMatchObject({ state: 'stored', id: again.id })
    expect(agent.client.entries(contact).filter(({ id }) => id === place.id)).toMatchObject([
      { type: 'text' },
    ])
  })

  it('ATT-5 nothing more comes into a contact that is over, also not what was under way', async () => {
    const { visitor, agent } = await joinBoth(test)
    const place = await announceNew(visitor, { size: 4 })
    await agent.session.leave()
    await visitor.client.entry(visitor.id, 'cleared')
    expect((await tus(test.url, place, { body: bytesOf('1234') })).status).toBe(410)
    await expect(announce(visitor, { size: 4 })).rejects.toMatchObject({ code: 'left' })
  })
})
