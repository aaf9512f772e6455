import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../../protocol/index.ts'
import type { ContactError } from '../../../protocol/index.ts'
import { settled } from '../../../testing/index.ts'
import { fakeOf, joined, record, textsOf, watch } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'

describe('what is sent', () => {
  it('SND-12 a text of the old page that is stored late disturbs the new page neither in entering nor in sending', async () => {
    const pair = await joined()
    const { link, tab, world } = pair
    const late: unknown[] = []
    link.faults = {
      onMessage: (_party, name, body) => {
        if (name !== 'log.append') return 'pass'
        late.push(body)
        return 'drop'
      },
    }
    void pair.visitor.sendText('of the old page').catch(() => {})
    await settled()
    const { session, drafts } = late[0] as { readonly session: string; readonly drafts: readonly unknown[] }
    await pair.pages.visitor.client.close()
    let isLate = false
    link.faults = {
      onMessage: (_party, name) => {
        if (name === 'log.append' && !isLate) {
          isLate = true
          world.contact.append('visitor', session, drafts)
        }
        return 'pass'
      },
    }
    const texts = textsOf(pair.agent)
    const resumed = watch(pair.world.visitor({ tab }).client.resumeContact())
    await pair.clock.advance(5_000)
    expect(resumed.result).toMatchObject({ value: { resumed: true } })
    const { contact } = (resumed.result as { value: { contact: typeof pair.visitor } }).value
    await contact.sendText('of the new page')
    await settled()
    expect([contact.mediaState, texts]).toEqual(['idle', ['of the old page', 'of the new page']])
  })

  it.each([1, 40])(
    'SND-24 %i texts, and leave at once: all are stored, then the contact is left',
    async (count) => {
      const pair = await joined()
      const texts = textsOf(pair.agent)
      const sent = Array.from({ length: count }, (_, n) => watch(pair.visitor.sendText(`text ${n}`)))
      await pair.visitor.leave()
      await settled()
      expect(sent.every(({ result }) => typeof result === 'object' && 'value' in result)).toBe(true)
      expect([texts.length, pair.world.entries.filter((type) => type === 'left').length]).toEqual([count, 1])
    },
  )

  it('SND-18 what does not fit in a frame is too_large at the sender, and the connection lives', async () => {
    const pair = await joined()
    const told = record(pair.visitor, 'connection')
    const { host } = fakeOf(pair.visitor)
    for (const sdp of ['x'.repeat(LIMITS.frameBytes), 'ä'.repeat(LIMITS.frameBytes / 2)])
      expect(() => host?.signal({ sdp })).toThrow(
        expect.objectContaining({ name: 'ContactError', code: 'too_large' }),
      )
    await pair.clock.advance(10_000)
    expect(told).toEqual([])
    pair.agent.on('Add', (_data, callback) => callback(null, 1))
    expect(await pair.visitor.request('Add')).toBe(1)
  })
})

describe('faults stay where they are', () => {
  it('SND-8 SND-302 an engine that throws at a signal, or when it is asked for its data, cuts nobody off', async () => {
    const pair = await joined()
    const told = record(pair.visitor, 'connection', 'text')
    const engine = fakeOf(pair.visitor)
    engine.receive = () => {
      throw new Error('of the engine')
    }
    engine.data = () => {
      throw new Error('of the engine')
    }
    fakeOf(pair.agent).host?.signal({ any: 'thing' })
    await settled()
    await pair.agent.sendText('still there?')
    await pair.agent.mergeAndTransitMedia({ Chat: { tx: false, rx: false } })
    await pair.agent.sendText('and now?')
    await pair.clock.advance(5_000)
    expect([told.map(([name]) => name), pair.world.warnings.length > 0]).toEqual([['text', 'text'], true])
  })

  it('SND-25 a contact that the service fails to open keeps neither the console’s connection nor the other contacts from going on', async () => {
    const world = new World()
    const { client: desk, party } = world.agent()
    const visitors = [
      await world.visitor().client.createContact(),
      await world.visitor().client.createContact(),
    ]
    const agents = []
    for (const { id } of visitors) {
      const agent = await desk.accept(id)
      await agent.join()
      agents.push(agent)
    }
    await settled()
    const states: string[] = []
    desk.on('connection', ({ state }) => void states.push(state))
    const [first] = world.link.contacts.values()
    const announce = first?.announce.bind(first)
    if (first)
      first.announce = () => {
        throw Object.assign(new Error('a fault'), { code: 'internal' })
      }
    world.link.cut(party)
    await world.clock.advance(20_000)
    expect(states).toEqual(['offline', 'connecting', 'online'])
    const sent = watch((agents[0] as (typeof agents)[0]).sendText('of the first'))
    await (agents[1] as (typeof agents)[0]).sendText('of the second')
    if (first && announce) first.announce = announce
    await world.clock.advance(5_000)
    expect([sent.result, states.length]).toMatchObject([{ value: expect.any(String) }, 3])
  })

  it('SND-25 join may be called again after its limit', async () => {
    const world = new World()
    const visitor = await world.visitor().client.createContact()
    const agent = await world.agent().client.accept(visitor.id)
    world.link.faults = {
      onMessage: (party, name) => (party.slot === 'agent' && name === 'log.append' ? 'drop' : 'pass'),
    }
    const joining = watch(agent.join())
    await world.clock.advance(30_000)
    expect(joining.result).toEqual({ code: 'offline' })
    world.link.faults = {}
    await world.clock.advance(5_000)
    const again = watch(agent.join())
    await settled()
    expect([
      again.result,
      agent.mediaState,
      world.entries.filter((type) => type === 'joined').length,
    ]).toEqual([{ value: undefined }, 'idle', 1])
  })

  it.each([1, 'yes', null, {}] as const)(
    'SND-25 createContact({ secure: %j }) falls back to nothing',
    async (secure) => {
      const world = new World()
      await expect(world.visitor().client.createContact({ secure: secure as never })).rejects.toMatchObject({
        code: 'invalid_argument',
      } satisfies Partial<ContactError>)
      expect(world.link.contacts.size).toBe(0)
    },
  )

  it.each(['unauthorized', 'protocol'] as const)(
    'SND-4 the event error tells a contact that the service refuses with %s',
    async (code) => {
      const pair = await joined()
      const [here, there] = [record(pair.visitor, 'error'), record(pair.agent, 'error')]
      for (const slot of ['visitor', 'agent'] as const) {
        pair.link.refuse(slot, code)
        pair.link.cut(slot)
      }
      await pair.clock.advance(5_000)
      expect([here, there]).toMatchObject([
        [['error', { name: 'ContactError', code }]],
        [['error', { name: 'ContactError', code }]],
      ])
    },
  )
})
