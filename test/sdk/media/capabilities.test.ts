import { describe, expect, it } from 'vitest'
import type { MediaCapabilities } from '../../../sdk/index.ts'
import { createTestContact, settled } from '../../../testing/index.ts'
import type { MemoryContact } from '../../../testing/index.ts'
import { joined, leaveBoth, record, watch } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

const NEW: MediaCapabilities = {
  Media: { Chat: { Engines: { Native: true } } },
  Mobile: true,
  Acme: { colours: ['red', 7, null, { deep: true }] },
}

describe('capabilities of this party', () => {
  it('CAP-2 CAP-3 CAP-5 CAP-7 a capability is set at its path, and the remote is told at once', async () => {
    const { visitor, agent } = await joined()
    const before = await visitor.getLocalCapabilities()
    const [here, there] = [record(visitor, 'localcapabilities'), record(agent, 'capabilities')]
    const set = await visitor.setLocalCapability('Acme.pen.colours', ['red', 7, null, { deep: true }])
    await settled()
    expect(set).toEqual({ ...before, Acme: { pen: { colours: ['red', 7, null, { deep: true }] } } })
    expect([here, there]).toEqual([[['localcapabilities', set]], [['capabilities', set]]])
    expect(await visitor.getLocalCapabilities()).toEqual(set)
    expect(await agent.getRemoteCapabilities()).toEqual(set)
  })

  it('CAP-2 a second value at the path takes the place of the first, and its neighbours stay', async () => {
    const { visitor } = await joined()
    await visitor.setLocalCapability('a.b', 1)
    await visitor.setLocalCapability('a.c', 2)
    expect(await visitor.setLocalCapability('a.b', { d: 3 })).toMatchObject({ a: { b: { d: 3 }, c: 2 } })
  })

  it('CAP-2 CAP-7 all capabilities are replaced, those of third parties and of engines as well', async () => {
    const { visitor, agent } = await joined()
    expect(await visitor.setLocalCapabilities(NEW)).toEqual(NEW)
    await settled()
    expect(await agent.getRemoteCapabilities()).toEqual(NEW)
  })

  it('CAP-3 what is set before the contact is entered goes with the first exchange', async () => {
    const world = new World()
    const visitor = await world.visitor().client.createContact()
    const agent = await world.agent().client.accept(visitor.id)
    await agent.setLocalCapability('Acme', 1)
    expect(world.entries).toEqual(['present', 'assigned'])
    await agent.join()
    await settled()
    expect(await visitor.getRemoteCapabilities()).toMatchObject({ Acme: 1 })
  })

  it('SND-17 CAP-3 what is set after the own entry is stored and before it is read back reaches the remote', async () => {
    const world = new World()
    const visitor = await world.visitor().client.createContact()
    const agent = await world.agent().client.accept(visitor.id)
    const told = record(visitor, 'capabilities')
    const joining = agent.join()
    while (world.entries.filter((type) => type === 'present').length < 2) await Promise.resolve()
    await agent.setLocalCapability('Acme', 1)
    await joining
    await settled()
    expect([(await visitor.getRemoteCapabilities())['Acme'], told.at(-1)]).toMatchObject([
      1,
      ['capabilities', { Acme: 1 }],
    ])
  })

  it('SND-17 CAP-3 what is set while the visitor goes on to another agent reaches that one', async () => {
    const { world, visitor, pages } = await joined()
    const moving = pages.agent.client.transfer(visitor.id, { toAgent: 'agent-2' })
    const successor = (): MemoryContact | undefined => [...world.link.contacts.values()][1]
    while (!successor()?.entries.some(({ type }) => type === 'present')) await Promise.resolve()
    await visitor.setLocalCapability('Acme', 1)
    await moving
    await settled()
    const next = await world.agent({ id: 'agent-2' }).client.accept(visitor.id)
    await next.join()
    await settled()
    expect((await next.getRemoteCapabilities())['Acme']).toBe(1)
  })

  it('CAP-3 what changes nothing tells nobody', async () => {
    const { world, visitor } = await joined()
    const here = record(visitor, 'localcapabilities')
    await visitor.setLocalCapabilities(await visitor.getLocalCapabilities())
    await settled()
    expect([here, world.entries.includes('capabilities')]).toEqual([[], false])
  })

  it('CAP-2 CAP-8 what an application does to its copy changes nothing by itself', async () => {
    const { visitor, agent } = await joined()
    const copy = (await visitor.getLocalCapabilities()) as { CoBrowsing?: boolean } & MediaCapabilities
    copy.CoBrowsing = true
    expect((await visitor.getLocalCapabilities()).CoBrowsing).toBe(false)
    await visitor.setLocalCapabilities(copy)
    await settled()
    expect((await agent.getRemoteCapabilities()).CoBrowsing).toBe(true)
  })

  it.each([
    '__proto__.polluted',
    'a.__proto__',
    'constructor.prototype.polluted',
    'a.prototype.b',
    'WebRTC.constructor',
  ])('CAP-6 the path %s changes no prototype', async (path) => {
    const { visitor } = await joined()
    await expect(visitor.setLocalCapability(path, true)).rejects.toMatchObject({
      name: 'ContactError',
      code: 'invalid_argument',
    })
    expect(
      [{}, Object.prototype, await visitor.getLocalCapabilities()].some((value) => 'polluted' in value),
    ).toBe(false)
  })

  it('CAP-2 CAP-7 SRV-7 a path may have 16 parts, and reaches the remote', async () => {
    const { visitor, agent } = await joined()
    const path = Array.from({ length: 16 }, (_, index) => `Acme${index}`)
    await visitor.setLocalCapability(path.join('.'), true)
    await settled()
    expect(
      path.reduce<unknown>(
        (value, name) => (value as Record<string, unknown>)[name],
        await agent.getRemoteCapabilities(),
      ),
    ).toBe(true)
  })

  it.each([
    [
      'a key named __proto__',
      'Acme',
      JSON.parse('{ "__proto__": { "polluted": true } }'),
      'invalid_argument',
    ],
    ['a function', 'Acme', () => {}, 'invalid_argument'],
    ['undefined', 'Acme', undefined, 'invalid_argument'],
    ['a big integer', 'Acme', 1n, 'invalid_argument'],
    ['more than 16 KiB', 'Acme', 'x'.repeat(16_385), 'too_large'],
    ['what is too deep', 'Acme', JSON.parse(`${'['.repeat(20)}${']'.repeat(20)}`), 'invalid_argument'],
    ['Mobile as a text', 'Mobile', 'yes', 'invalid_argument'],
    ['Media as null', 'Media', null, 'invalid_argument'],
    ['an engine that is no boolean', 'Media.Voice.Engines.WebRTC', 1, 'invalid_argument'],
    ['MaxFileSize as a text', 'Media.Sharing.MaxFileSize', '1', 'invalid_argument'],
    ['a path through a boolean', 'Mobile.phone', true, 'invalid_argument'],
    ['an empty path', '', true, 'invalid_argument'],
    ['an empty part', 'a..b', true, 'invalid_argument'],
    ['a path of 17 parts', Array.from({ length: 17 }, () => 'a').join('.'), true, 'invalid_argument'],
    ['a path that is no text', 1 as never, true, 'invalid_argument'],
  ])('CAP-2 CAP-6 %s is refused and told to nobody', async (_what, path, value: unknown, code) => {
    const { world, visitor } = await joined()
    const before = await visitor.getLocalCapabilities()
    const here = record(visitor, 'localcapabilities')
    await expect(visitor.setLocalCapability(path, value)).rejects.toMatchObject({
      name: 'ContactError',
      code,
    })
    await settled()
    expect([await visitor.getLocalCapabilities(), here, world.entries.includes('capabilities')]).toEqual([
      before,
      [],
      false,
    ])
  })

  it('CAP-2 capabilities without Media or Mobile are refused', async () => {
    const { visitor } = await joined()
    for (const bad of [{}, { Media: {} }, { Mobile: true }, null, 'all', [NEW]])
      await expect(visitor.setLocalCapabilities(bad as unknown as MediaCapabilities)).rejects.toMatchObject({
        code: 'invalid_argument',
      })
  })

  it('CAP-2 LIFE-19 nothing is set after leaving', async () => {
    const pair = await joined()
    await leaveBoth(pair)
    await expect(pair.visitor.setLocalCapability('a', 1)).rejects.toMatchObject({ code: 'left' })
    await expect(pair.visitor.setLocalCapabilities(NEW)).rejects.toMatchObject({ code: 'left' })
  })
})

