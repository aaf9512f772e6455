import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PRODUCTION_RATES } from '../../../service/src/limits/rate-limits.ts'
import { joinBoth, queueVisitor } from '../../support/parties.ts'
import { signInVisitor, startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireClient } from '../../support/wire-client.ts'

let test: TestService

beforeAll(async () => {
  test = await startTestService({}, { rates: PRODUCTION_RATES })
})
afterAll(() => test.close())

describe('rates', () => {
  it('SRV-8 a visitor over the rate is told when to come back, and nothing is used up', async () => {
    const { session, client, id } = await queueVisitor(test)
    for (let n = 2; n <= 30; n += 1) await session.text(`text ${n}`)
    const draft = { id: 'm-31', session: session.id, counter: 31, type: 'text', body: { text: 'one more' } }
    const append = () => client.ask('log.append', { contact: id, session: session.id, drafts: [draft] })
    expect(await append()).toMatchObject({ ok: false, error: { code: 'rate_limited', retryAfterMs: 100 } })
    test.clock.advance(99)
    expect(await append()).toMatchObject({ ok: false, error: { code: 'rate_limited', retryAfterMs: 1 } })
    test.clock.advance(1)
    expect(await append()).toMatchObject({ ok: true, value: { appended: [{ id: 'm-31', seq: 31 }] } })
  })

  it('SRV-8 what one rate refuses costs nothing in the others', async () => {
    const { session, client, id } = await queueVisitor(test)
    const offers = Array.from({ length: 5 }, (_, n) => ({
      id: `o-${n}`,
      session: session.id,
      counter: 31 + n,
      type: 'offer',
      body: { offer: {}, restore: false },
    }))
    const append = () => client.ask('log.append', { contact: id, session: session.id, drafts: offers })
    for (let n = 2; n <= 30; n += 1) await session.text(`text ${n}`)
    expect(await append()).toMatchObject({ ok: false, error: { code: 'rate_limited', retryAfterMs: 500 } })
    test.clock.advance(500)
    expect(await append()).toMatchObject({ ok: true })
  })

  it.each(['ack', 'read'] as const)(
    'SND-117 telling of what agents wrote by %s takes nothing from what a visitor may write',
    async (type) => {
      const { session } = await queueVisitor(test)
      const told = (n: number) => ({ id: `a-${n}`, type, body: { ref: `m-${n}` } })
      for (let n = 0; n < 600; n += 50)
        await session.write(...Array.from({ length: 50 }, (_, index) => told(n + index)))
      for (let n = 2; n <= 30; n += 1) await session.text(`text ${n}`)
      await expect(session.text('one more')).rejects.toMatchObject({ code: 'rate_limited' })
    },
  )

  it('SND-123 credentials of relays have a rate of their own; who is over it is alive all the same', async () => {
    const { client, id } = await queueVisitor(test)
    for (let n = 0; n < 120; n += 1) await client.call('ice.servers', {})
    await expect(client.call('ice.servers', {})).rejects.toMatchObject({ code: 'rate_limited' })
    expect((await client.call('contact.read', { contact: id })).record.id).toBe(id)
  })

  it('SRV-8 over a minute a visitor may write 100 messages', async () => {
    const { session } = await queueVisitor(test)
    const outcomes = []
    for (let n = 2; n <= 110; n += 1) {
      test.clock.advance(100)
      outcomes.push(
        await session.text('x').then(
          () => 'ok',
          (error: { code: string }) => error.code,
        ),
      )
      if (outcomes.at(-1) !== 'ok') session.counter -= 1
    }
    expect(outcomes.filter((each) => each === 'ok').length).toBeGreaterThanOrEqual(99)
    test.clock.advance(60_000)
    expect(await session.text('again')).toMatchObject({ appended: [{ seq: expect.any(Number) }] })
  })

  it('SRV-8 typing, signals and offers have rates of their own', async () => {
    const { visitor, agent, id } = await joinBoth(test)
    const send = (kind: string) =>
      visitor.client.ask('relay.send', {
        contact: id,
        session: visitor.session.id,
        to: agent.session.id,
        frame: { n: 0, ack: 0, kind },
      })
    const refusedAfter = async (kind: string): Promise<number> => {
      for (let count = 0; ; count += 1) if (!(await send(kind)).ok) return count
    }
    expect(await refusedAfter('iswriting')).toBe(2)
    expect(await refusedAfter('rpc')).toBe(40)
    expect((await send('signal')).ok).toBe(true)
  })

  it('SRV-8 SND-306 what an agent relays in one contact takes nothing from the other contacts; tabs of a party share a rate', async () => {
    const first = await joinBoth(test)
    const second = await joinBoth({
      visitor: () => test.visitor(),
      agent: () => Promise.resolve(first.agent.client),
    })
    const rpc = (party: 'agent' | 'visitor', { id, visitor, agent }: typeof first, client: WireClient) => {
      const [own, other] = party === 'agent' ? [agent, visitor] : [visitor, agent]
      const frame = { n: 0, ack: 0, kind: 'rpc' }
      return client.ask('relay.send', { contact: id, session: own.session.id, to: other.session.id, frame })
    }
    const taken = async (send: () => ReturnType<WireClient['ask']>): Promise<number> => {
      for (let count = 0; ; count += 1) if (!(await send()).ok) return count
    }
    const { client } = first.agent
    expect(await taken(() => rpc('agent', first, client))).toBe(40)
    expect(await taken(() => rpc('agent', second, client))).toBe(40)
    const tab = await WireClient.connect(test.url, first.visitor.client.token)
    expect(await taken(() => rpc('visitor', first, first.visitor.client))).toBe(40)
    expect(await rpc('visitor', first, tab)).toMatchObject({ error: { code: 'rate_limited' } })
    expect(await taken(() => rpc('visitor', second, second.visitor.client))).toBe(40)
    tab.close()
  })

  it('SRV-8 SRV-22 who goes on regardless loses the connection, and nobody else does', async () => {
    const [{ client, session, id }, other] = [await queueVisitor(test), await test.visitor()]
    const ended = new Promise((settle) => client.socket.once('disconnect', settle))
    const counts = new Map<string, number>()
    const kinds: readonly (readonly [string, unknown])[] = [
      ['contact.read', 7],
      ['contact.read', { contact: 'c-strange' }],
      ['agent.contacts', {}],
      [
        'log.append',
        {
          contact: id,
          session: session.id,
          drafts: [{ id: 'x', session: session.id, counter: 99, type: 'text', body: { text: 'x' } }],
        },
      ],
    ]
    for (let count = 0; count < 100; count += 1) client.socket.emit('not.a.call', {})
    for (let count = 0; client.socket.connected && count < 400; count += 1) {
      const [name, args] = kinds[count % kinds.length] ?? ['', null]
      const outcome = await client.ask(name, args).then(
        (reply) => (reply.ok ? 'ok' : reply.error.code),
        () => 'ended',
      )
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
    }
    expect(await ended).toBe('io server disconnect')
    expect([...counts.values()].reduce((sum, each) => sum + each)).toBeLessThan(300)
    expect(await other.call('ice.servers', {})).toBeDefined()
  })

  it('SRV-8 behind a proxy it is the client who has to wait, and nobody can speak for another', async () => {
    const proxied = await startTestService({ proxies: 1 }, { rates: PRODUCTION_RATES })
    const { token } = await signInVisitor(proxied.url)
    const from = (addresses: string, secret: string) =>
      WireClient.connect(proxied.url, secret, { headers: { 'x-forwarded-for': addresses } }).then((client) =>
        client.close(),
      )
    for (let count = 0; count < 10; count += 1)
      await expect(from(`192.0.2.${count}, 198.51.100.1`, 'bad')).rejects.toMatchObject({
        code: 'unauthorized',
      })
    await expect(from('198.51.100.1', 'bad')).rejects.toMatchObject({ code: 'rate_limited' })
    await expect(from('198.51.100.1, 198.51.100.2', 'bad')).rejects.toMatchObject({ code: 'unauthorized' })
    await from('198.51.100.1', token)
    const refresh = (address: string) =>
      fetch(`${proxied.url}/v1/visitors/refresh`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
        body: '{"refresh":"x"}',
      })
    expect([(await refresh('198.51.100.1')).status, (await refresh('198.51.100.3')).status]).toEqual([
      429, 401,
    ])
    await proxied.close()
  })

  it('SRV-3 SRV-8 after ten failed sign-ins an address has to wait with the next; who has a good token and shares the address comes in', async () => {
    const { token } = await signInVisitor(test.url)
    for (let count = 0; count < 10; count += 1)
      await expect(WireClient.connect(test.url, 'bad')).rejects.toMatchObject({ code: 'unauthorized' })
    await expect(WireClient.connect(test.url, 'bad')).rejects.toMatchObject({ code: 'rate_limited' })
    const client = await WireClient.connect(test.url, token)
    client.close()
    test.clock.advance(60_000)
    await expect(WireClient.connect(test.url, 'bad')).rejects.toMatchObject({ code: 'unauthorized' })
  })
})
