import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { createAgent } from '../../../sdk/agent/index.ts'
import { createClient } from '../../../sdk/index.ts'
import type { PhoneEnd } from '../../../protocol/index.ts'
import { startService } from '../../../service/src/start-service.ts'
import type { PhoneNetwork } from './phone-network.ts'
import { preparedData } from '../../support/prepared-store.ts'
import { signInAgent, testOptions } from '../../support/service.ts'
import {
  NUMBER,
  PHONE,
  adminToken,
  ends,
  idle,
  joined,
  nextNick,
  offer,
  startOffice,
  until,
  voice,
} from './office.ts'

describe('Voice over the telephone', () => {
  let office: Awaited<ReturnType<typeof startOffice>>
  beforeAll(async () => {
    office = await startOffice()
  })
  const fresh = (onRing: PhoneNetwork['onRing'] = () => {}) => {
    office.network.renew(onRing)
    return office
  }

  it('ENG-4 without a gateway nobody has the capability, and the offer is invalid', async () => {
    const { visitor, contact } = await joined((await startOffice(null)).url)
    for (const party of [visitor, contact])
      expect((await party.getLocalCapabilities()).Media.Voice).toBeUndefined()
    expect(await offer(visitor)).toMatchObject({ code: 'invalid_offer' })
  })

  it('ENG-4 the telephone of the contact rings when both have agreed, Voice is on when it is answered, and off when the telephone hangs up', async () => {
    const { url, network } = fresh()
    const { visitor, contact } = await joined(url)
    expect((await visitor.getLocalCapabilities()).Media.Voice?.Engines).toMatchObject({ Native: true })
    const told: unknown[] = []
    for (const party of [visitor, contact]) party.on('telephone', (news) => void told.push(news))
    const offered = offer(visitor)
    await until(() => network.dialled.length === 1)
    expect([network.dialled[0], visitor.mediaState]).toMatchObject([
      { contact: visitor.id, number: NUMBER, agent: contact.data().agent?.user },
      'transiting',
    ])
    network.answer()
    expect(await offered).toBe('done')
    await idle(visitor, contact)
    expect([await voice(visitor), await voice(contact), told]).toEqual([
      PHONE,
      PHONE,
      [{ state: 'answered' }, { state: 'answered' }],
    ])
    network.end('hung_up')
    await until(async () => (await voice(visitor)) === undefined && (await voice(contact)) === undefined)
    await idle(visitor, contact)
    expect([told.slice(2), network.hungUp, network.dialled.length]).toEqual([
      [
        { state: 'ended', reason: 'hung_up' },
        { state: 'ended', reason: 'hung_up' },
      ],
      [],
      1,
    ])
  })

  it('ENG-4 Voice that is turned off hangs up, and a second call is a new one', async () => {
    const { url, network } = fresh(({ events }) => setImmediate(() => events.answered()))
    const { visitor, contact } = await joined(url)
    expect(await offer(contact)).toBe('done')
    await idle(visitor, contact)
    await visitor.mergeAndTransitMedia({ Voice: { tx: false, rx: false } })
    await until(() => network.hungUp.length === 1)
    expect(network.hungUp).toEqual([network.dialled[0]?.id])
    network.dialled[0]?.events.ended('hung_up')
    await idle(visitor, contact)
    expect(await offer(visitor)).toBe('done')
    expect(new Set(network.dialled.map(({ id }) => id)).size).toBe(2)
    expect(await voice(visitor)).toEqual(PHONE)
  })

  it.each<PhoneEnd>(['busy', 'failed'])(
    'ENG-4 a telephone that is %s fails the offer, and nothing is on',
    async (reason) => {
      const { url, network } = fresh(({ events }) =>
        reason === 'busy' ? events.ended(reason) : expect.fail('no trunk'),
      )
      const { visitor, contact } = await joined(url)
      const failed = await offer(visitor)
      expect(failed).toMatchObject({ code: expect.stringMatching(/^(engine|remote)_failed$/) })
      if ((failed as { code: string }).code === 'engine_failed')
        expect(failed).toMatchObject({ message: expect.stringContaining(reason) })
      await idle(visitor, contact)
      expect([await voice(visitor), await voice(contact), network.dialled.length]).toEqual([
        undefined,
        undefined,
        1,
      ])
      expect(await offer(visitor)).toMatchObject({ code: expect.stringMatching(/_failed$/) })
      expect(network.dialled.length).toBe(2)
    },
  )

  it('ENG-4 nobody answers for 25 s, or there is no number: the offer fails, and nothing rings on', async () => {
    const { url, network, clock } = fresh()
    const { visitor, contact } = await joined(url)
    const offered = offer(visitor)
    await until(() => network.dialled.length === 1)
    clock.advance(25_000)
    expect(await offered).toMatchObject({ code: expect.stringMatching(/_failed$/) })
    expect(network.hungUp).toEqual([network.dialled[0]?.id])
    await idle(visitor, contact)
    const other = await joined(url, [])
    expect(await offer(other.visitor)).toMatchObject({ code: expect.stringMatching(/_failed$/) })
    expect(network.dialled.length).toBe(1)
  })

  it.each(['visitor', 'agent'] as const)(
    'ENG-4 LIFE-20 the %s leaves while it rings, or while they talk: the service hangs up',
    async (who) => {
      const { url, network } = fresh()
      for (const isAnswered of [false, true]) {
        const { visitor, contact } = await joined(url)
        const [offered, calls] = [offer(visitor), network.dialled.length]
        await until(() => network.dialled.length === calls + 1)
        if (isAnswered) {
          network.answer()
          expect(await offered).toBe('done')
        }
        await (who === 'visitor' ? visitor : contact).leave()
        await until(() => network.hungUp.length === calls + 1)
        expect(network.hungUp.at(-1)).toBe(network.dialled.at(-1)?.id)
        if (!isAnswered)
          expect(await offered).toMatchObject({
            code: who === 'visitor' ? 'left' : expect.stringMatching(/^(peer_left|left)$/),
          })
        if (who === 'visitor' && isAnswered) await until(async () => (await voice(contact)) === undefined)
      }
    },
  )

  it('SND-122 a visitor who is handed on to the next agent while they talk is rung up once more, and once', async () => {
    const { url, network } = fresh(({ events }) => setImmediate(() => events.answered()))
    const { visitor, contact, agent } = await joined(url)
    expect(await offer(visitor)).toBe('done')
    await idle(visitor, contact)
    const nick = nextNick()
    const other = await signInAgent(url, nick)
    const next = createAgent({ service: url, token: other.token })
    ends.push(() => next.close())
    const distributed = new Promise<{ id: string }>((resolve) => next.once('distribution', resolve))
    await next.ready({ tags: [nick] })
    const moved = new Promise((resolve) => visitor.once('transferred', resolve))
    await agent.transfer(contact.id, { toTags: [nick] })
    await moved
    const taken = await next.accept((await distributed).id)
    taken.on('mediaoffer', ({ offer: asked, callback }) =>
      callback(
        null,
        Object.fromEntries(
          Object.entries(asked).map(([medium, details]) => [
            medium,
            { tx: details?.tx !== 'off', rx: details?.rx !== 'off' },
          ]),
        ),
      ),
    )
    await taken.join()
    await until(async () => (await voice(taken)) !== undefined)
    await idle(visitor, taken)
    expect([network.dialled.map((call) => call.contact), network.hungUp]).toEqual([
      [contact.id, taken.id],
      [network.dialled[0]?.id],
    ])
  })

  it('SND-122 a visitor who is erased while they talk is hung up', async () => {
    const { url, network } = fresh(({ events }) => setImmediate(() => events.answered()))
    const { visitor, contact } = await joined(url)
    expect(await offer(visitor)).toBe('done')
    await idle(visitor, contact)
    const { visitor: party } = contact.data()
    expect(
      (
        await fetch(`${url}/v1/admin/visitors/${party.id}`, {
          method: 'DELETE',
          headers: { authorization: `Bearer ${adminToken}` },
        })
      ).status,
    ).toBe(200)
    await until(() => network.hungUp.length === 1)
    expect(network.hungUp).toEqual([network.dialled[0]?.id])
  })

  it('ENG-4 a service that starts again has no calls: what an earlier run left is ended, and Voice goes off on both sides', async () => {
    const { url, network, restart } = fresh(({ events }) => setImmediate(() => events.answered()))
    const { visitor, contact } = await joined(url)
    expect(await offer(visitor)).toBe('done')
    await idle(visitor, contact)
    const told: unknown[] = []
    visitor.on('telephone', (news) => void told.push(news))
    await restart()
    expect([network.resets, network.hungUp.includes(network.dialled[0]?.id ?? '')]).toEqual([2, true])
    await until(async () => (await voice(visitor)) === undefined && (await voice(contact)) === undefined)
    expect([told, network.dialled.length]).toEqual([[{ state: 'ended', reason: 'failed' }], 1])
  })

  it('ENG-4 a page that is loaded anew keeps the call; one that comes when the call is over turns Voice off', async () => {
    const { url, network } = fresh(({ events }) => setImmediate(() => events.answered()))
    const { visitor, contact, agent, client, storage } = await joined(url)
    expect(await offer(visitor)).toBe('done')
    await idle(visitor, contact)
    await client.close()
    const load = async () => {
      const page = createClient({ service: url, storage })
      ends.push(() => page.close())
      const { contact: again } = await page.resumeContact()
      return { page, again: again ?? expect.fail('nothing to resume') }
    }
    const second = await load()
    await idle(second.again, contact)
    expect([await voice(second.again), await voice(contact), network.hungUp]).toEqual([PHONE, PHONE, []])
    await Promise.all([second.page.close(), agent.close()])
    network.end('hung_up')
    const third = await load()
    await until(async () => (await voice(third.again)) === undefined)
    expect([network.hungUp, network.dialled.length]).toEqual([[], 1])
  })

  it('ENG-4 OPS-1 the gateway is a module of the deployment; one that cannot be loaded stops the start with one line', async () => {
    const data = preparedData()
    ends.push(data.remove)
    const module = join(data.folder, 'gateway.mjs')
    const start = () => startService(testOptions(data.folder, {}, ['--telephony', module]))
    await expect(start()).rejects.toThrow(
      /unable to load the telephony gateway .*gateway\.mjs; Cannot find module/,
    )
    await writeFile(module, 'export const createTelephonyGateway = async () => ({ dial() {}, hangUp() {} })')
    const service = await start()
    ends.push(() => service.stop())
    const { visitor } = await joined(service.url)
    expect((await visitor.getLocalCapabilities()).Media.Voice?.Engines).toEqual({ Native: true })
  })
})
