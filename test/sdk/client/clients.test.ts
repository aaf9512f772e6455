import assert from 'node:assert/strict'
import { describe, expect, it, vi } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import type { Transport, TransportEvent } from '../../../protocol/index.ts'
import { AgentImpl } from '../../../sdk/agent/create-agent.ts'
import { createAgent } from '../../../sdk/agent/index.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import { createClient } from '../../../sdk/index.ts'
import { settled } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'
import { required, watch } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

/** A service that refuses every connection. */
const refusing = (code: ConstructorParameters<typeof ContactError>[0]): Transport => ({
  connect: (onEvent: (event: TransportEvent) => void) => {
    queueMicrotask(() => onEvent({ type: 'down', error: new ContactError(code, 'no') }))
    return { call: () => Promise.reject(new ContactError('offline', 'no')), close: () => {} }
  },
})

describe('clients', () => {
  it('LIFE-23 making a client or an agent connects to nothing and keeps nothing', async () => {
    const world = new World()
    const connect = vi.fn()
    const environment = testEnvironment(world.clock)
    const options = { service: 'http://localhost', transport: { connect } }
    const client = new VisitorClient(options, environment)
    const agent = new AgentImpl({ ...options, token: 'x' }, environment)
    await settled()
    await Promise.all([client.close(), client.close(), agent.close(), agent.close()])
    expect(connect.mock.calls).toEqual([])
    expect(world.clock.pending).toBe(0)
  })

  it.each(['', 'localhost', 'ftp://x.example', 'javascript:alert(1)', 1 as never, undefined as never])(
    'ERR-1 the service %j is refused with invalid_argument',
    (service) => {
      expect(() => createClient({ service })).toThrow(
        expect.objectContaining({ name: 'ContactError', code: 'invalid_argument' }),
      )
      expect(() => createAgent({ service, token: 'x' })).toThrow(
        expect.objectContaining({ name: 'ContactError', code: 'invalid_argument' }),
      )
    },
  )

  it('ERR-1 no options, or options that cannot be read, give neither a client nor an agent', () => {
    const hostile = new Proxy({}, { get: () => assert.fail('not to be read') })
    for (const create of [createClient, createAgent])
      for (const options of [undefined, null, hostile])
        expect(() => create(options as never)).toThrow(
          expect.objectContaining({ name: 'ContactError', code: 'invalid_argument' }),
        )
  })

  it('ERR-1 an agent needs a token', () => {
    expect(() => createAgent({ service: 'http://localhost', token: undefined as never })).toThrow(
      expect.objectContaining({ name: 'ContactError', code: 'invalid_argument' }),
    )
  })

  it.each(['unauthorized', 'protocol', 'offline'] as const)(
    'SRV-3 SRV-16 a connection that is refused with %s rejects with it, on both sides, and may be tried again',
    async (code) => {
      const world = new World()
      const options = { service: 'http://localhost', transport: refusing(code) }
      const client = new VisitorClient(options, testEnvironment(world.clock))
      await expect(client.createContact()).rejects.toMatchObject({ name: 'ContactError', code })
      await expect(client.createContact()).rejects.toMatchObject({ code })
      const agent = new AgentImpl({ ...options, token: 'x' }, testEnvironment(world.clock))
      await expect(agent.ready()).rejects.toMatchObject({ name: 'ContactError', code })
      await Promise.all([client.close(), agent.close()])
      expect(world.clock.pending).toBe(0)
    },
  )

  it.each([
    [{ secure: true }, 'no_crypto'],
    [{ initialOffer: { Sharing: required } }, 'invalid_offer'],
    [{ initialOffer: { Voice: 'yes' } }, 'invalid_offer'],
    [{ secure: true, initialOffer: { Voice: { ...required, via: 'pstn' } } }, 'invalid_offer'],
    [null, 'invalid_argument'],
    [{ nick: 'n'.repeat(65) }, 'too_large'],
    [{ tags: 'no list' }, 'invalid_argument'],
  ])(
    'SEC-3 ERR-1 createContact(%j) rejects with %s, and the page may create another',
    async (options, code) => {
      const world = new World({ secrecy: () => Promise.reject(new Error('the code is not there')) })
      const { client } = world.visitor()
      await expect(client.createContact(options as never)).rejects.toMatchObject({
        name: 'ContactError',
        code,
      })
      expect(world.link.contacts.size).toBe(0)
      expect((await client.createContact()).mediaState).toBe('idle')
    },
  )

  it('SRV-7 forms that do not fit in a frame are too_large, though each field is within its limits', async () => {
    const data = Array.from({ length: 20 }, (_, index) => ({
      name: `field ${index}`,
      desc: 'Field',
      type: 'text' as const,
      value: 'x'.repeat(8_000),
    }))
    const { client } = new World().visitor()
    await expect(
      client.createContact({ data: [{ name: 'form', desc: 'Form', data }] }),
    ).rejects.toMatchObject({ name: 'ContactError', code: 'too_large' })
  })

  it('LIFE-1 a page has one contact at a time', async () => {
    const world = new World()
    const { client } = world.visitor()
    const [first, second] = await Promise.allSettled([client.createContact(), client.createContact()])
    expect([first.status, second]).toMatchObject([
      'fulfilled',
      { status: 'rejected', reason: { code: 'invalid_state' } },
    ])
    await expect(client.createContact()).rejects.toMatchObject({ code: 'invalid_state' })
    expect(world.link.contacts.size).toBe(1)
    const { contact, resumed } = await client.resumeContact()
    expect([contact?.id, resumed]).toEqual(['contact-1', false])
    await contact?.leave()
    expect((await client.createContact()).id).toBe('contact-2')
  })

  it.each(['contact.create', 'contact.read', 'contact.open', 'log.append'] as const)(
    'LIFE-1 createContact while %s is lost: offline or a contact, and the page goes on',
    async (name) => {
      const world = new World()
      const { client } = world.visitor()
      world.link.lose({ name })
      const created = watch(client.createContact())
      await world.clock.advance(10_000)
      if (name === 'log.append') return expect(created.result).toMatchObject({ value: { id: 'contact-1' } })
      expect(created.result).toEqual({ code: 'offline' })
      const again = watch(client.createContact())
      await world.clock.advance(10_000)
      expect(again.result).toMatchObject({ value: { mediaState: 'idle' } })
      await client.close()
      await world.clock.advance(1_000_000)
      return undefined
    },
  )

  it('ERR-6 createContact gives up after 30 s without the service, and the contact can be resumed', async () => {
    const world = new World()
    const { client } = world.visitor()
    world.link.faults = { onMessage: (_party, name) => (name === 'log.append' ? 'drop' : 'pass') }
    const created = watch(client.createContact())
    await world.clock.advance(29_999)
    expect(created.result).toBe('pending')
    await world.clock.advance(1)
    expect(created.result).toEqual({ code: 'offline' })
    world.link.faults = {}
    const resumed = watch(client.resumeContact())
    await world.clock.advance(5_000)
    expect(resumed.result).toMatchObject({
      value: { contact: { id: 'contact-1', mediaState: 'idle' }, resumed: true },
    })
  })

  it('LIFE-23 after close everything rejects with left, at once', async () => {
    const world = new World()
    const { client } = world.visitor()
    const desk = world.agent().client
    await client.createContact()
    await desk.ready()
    await Promise.all([client.close(), desk.close()])
    const results = [
      client.createContact(),
      client.resumeContact(),
      desk.ready(),
      desk.pause(),
      desk.accept('contact-1'),
      desk.decline('contact-1'),
      desk.contacts(),
    ].map((promise) => watch<unknown>(promise))
    await settled()
    expect(results.map(({ result }) => result)).toEqual(Array.from({ length: 7 }, () => ({ code: 'left' })))
  })

  it('LIFE-23 closing while connecting settles what waits', async () => {
    const world = new World()
    const silent: Transport = { connect: () => ({ call: () => new Promise(() => {}), close: () => {} }) }
    const options = { service: 'http://localhost', transport: silent }
    const client = new VisitorClient(options, testEnvironment(world.clock))
    const agent = new AgentImpl({ ...options, token: 'x' }, testEnvironment(world.clock))
    const results = [watch<unknown>(client.createContact()), watch<unknown>(agent.ready())]
    await settled()
    await Promise.all([client.close(), agent.close()])
    await settled()
    expect(results.map(({ result }) => result)).toEqual([{ code: 'left' }, { code: 'left' }])
    expect(world.clock.pending).toBe(0)
  })
})
