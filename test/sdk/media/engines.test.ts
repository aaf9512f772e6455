import { describe, expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import { FakeEngine, settled } from '../../../testing/index.ts'
import {
  CALL,
  START,
  VOICE,
  answering,
  asked,
  fakeOf,
  joined,
  leaveBoth,
  mediaOf,
  offering,
  on,
  record,
  required,
  watch,
} from '../../support/contacts.ts'
import { World } from '../../support/world.ts'
import type { Pair } from '../../support/contacts.ts'

const BEAM = on(true, true, 'Holo', 'laser')

/** Both parties have an engine of their own. */
async function withHolo(): Promise<
  Pair & { readonly holo: Readonly<Record<'visitor' | 'agent', FakeEngine>> }
> {
  const pair = await joined()
  const holo = {
    visitor: new FakeEngine({ id: 'Holo', media: ['Hologram'], via: 'laser' }),
    agent: new FakeEngine({ id: 'Holo', media: ['Hologram'], via: 'laser' }),
  }
  await pair.visitor.registerMediaEngine(holo.visitor)
  await pair.agent.registerMediaEngine(holo.agent)
  await settled()
  return { ...pair, holo }
}

describe('engines of one’s own', () => {
  it('ENG-1 CAP-3 CAP-5 registering resolves with the capabilities, and the remote is told', async () => {
    const { visitor, agent } = await joined()
    const [here, there] = [record(visitor, 'localcapabilities'), record(agent, 'capabilities')]
    const capabilities = await visitor.registerMediaEngine(
      new FakeEngine({ id: 'Holo', media: ['Hologram', 'Voice'], via: 'laser' }),
    )
    await settled()
    expect(capabilities.Media).toMatchObject({
      Hologram: { Engines: { Holo: true } },
      Voice: { Engines: { WebRTC: true, Holo: true } },
    })
    expect(here).toEqual([['localcapabilities', capabilities]])
    expect(there).toEqual([['capabilities', capabilities]])
    expect(await agent.getRemoteCapabilities()).toEqual(capabilities)
    expect(await visitor.getLocalCapabilities()).toEqual(capabilities)
  })

  it('ENG-1 a medium and a via of an engine’s own are negotiated as any other', async () => {
    const pair = await withHolo()
    answering(pair.agent)
    expect(await pair.visitor.offerMedia(offering({ Hologram: required, Voice: required }))).toEqual({
      ...START,
      Hologram: BEAM,
      Voice: CALL,
    })
    await settled()
    expect(mediaOf(pair)).toEqual({
      visitor: { ...START, Hologram: BEAM, Voice: CALL },
      agent: { ...START, Hologram: BEAM, Voice: CALL },
    })
    await pair.agent.mergeAndTransitMedia({ Hologram: { tx: false, rx: false } })
    await settled()
    expect([pair.holo.visitor.carried, pair.holo.agent.carried, fakeOf(pair.visitor).carried]).toEqual([
      {},
      {},
      { Voice: CALL },
    ])
  })

  it('ENG-1 ALG-17 a medium that two engines carry needs via and engine named', async () => {
    const pair = await joined()
    for (const contact of [pair.visitor, pair.agent])
      await contact.registerMediaEngine(new FakeEngine({ id: 'Phone', media: ['Voice'], via: 'pstn' }))
    await settled()
    answering(pair.agent)
    await expect(pair.visitor.offerMedia(VOICE)).rejects.toMatchObject({ code: 'invalid_offer' })
    expect(await pair.visitor.offerMedia(offering({ Voice: { ...required, engine: 'Phone' } }))).toEqual({
      ...START,
      Voice: on(true, true, 'Phone', 'pstn'),
    })
    expect(await pair.visitor.offerMedia(offering({ Voice: { ...required, via: 'net' } }))).toEqual({
      ...START,
      Voice: CALL,
    })
  })

  it('ENG-1 an engine that only one side has cannot be offered', async () => {
    const { visitor } = await joined()
    await visitor.registerMediaEngine(new FakeEngine({ id: 'Holo', media: ['Hologram'] }))
    await expect(visitor.offerMedia({ Hologram: required })).rejects.toMatchObject({ code: 'invalid_offer' })
  })

  it('ENG-2 getMediaEngine gives what is registered, and undefined for any other id', async () => {
    const { visitor } = await joined()
    const engine = new FakeEngine({ id: 'Holo', media: [] })
    await visitor.registerMediaEngine(engine)
    expect([
      visitor.getMediaEngine('Holo'),
      visitor.getMediaEngine('Native')?.id,
      visitor.getMediaEngine('None'),
      visitor.getMediaEngine('constructor'),
    ]).toEqual([engine, 'Native', undefined, undefined])
  })

  it('ENG-1 ERR-1 what is no engine, or has an id that is taken, gives invalid_argument; one that fails to tell its media engine_failed', async () => {
    const { visitor } = await joined()
    const failing = new FakeEngine({ id: 'Holo', media: [] })
    failing.capabilities = () => Promise.reject(new Error('no idea'))
    const results = await Promise.allSettled([
      visitor.registerMediaEngine(null as never),
      visitor.registerMediaEngine({ id: 'x' } as never),
      visitor.registerMediaEngine(new FakeEngine({ id: 'WebRTC', media: [] })),
      visitor.registerMediaEngine(failing),
    ])
    expect(
      results.map((result) => (result.status === 'rejected' ? (result.reason as ContactError).code : result)),
    ).toEqual(['invalid_argument', 'invalid_argument', 'invalid_argument', 'engine_failed'])
    expect(visitor.getMediaEngine('Holo')).toBeUndefined()
  })

  it('ENG-1 ERR-1 an engine whose id or medium cannot stand in the log is not registered, and what is told of the others still reaches the remote', async () => {
    const { visitor, agent } = await joined()
    await expect(
      visitor.registerMediaEngine(new FakeEngine({ id: 'my engine', media: ['Hologram'] })),
    ).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(
      visitor.registerMediaEngine(new FakeEngine({ id: 'Holo', media: ['a hologram'] })),
    ).rejects.toMatchObject({ code: 'engine_failed' })
    expect([visitor.getMediaEngine('my engine'), visitor.getMediaEngine('Holo')]).toEqual([
      undefined,
      undefined,
    ])
    await visitor.registerMediaEngine(new FakeEngine({ id: 'Holo', media: ['Hologram'] }))
    await settled()
    expect((await agent.getRemoteCapabilities()).Media['Hologram']).toEqual({ Engines: { Holo: true } })
  })

  it('ENG-1 an engine can be registered before the contact is joined', async () => {
    const world = new World()
    const visitor = await world.visitor().client.createContact()
    const agent = await world.agent().client.accept(visitor.id)
    await agent.registerMediaEngine(new FakeEngine({ id: 'Holo', media: ['Hologram'] }))
    await agent.join()
    await settled()
    expect((await visitor.getRemoteCapabilities()).Media['Hologram']).toEqual({ Engines: { Holo: true } })
  })

  it('ENG-1 NEG-5 a direct change to an engine that is not registered here fails, and nothing changes', async () => {
    const pair = await joined()
    const { contact } = pair.world
    const session = contact.state.shared.session.agent ?? ''
    const target = {
      Chat: { tx: true, rx: true, via: 'net', engine: 'Native' },
      Voice: { tx: false, rx: true, via: 'net', engine: 'Unheard' },
    }
    contact.append('agent', session, [
      {
        id: 'forged',
        session,
        counter: contact.counterOf(session) + 1,
        type: 'direct',
        body: { target, restore: false },
      },
    ])
    pair.link.deliver()
    await settled()
    expect(
      contact.entries
        .filter(({ type }) => type === 'failed' || type === 'ready')
        .map(({ slot, type }) => `${slot} ${type}`),
    ).toContain('visitor failed')
    expect([pair.visitor.mediaState, mediaOf(pair)]).toEqual(['idle', { visitor: START, agent: START }])
  })

  it('MED-25 an engine that breaks while another goes back does not count as carrying anything any more', async () => {
    const pair = await withHolo()
    answering(pair.agent)
    await pair.visitor.offerMedia(offering({ Hologram: required, Voice: required }))
    await settled()
    fakeOf(pair.visitor).script('transit', 'media_failed')
    pair.holo.visitor.script('undo', 'freeze')
    const result = watch(
      pair.visitor.offerMedia(offering({ Hologram: required, Voice: required, Video: required })),
    )
    await settled()
    fakeOf(pair.visitor).host?.report({ type: 'broke', error: new ContactError('engine_failed', 'gone') })
    await settled()
    pair.holo.visitor.thaw()
    await settled()
    fakeOf(pair.visitor).host?.report({
      type: 'broke',
      error: new ContactError('engine_failed', 'gone again'),
    })
    await settled()
    const holds = pair.world.contact.entries.flatMap((entry) =>
      entry.type === 'present' && entry.slot === 'visitor' ? [Object.keys(entry.body.media)] : [],
    )
    expect(holds.slice(1)).toEqual([
      ['Sharing', 'Chat', 'Hologram'],
      ['Sharing', 'Chat', 'Hologram'],
    ])
    expect(result.result).toMatchObject({
      code: expect.stringMatching(/^(media_failed|engine_failed)$/) as unknown,
    })
    expect(mediaOf(pair)).toEqual({
      visitor: { ...START, Hologram: BEAM },
      agent: { ...START, Hologram: BEAM },
    })
  })

  it('NEG-5 MED-25 where one of two engines breaks in a transition, the other is brought back', async () => {
    const pair = await withHolo()
    answering(pair.agent)
    fakeOf(pair.agent).script('transit', 'hang')
    const result = watch(pair.visitor.offerMedia(offering({ Hologram: required, Voice: required })))
    await settled()
    expect(pair.holo.agent.carried).toEqual({ Hologram: BEAM })
    fakeOf(pair.agent).host?.report({ type: 'broke', error: new ContactError('engine_failed', 'gone') })
    await settled()
    expect(result.result).toEqual({ code: 'remote_failed' })
    expect([
      pair.holo.visitor.carried,
      pair.holo.agent.carried,
      mediaOf(pair),
      pair.visitor.mediaState,
      pair.agent.mediaState,
    ]).toEqual([{}, {}, { visitor: START, agent: START }, 'idle', 'idle'])
  })

  it('NEG-5 the failure of one engine aborts the other, and both are brought back', async () => {
    const pair = await withHolo()
    answering(pair.agent)
    fakeOf(pair.agent).script('transit', 'media_in_use')
    pair.holo.agent.script('transit', 'hang')
    const result = watch(pair.visitor.offerMedia(offering({ Hologram: required, Voice: required })))
    await settled()
    expect(result.result).toEqual({ code: 'remote_failed' })
    expect([pair.holo.visitor.carried, pair.holo.agent.carried, mediaOf(pair).agent]).toEqual([{}, {}, START])
  })

  it('MED-25 an engine that cannot undo is destroyed alone: what another engine carries stays on', async () => {
    const pair = await withHolo()
    answering(pair.agent)
    await pair.visitor.offerMedia(offering({ Hologram: required, Voice: required }))
    await settled()
    fakeOf(pair.visitor).script('transit', 'media_failed').script('undo', 'engine_failed')
    await expect(
      pair.visitor.offerMedia(
        offering({ Hologram: { ...required, via: 'laser' }, Voice: required, Video: required }),
      ),
    ).rejects.toMatchObject({ code: 'media_failed' })
    await settled()
    expect(mediaOf(pair)).toEqual({
      visitor: { ...START, Hologram: BEAM },
      agent: { ...START, Hologram: BEAM },
    })
    expect([pair.holo.visitor.calls.includes('stop'), fakeOf(pair.visitor).calls.includes('stop')]).toEqual([
      false,
      true,
    ])
  })

  it('LIFE-5 LIFE-20 leaving stops every engine, on both sides', async () => {
    const pair = await withHolo()
    answering(pair.agent)
    await pair.visitor.offerMedia(offering({ Hologram: required, Voice: required }))
    const offers = asked(pair.visitor)
    await leaveBoth(pair)
    expect(
      [pair.holo.visitor, pair.holo.agent, fakeOf(pair.visitor), fakeOf(pair.agent)].map(
        ({ carried, calls }) => [carried, calls.includes('stop')],
      ),
    ).toEqual([
      [{}, true],
      [{}, true],
      [{}, true],
      [{}, true],
    ])
    expect([offers.length, pair.clock.pending]).toEqual([0, 0])
  })
})