describe('capabilities of the remote', () => {
  it('CAP-4 SND-24 updateRemoteCapabilities sends, and gives those of the remote, who is told of no change', async () => {
    const { world, visitor, agent } = await joined()
    const there = record(agent, 'capabilities')
    expect(await visitor.updateRemoteCapabilities()).toEqual(await agent.getLocalCapabilities())
    await settled()
    expect([world.entries.filter((type) => type === 'capabilities').length, there]).toEqual([1, []])
  })

  it('SND-24 CAP-5 what is sent without a change, or by a page that was loaded anew, is no event', async () => {
    const { visitor, agent, reload } = await createTestContact()
    const told = record(agent, 'capabilities')
    await settled()
    told.length = 0
    await visitor.updateRemoteCapabilities()
    const page = await reload('visitor')
    await settled()
    expect(told).toEqual([])
    await page.setLocalCapability('Acme', 1)
    await settled()
    expect(told).toEqual([['capabilities', await page.getLocalCapabilities()]])
  })

  it('CAP-4 getRemoteCapabilities waits for a remote that is about to come', async () => {
    const world = new World()
    const visitor = await world.visitor().client.createContact()
    const remote = watch(visitor.getRemoteCapabilities())
    const agent = await world.agent().client.accept(visitor.id)
    await settled()
    expect(remote.result).toBe('pending')
    await agent.join()
    await settled()
    expect(remote.result).toEqual({ value: await agent.getLocalCapabilities() })
    expect(world.clock.pending).toBe(0)
  })

  it.each([
    ['getRemoteCapabilities', 'peer_left'],
    ['updateRemoteCapabilities', 'peer_left'],
  ] as const)('CAP-4 ERR-6 %s without a remote gives %s after 10 s', async (operation, code) => {
    const world = new World()
    const visitor = await world.visitor().client.createContact()
    const remote = watch(visitor[operation]())
    await world.clock.advance(9_999)
    expect(remote.result).toBe('pending')
    await world.clock.advance(1)
    expect(remote.result).toEqual({ code })
  })

  it('CAP-4 LIFE-19 waiting for the remote ends with left', async () => {
    const world = new World()
    const visitor = await world.visitor().client.createContact()
    const remote = watch(visitor.getRemoteCapabilities())
    await visitor.leave()
    await settled()
    expect(remote.result).toEqual({ code: 'left' })
    await expect(visitor.getRemoteCapabilities()).rejects.toMatchObject({ code: 'left' })
    await expect(visitor.updateRemoteCapabilities()).rejects.toMatchObject({ code: 'left' })
  })

  it('CAP-4 LIFE-22 an agent who has not joined gives not_joined', async () => {
    const world = new World()
    const visitor = await world.visitor().client.createContact()
    const agent = await world.agent().client.accept(visitor.id)
    await expect(agent.updateRemoteCapabilities()).rejects.toMatchObject({ code: 'not_joined' })
  })

  it('CAP-5 RES-1 a page that is loaded anew is told the capabilities of the remote', async () => {
    const { world, visitor, agent, tab, pages } = await joined()
    await agent.setLocalCapability('Acme', 1)
    await settled()
    await pages.visitor.client.close()
    const { contact } = await world.visitor({ tab }).client.resumeContact()
    if (!contact) throw new Error('there is no contact')
    const told = record(contact, 'capabilities')
    await settled()
    expect([contact.id, told]).toEqual([visitor.id, [['capabilities', await agent.getLocalCapabilities()]]])
  })
})
