import { describe, expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import type { EngineHost, MediaEngine } from '../../../sdk/index.ts'
import { FakeEngine, createTestContact, settled } from '../../../testing/index.ts'
import {
  CALL,
  OFF,
  START,
  VOICE,
  answering,
  asked,
  inCall,
  joined,
  offering,
  record,
  required,
  watch,
} from '../../support/contacts.ts'
import { World, fakes } from '../../support/world.ts'

const MEMBERS = ['capabilities', 'attach', 'prepare', 'transit', 'undo', 'receive', 'data', 'stop'] as const

const engineNamed = (id: string): FakeEngine => new FakeEngine({ id, media: ['Whiteboard'], via: 'lan' })

/** A promise whose end the test decides. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { opened, open }
}

describe('registerMediaEngine', () => {
  it.each(MEMBERS)('SND-19 an engine without %s is refused, and the error names it', async (member) => {
    const { visitor } = await createTestContact()
    const engine = engineNamed('Lan')
    Object.defineProperty(engine, member, { value: undefined })
    const before = await visitor.getLocalCapabilities()
    await expect(visitor.registerMediaEngine(engine)).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(member) as string,
    })
    expect([visitor.getMediaEngine('Lan'), await visitor.getLocalCapabilities()]).toEqual([undefined, before])
  })

  it.each([
    ['rejects', () => Promise.reject(new Error('no'))],
    ['never settles', () => new Promise(() => {})],
  ])(
    'SND-302 ENG-2 an engine whose attach %s is refused, stopped and not announced, and nothing thrown gets further',
    async (_how, attach) => {
      const unhandled: unknown[] = []
      const listen = (reason: unknown): void => void unhandled.push(reason)
      process.on('unhandledRejection', listen)
      const { visitor, clock } = await createTestContact()
      const engine = engineNamed('Lan')
      Object.defineProperty(engine, 'attach', { value: attach, configurable: true })
      const before = await visitor.getLocalCapabilities()
      const registering = watch(visitor.registerMediaEngine(engine))
      await settled()
      await clock.advance(5_000)
      await settled()
      process.off('unhandledRejection', listen)
      expect([registering.result, unhandled, engine.calls]).toEqual([{ code: 'engine_failed' }, [], ['stop']])
      expect([visitor.getMediaEngine('Lan'), await visitor.getLocalCapabilities()]).toEqual([
        undefined,
        before,
      ])
      await visitor.registerMediaEngine(engineNamed('Lan'))
    },
  )

  it('SND-302 ENG-21 an engine that was refused is heard no more, also under the id of the next one: neither reports nor signals', async () => {
    const { visitor, agent, clock } = await createTestContact()
    asked(agent)
    const [slow, second, remote] = [engineNamed('Lan'), engineNamed('Lan'), engineNamed('Lan')]
    let host: EngineHost | undefined
    slow.attach = (given) => (host = given) && (new Promise(() => {}) as never)
    const registering = watch(visitor.registerMediaEngine(slow))
    await settled()
    await clock.advance(5_000)
    expect(registering.result).toEqual({ code: 'engine_failed' })
    await Promise.all([visitor.registerMediaEngine(second), agent.registerMediaEngine(remote)])
    const offered = watch(visitor.offerMedia(VOICE))
    await settled()
    const told = record(
      visitor,
      ...(['error', 'remotehold', 'remotemute', 'interruption', 'mediachange', 'liveness'] as const),
    )
    host?.report({ type: 'broke', error: new ContactError('engine_failed', 'unable to start; too late') })
    host?.report({ type: 'remote_held', on: true })
    host?.report({ type: 'remote_muted', muted: ['Voice'] })
    host?.report({ type: 'interrupted', medium: 'Voice', on: true })
    host?.report({ type: 'liveness', silent: ['Voice'], step: null })
    host?.signal('late')
    await settled()
    expect([visitor.mediaState, offered.result, told, remote.calls]).toEqual(['offering', 'pending', [], []])
  })

  it('SND-303 an engine that never says what it carries is refused after 5 s, neither attached nor announced, and its id is free again', async () => {
    const { visitor, clock } = await createTestContact()
    const [mute, before] = [engineNamed('Lan'), await visitor.getLocalCapabilities()]
    mute.capabilities = () => new Promise(() => {})
    const registering = watch(visitor.registerMediaEngine(mute))
    await clock.advance(4_999)
    expect(registering.result).toBe('pending')
    await clock.advance(1)
    expect([
      registering.result,
      mute.host,
      visitor.getMediaEngine('Lan'),
      await visitor.getLocalCapabilities(),
    ]).toEqual([{ code: 'engine_failed' }, null, undefined, before])
    await visitor.registerMediaEngine(engineNamed('Lan'))
  })

  it('SND-303 a contact is opened without an engine that never says what it carries, and that is told', async () => {
    const world = new World({
      engines: () => {
        const [native, webrtc] = fakes()
        return [
          native,
          Object.assign(webrtc as FakeEngine, { capabilities: () => new Promise(() => {}) }),
        ] as MediaEngine[]
      },
    })
    const opening = world.visitor().client.createContact()
    const told = opening.then((contact) => record(contact, 'error'))
    await world.clock.advance(5_000)
    const contact = await opening
    expect([
      (await told).map(([, event]) => 'code' in event && event.code),
      contact.getMediaEngine('WebRTC'),
      Object.keys((await contact.getLocalCapabilities()).Media),
    ]).toEqual([['engine_failed'], undefined, ['Sharing', 'Chat']])
  })

  it('SND-19 of two engines with one id that are registered at once, the first wins and is the one in use', async () => {
    const { visitor } = await createTestContact()
    const [slow, second] = [engineNamed('Lan'), engineNamed('Lan')]
    const { opened, open } = gate()
    const capabilities = slow.capabilities.bind(slow)
    slow.capabilities = async () => {
      await opened
      return capabilities()
    }
    const first = visitor.registerMediaEngine(slow)
    await expect(visitor.registerMediaEngine(second)).rejects.toMatchObject({ code: 'invalid_argument' })
    open()
    await first
    expect([visitor.getMediaEngine('Lan') === slow, second.host]).toEqual([true, null])
  })

  it('SND-19 an id is free again where its engine could not tell its capabilities', async () => {
    const { visitor } = await createTestContact()
    const broken = engineNamed('Lan')
    broken.capabilities = () => Promise.reject(new Error('oops'))
    await expect(visitor.registerMediaEngine(broken)).rejects.toMatchObject({ code: 'engine_failed' })
    const engine: MediaEngine = engineNamed('Lan')
    await visitor.registerMediaEngine(engine)
    expect(visitor.getMediaEngine('Lan')).toBe(engine)
  })
})

describe('media of an engine that is announced no more', () => {
  const withoutVoice = {
    Chat: { Engines: { Native: true } },
    Sharing: { Engines: { Native: true } },
    Video: { Engines: { WebRTC: true } },
  }

  it('SND-20 another medium can be turned off, and what is not named keeps its value', async () => {
    const pair = await inCall()
    answering(pair.agent)
    await pair.visitor.offerMedia(offering({ Voice: required, Video: required }))
    await settled()
    await pair.agent.setLocalCapabilities({
      ...(await pair.agent.getLocalCapabilities()),
      Media: withoutVoice,
    })
    await settled()
    await pair.visitor.mergeAndTransitMedia({ Video: OFF })
    await settled()
    expect([await pair.visitor.getMedia(true), (await pair.agent.getMedia(true)).Voice?.tx]).toEqual([
      { ...START, Voice: { ...CALL, data: { slot: 'visitor' } } },
      true,
    ])
  })

  it('SND-20 it can be offered as it runs, and be made less, and not be made more', async () => {
    const pair = await inCall()
    answering(pair.agent)
    await pair.agent.setLocalCapabilities({
      ...(await pair.agent.getLocalCapabilities()),
      Media: withoutVoice,
    })
    await settled()
    await pair.visitor.offerMedia({ ...(await pair.visitor.getMediaOffer()), Video: required })
    await settled()
    await pair.visitor.mergeAndTransitMedia({ Voice: { tx: false, rx: true } })
    await settled()
    expect([(await pair.visitor.getMedia()).Voice, (await pair.visitor.getMedia()).Video]).toMatchObject([
      { tx: false, rx: true },
      { tx: true, rx: true },
    ])
    await expect(pair.visitor.mergeAndTransitMedia({ Voice: { tx: true, rx: true } })).rejects.toMatchObject({
      code: 'invalid_offer',
    })
  })

  it('SND-20 it cannot be turned on', async () => {
    const pair = await joined()
    await pair.agent.setLocalCapabilities({
      ...(await pair.agent.getLocalCapabilities()),
      Media: withoutVoice,
    })
    await settled()
    await expect(pair.visitor.offerMedia(VOICE)).rejects.toMatchObject({ code: 'invalid_offer' })
  })
})

describe('signals of engines', () => {
  it('SND-18 one that does not fit in a frame is refused where it is sent, and the connection goes on', async () => {
    const { visitor, agent, link } = await createTestContact()
    const states: string[] = []
    visitor.on('connection', ({ state }) => states.push(state))
    const engine = visitor.getMediaEngine('WebRTC') as FakeEngine
    const remote = agent.getMediaEngine('WebRTC') as FakeEngine
    expect(() => engine.host?.signal('x'.repeat(200_000))).toThrow(
      expect.objectContaining({ code: 'too_large' }) as Error,
    )
    expect(() => engine.host?.signal('é'.repeat(66_000))).toThrow(
      expect.objectContaining({ code: 'too_large' }) as Error,
    )
    engine.host?.signal('fits')
    await settled()
    expect([states, remote.calls, link.contacts.size]).toEqual([[], ['receive'], 1])
  })
})
