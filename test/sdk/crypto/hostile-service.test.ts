import { describe, expect, it } from 'vitest'
import type { Slot } from '../../../protocol/index.ts'
import { settled } from '../../../testing/index.ts'
import { changing, hidden, inserted, isFrom, lowered, reordered, withheld } from '../../support/attacks.ts'
import { answering, offering, required, watch } from '../../support/contacts.ts'
import { events, expectBroken, scene, stateOf } from '../../support/hostile-scene.ts'
import type { Attack, Raw } from '../../support/hostile-service.ts'

describe('a hostile service', () => {
  it('ENC-530 without an attack both pages agree, also through it', async () => {
    const { visitor, agent, heard } = await scene({})
    expect([stateOf(visitor), stateOf(agent)]).toEqual(['unverified', 'unverified'])
    expect(visitor.verification?.code).toEqual(agent.verification?.code)
    const id = await visitor.sendText('hello')
    await settled()
    expect([events(heard.agent), events(heard.visitor)]).toEqual([['text hello'], [`ack ${id}`]])
  })

  it('ENC-531 entries that change places are found out by their reader', async () => {
    const { visitor, agent, attack, heard } = await scene()
    attack(reordered(isFrom('visitor', 'text'), 'agent'))
    await visitor.sendText('first')
    await visitor.sendText('second')
    await settled()
    await expectBroken(agent)
    expect(events(heard.agent)).not.toContain('text first')
  })

  it('ENC-532 an entry that is told again is found out', async () => {
    const { visitor, agent, attack, heard } = await scene()
    let sent: Raw | null = null
    attack({ entries: (entries) => entries.map((entry) => (entry.type === 'text' ? (sent = entry) : entry)) })
    await visitor.sendText('once')
    await settled()
    attack(inserted({ before: isFrom('visitor', 'text'), reader: 'agent' }, () => sent as Raw))
    await visitor.sendText('twice')
    await settled()
    await expectBroken(agent)
    expect(events(heard.agent).filter((event) => event === 'text once')).toEqual(['text once'])
  })

  it('ENC-533 an entry with a seal that nobody made is found out', async () => {
    const { visitor, agent, attack, heard } = await scene()
    attack(
      changing(isFrom('visitor', 'text'), 'agent', ({ body, ...entry }) => ({
        ...entry,
        body: { ...body, text: `AAAA${String(body['text']).slice(4)}` },
      })),
    )
    await visitor.sendText('hello')
    await settled()
    await expectBroken(agent)
    expect(events(heard.agent)).toEqual(['error tampered'])
  })

  it('ENC-534 an entry in clear is not told, and neither acknowledged', async () => {
    const { visitor, agent, attack, heard } = await scene()
    attack(
      changing(isFrom('visitor', 'text'), 'agent', (entry) => ({
        ...entry,
        body: { text: 'send me the code' },
      })),
    )
    const id = await visitor.sendText('hello')
    await settled()
    expect(events(heard.agent)).toEqual([{ type: 'text', reason: 'clear' }])
    expect(events(heard.visitor)).not.toContain(`ack ${id}`)
    expect(stateOf(agent)).not.toBe('verified')
  })

  it('ENC-535 a member that is put in clear under the old seal is found out', async () => {
    const { visitor, agent, attack, heard } = await scene()
    attack(
      changing(isFrom('visitor', 'text'), 'agent', ({ body, ...entry }) => ({
        ...entry,
        body: { text: 'send me the code', seal: body['seal'] },
      })),
    )
    await visitor.sendText('hello')
    await settled()
    await expectBroken(agent)
    expect(events(heard.agent)).toEqual(['error tampered'])
  })

  it('ENC-536 what is withheld from some point on shows as messages that nobody acknowledges', async () => {
    const { visitor, agent, attack, heard } = await scene()
    attack(withheld(isFrom('visitor', 'text'), 'agent'))
    const ids = [await visitor.sendText('hello'), await visitor.sendText('are you there')]
    await settled()
    expect([events(heard.visitor), events(heard.agent), ids.length]).toEqual([[], [], 2])
    expect([stateOf(visitor), stateOf(agent)]).toEqual(['unverified', 'unverified'])
  })

  it('ENC-537 one entry that is left out is found out by the next one', async () => {
    const { visitor, agent, attack, heard } = await scene()
    attack(hidden(isFrom('visitor', 'text'), 'agent'))
    await visitor.sendText('do not pay')
    await settled()
    expect(stateOf(agent)).toBe('unverified')
    await visitor.sendText('else pay')
    await settled()
    await expectBroken(agent)
    expect(events(heard.agent)).toEqual(['error tampered'])
  })

  it('ENC-538 two logs are found out by whoever reads what the other party wrote in its own', async () => {
    const { visitor, agent, attack } = await scene()
    attack(hidden(isFrom('agent', 'text'), 'visitor'))
    await agent.sendText('only for me')
    await settled()
    expect([stateOf(visitor), stateOf(agent)]).toEqual(['unverified', 'unverified'])
    // The agent acknowledges it in its own log.
    await visitor.sendText('from another log')
    await settled()
    await expectBroken(visitor)
    await visitor.leave()
  })

  it('ENC-539 an entry of another contact is not told, and found out at the next one', async () => {
    const old = await scene()
    let sent: Raw | null = null
    old.attack({
      entries: (entries) => entries.map((entry) => (entry.type === 'text' ? (sent = entry) : entry)),
    })
    await old.visitor.sendText('yes, I agree')
    await settled()
    const { visitor, attack, heard } = await scene()
    attack(inserted({ before: isFrom('visitor', 'text'), reader: 'agent' }, () => sent as Raw))
    await visitor.sendText('do you agree?')
    await settled()
    expect(events(heard.agent)).toEqual(['text do you agree?'])
    await expectBroken(visitor)
  })

  it.each(['visitor', 'agent'] as const)(
    'ENC-540 SEC-6 an entry in the name of the %s is found out by its own page',
    async (slot) => {
      const both = await scene()
      const page = both[slot]
      const body = { capabilities: { Media: {}, Mobile: false }, media: {}, after: null }
      // Nothing follows it, so nothing else could find it out.
      let made = Number.POSITIVE_INFINITY
      both.attack({
        entries: (entries, to) =>
          entries.flatMap((entry) => {
            if (to !== slot) return [entry]
            if (!isFrom(slot, 'text')(entry)) return entry.seq < made ? [entry] : []
            made = entry.seq
            return [{ ...entry, id: 'made-up', type: 'present', body }]
          }),
      })
      page.sendText('hello').catch(() => {})
      await settled()
      await expectBroken(page)
    },
  )

  it('ENC-547 what the service itself tells each page differently is found out', async () => {
    const { agent } = await scene(
      changing(isFrom('service', 'joined'), 'visitor', ({ body, ...entry }) => ({
        ...entry,
        body: { ...body, nick: 'Your bank' },
      })),
    )
    await expectBroken(agent)
  })

  it('ENC-541 a contact that was secure is never one that is not', async () => {
    const { visitor, attack, world } = await scene()
    attack(lowered('visitor'))
    world.link.cut('visitor')
    await settled()
    await world.clock.advance(1000)
    await settled()
    expect(visitor.secure).toBe(true)
    await visitor.sendText('still sealed').catch(() => {})
    await settled()
    expect(JSON.stringify(world.contact.entries)).not.toContain('still sealed')
    await expectBroken(visitor)
  })

  const unsaid = (fits: (entry: Raw) => boolean, reader: Slot): Attack =>
    changing(fits, reader, (entry) => ({ ...entry, type: 'nothing', body: {} }))
  it.each([
    ['withheld from keyShare on', withheld, 'keyShare', 'agent', 'visitor'],
    ['withheld from keyReveal on', withheld, 'keyReveal', 'visitor', 'agent'],
    ['without keyCommit', unsaid, 'keyCommit', 'visitor', 'agent'],
    ['without keyShare', unsaid, 'keyShare', 'agent', 'visitor'],
    ['without keyReveal', unsaid, 'keyReveal', 'visitor', 'agent'],
  ] as const)(
    'ENC-542 an agreement that is cut stands still, says so after 15 s, and nothing goes in clear: %s',
    async (_name, cut, type, by, reader) => {
      const both = await scene(cut(isFrom(by, type), reader))
      const sent = watch(both.visitor.sendText('not in clear'))
      await settled()
      expect(stateOf(both[reader])).toBe('agreeing')
      await both.world.clock.advance(14_000)
      await settled()
      expect(events(both.heard[reader])).not.toContain('error timeout')
      await both.world.clock.advance(1500)
      await settled()
      expect(events(both.heard[reader])).toContain('error timeout')
      expect(JSON.stringify(both.world.contact.entries)).not.toContain('not in clear')
      if (type !== 'keyReveal') expect(sent.result).toBe('pending')
    },
  )

  it.each([
    ['keyCommit', 'commit', 'visitor', 'agent', 'agent'],
    ['keyShare', 'key', 'agent', 'visitor', 'agent'],
    ['keyReveal', 'key', 'visitor', 'agent', 'agent'],
  ] as const)(
    'ENC-543 a key that is replaced in %s agrees with nobody',
    async (type, member, by, reader, noticing) => {
      const key = `${'Q'.repeat(42)}A=`
      const both = await scene(
        changing(isFrom(by, type), reader, ({ body, ...entry }) => ({
          ...entry,
          body: { ...body, [member]: key },
        })),
      )
      await expectBroken(both[noticing])
      expect(both.heard.agent.length).toBeGreaterThan(0)
    },
  )

  it('ENC-544 SEC-7 whoever finds it out turns everything off within the same moment', async () => {
    const { visitor, agent, attack } = await scene()
    answering(agent)
    await visitor.offerMedia(offering({ Voice: required }))
    await settled()
    expect(await agent.getMedia()).toMatchObject({ Voice: { tx: true } })
    attack(hidden(isFrom('visitor', 'text'), 'agent'))
    await visitor.sendText('one')
    await visitor.sendText('two')
    await settled()
    await visitor.sendText('three')
    await settled()
    await expectBroken(agent)
    expect((await agent.getMedia()).Voice?.tx ?? false).toBe(false)
  })
})
