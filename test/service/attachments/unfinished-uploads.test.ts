import { readdir } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { joinBoth, queueVisitor } from '../../support/parties.ts'
import type { Party } from '../../support/parties.ts'
import { signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { announce, announceNew, sendFile, tus } from '../../support/tus.ts'
import { WireClient, WireSession } from '../../support/wire-client.ts'

const adminToken = 'an administration token'
let test: TestService
beforeAll(async () => {
  test = await startTestService({ adminToken })
})
afterAll(() => test.close())

const isThere = async (id: string): Promise<boolean> =>
  (await readdir(test.options.files.folder)).includes(id)
const isGone = async (id: string): Promise<void> => {
  await expect.poll(() => isThere(id)).toBe(false)
}
const half = async (party: Party): Promise<Awaited<ReturnType<typeof announceNew>>> => {
  const place = await announceNew(party, { size: 4 })
  await tus(test.url, place, { body: new Uint8Array(2) })
  expect(await isThere(place.id)).toBe(true)
  return place
}
/** Announces files until no more are taken. */
const fill = async (party: Party): Promise<void> => {
  for (let count = 0; count < 20; count += 1) await announceNew(party, { size: 9 })
  await expect(announce(party, { size: 9 })).rejects.toMatchObject({ code: 'rate_limited' })
}
const anotherContact = async (agent: Party): Promise<Party> => {
  const visitor = await queueVisitor(test)
  await agent.client.push('agent.distribution', ({ id }) => id === visitor.id)
  await agent.client.call('agent.accept', { contact: visitor.id })
  const session = new WireSession(agent.client, visitor.id)
  await session.open()
  return { client: agent.client, session }
}

describe('uploads that are not finished', () => {
  it('SND-116 end with the contact, whose agent sends files in the next one; what is whole stays', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    const whole = await sendFile(test.url, visitor, new Uint8Array(3))
    const places = [await half(visitor), await half(agent)]
    for (let count = 1; count < 20; count += 1) await announceNew(agent, { size: 9 })
    const next = await anotherContact(agent)
    await expect(announce(next, { size: 9 })).rejects.toMatchObject({ code: 'rate_limited' })
    for (const party of [visitor, agent])
      await party.client.call('contact.leave', { contact: id, session: party.session.id })
    await agent.client.entry(id, 'cleared')
    await announceNew(next, { size: 9 })
    for (const place of places) {
      await isGone(place.id)
      expect((await tus(test.url, place, { body: new Uint8Array(2), offset: 2 })).status).toBe(410)
    }
    expect(await isThere(whole)).toBe(true)
  })

  it.each(['signs out', 'is revoked'])(
    'SRV-21 are void when their party %s: nothing more of them comes, and no entry is written',
    async (how) => {
      const signed = await signInVisitor(test.url)
      const visitor = await queueVisitor({
        ...test,
        visitor: () => WireClient.connect(test.url, signed.token),
      })
      const [place, whole] = [await half(visitor), await sendFile(test.url, visitor, new Uint8Array(3))]
      const [path, asked] =
        how === 'signs out'
          ? ['visitors/sign-out', { refresh: signed.refresh }]
          : ['admin/revocations', { use: 'visitor', id: signed.visitor }]
      const answer = await fetch(`${test.url}/v1/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${adminToken}` },
        body: JSON.stringify(asked),
      })
      expect(answer.status).toBe(204)
      expect((await tus(test.url, place, { body: new Uint8Array(2), offset: 2 })).status).toBe(410)
      expect([await isThere(place.id), await isThere(whole)]).toEqual([false, true])
    },
  )

  it('SND-116 end with a contact that is handed on, and with the part of an agent who gives one back', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    const [mine, theirs] = [await half(agent), await half(visitor)]
    await agent.client.call('agent.transfer', { contact: id, toTags: ['bills'] })
    for (const place of [mine, theirs]) await isGone(place.id)
    const given = await anotherContact(agent)
    await fill(given)
    await agent.client.call('agent.decline', { contact: given.session.contact })
    await announceNew(await anotherContact(agent), { size: 9 })
  })
})
