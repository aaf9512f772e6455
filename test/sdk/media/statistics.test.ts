import { afterEach, describe, expect, it, vi } from 'vitest'
import type { EngineEvent } from '../../../engines/index.ts'
import type { Observation } from '../../../protocol/index.ts'
import type { Contact } from '../../../sdk/index.ts'
import { settled } from '../../../testing/index.ts'
import {
  CALL,
  OFF,
  START,
  endCleanly,
  fakeOf,
  inCall,
  joined,
  mediaOf,
  record,
  required,
} from '../../support/contacts.ts'
import type { Pair } from '../../support/contacts.ts'

const flow = { isFlowing: true, bitRate: 32_000 }
const good: Observation = {
  media: { Voice: { tx: flow, rx: { ...flow, bitRate: 40_000, level: 0.2 } } },
  roundTripMs: 40,
  score: 4.4,
}
const bad: Observation = {
  media: { Voice: { tx: flow, rx: { ...flow, bitRate: 20_000, loss: 0.2 } } },
  roundTripMs: 90,
  score: 2.6,
}

let pair: Pair

const observe = (contact: Contact, observation: Observation): void =>
  fakeOf(contact).host?.observed(observation)

/** Time for the delivery of events, and for what is loaded when it is first needed. */
async function told(): Promise<void> {
  await import('../../../sdk/media/statistics.ts')
  await settled()
}

afterEach(() => endCleanly(pair))

describe('what is told of a call', () => {
  it('ENG-9 ENG-23 statistics come at most once a second, and a summary when the last medium is off', async () => {
    pair = await inCall()
    const seen = record(pair.visitor, 'statistics', 'callsummary')
    observe(pair.visitor, good)
    observe(pair.visitor, good)
    await pair.clock.advance(1_000)
    observe(pair.visitor, bad)
    await told()
    expect(seen).toEqual([
      ['statistics', { engine: 'WebRTC', ...good }],
      ['statistics', { engine: 'WebRTC', ...bad }],
    ])
    await pair.visitor.mergeAndTransitMedia({ Voice: OFF })
    observe(pair.visitor, good)
    await told()
    expect(seen.slice(2)).toEqual([
      [
        'callsummary',
        {
          engine: 'WebRTC',
          durationMs: 1_000,
          score: { mean: 3.5, lowest: 2.6 },
          roundTripMs: 90,
          media: { Voice: { tx: 32_000, rx: 30_000 } },
          healing: [],
        },
      ],
    ])
  })

  it('SND-301 ENG-9 ENG-10 an engine that uses what it has reported again changes nothing of what is told', async () => {
    pair = await inCall()
    const seen = record(pair.visitor, 'statistics', 'liveness')
    const observation = structuredClone(good) as unknown as {
      score: number
      media: { Voice: { tx: { bitRate: number } } }
    }
    const silent = ['Voice']
    observe(pair.visitor, observation as unknown as Observation)
    fakeOf(pair.visitor).host?.report({ type: 'liveness', silent, step: 'tell_user' })
    observation.score = 1
    observation.media.Voice.tx.bitRate = 0
    silent.push('Video')
    await told()
    expect(seen).toEqual([
      ['statistics', { engine: 'WebRTC', ...good }],
      ['liveness', { engine: 'WebRTC', silent: ['Voice'], step: 'tell_user' }],
    ])
  })

  it('ENG-23 the summary also comes where a party leaves in the middle of a call', async () => {
    pair = await inCall()
    const seen = record(pair.visitor, 'callsummary', 'localleft')
    observe(pair.visitor, good)
    await pair.visitor.leave()
    await told()
    expect(seen.map(([name]) => name).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'callsummary',
      'localleft',
    ])
  })

  it('ENG-23 ERR-2 where its code cannot be loaded a call goes on without, nothing is left unhandled, and the next look tries again', async () => {
    vi.resetModules()
    vi.doMock('../../../sdk/media/statistics.ts', () => {
      throw new Error('the service is out of reach')
    })
    const unhandled: unknown[] = []
    const note = (reason: unknown): void => void unhandled.push(reason)
    process.on('unhandledRejection', note)
    pair = await inCall()
    const seen = record(pair.visitor, 'statistics')
    observe(pair.visitor, good)
    await pair.visitor.mergeAndTransitMedia({ Voice: { ...CALL, tx: false } })
    await told().catch(() => {})
    await settled()
    process.off('unhandledRejection', note)
    expect([unhandled, seen]).toEqual([[], []])
    vi.doUnmock('../../../sdk/media/statistics.ts')
    vi.resetModules()
    await pair.clock.advance(1_000)
    observe(pair.visitor, bad)
    await told()
    expect(seen).toEqual([['statistics', { engine: 'WebRTC', ...bad }]])
  })

  it('ENG-10 healing is told step by step, gives up the picture for the sound, and stands in the summary', async () => {
    pair = await inCall({ Voice: required, Video: required })
    const seen = record(pair.agent, 'liveness', 'callsummary')
    const report = (event: EngineEvent): void => fakeOf(pair.agent).host?.report(event)
    observe(pair.agent, bad)
    report({ type: 'liveness', silent: ['Video'], step: 'ice_restart' })
    report({ type: 'liveness', silent: ['Video'], step: 'drop_video' })
    await told()
    expect(mediaOf(pair)).toEqual({ visitor: { ...START, Voice: CALL }, agent: { ...START, Voice: CALL } })
    report({ type: 'liveness', silent: [], step: null })
    report({ type: 'liveness', silent: ['Voice'], step: 'tell_user' })
    await pair.agent.mergeAndTransitMedia({ Voice: OFF })
    await told()
    expect(seen.slice(0, -1)).toEqual([
      ['liveness', { engine: 'WebRTC', silent: ['Video'], step: 'ice_restart' }],
      ['liveness', { engine: 'WebRTC', silent: ['Video'], step: 'drop_video' }],
      ['liveness', { engine: 'WebRTC', silent: [], step: null }],
      ['liveness', { engine: 'WebRTC', silent: ['Voice'], step: 'tell_user' }],
    ])
    expect(seen.at(-1)).toMatchObject([
      'callsummary',
      { healing: ['ice_restart', 'drop_video', 'tell_user'] },
    ])
  })

  it('ENG-24 a hold of the remote is told', async () => {
    pair = await inCall()
    const seen = record(pair.visitor, 'remotehold')
    for (const on of [true, false]) fakeOf(pair.visitor).host?.report({ type: 'remote_held', on })
    await told()
    expect(seen).toEqual([
      ['remotehold', { engine: 'WebRTC', on: true }],
      ['remotehold', { engine: 'WebRTC', on: false }],
    ])
  })

  it('ENG-27 what the remote mutes is told, with all that is muted', async () => {
    pair = await inCall()
    const seen = record(pair.visitor, 'remotemute')
    for (const muted of [['Voice'], ['Voice', 'Video'], []])
      fakeOf(pair.visitor).host?.report({ type: 'remote_muted', muted })
    await told()
    expect(seen).toEqual([
      ['remotemute', { engine: 'WebRTC', muted: ['Voice'] }],
      ['remotemute', { engine: 'WebRTC', muted: ['Voice', 'Video'] }],
      ['remotemute', { engine: 'WebRTC', muted: [] }],
    ])
  })

  it('ENG-16 an interruption by the system is told, and ends nothing', async () => {
    pair = await inCall()
    const before = mediaOf(pair)
    const seen = record(pair.visitor, 'interruption')
    for (const on of [true, false])
      fakeOf(pair.visitor).host?.report({ type: 'interrupted', medium: 'Voice', on })
    await told()
    expect(seen).toEqual([
      ['interruption', { engine: 'WebRTC', medium: 'Voice', on: true }],
      ['interruption', { engine: 'WebRTC', medium: 'Voice', on: false }],
    ])
    expect(mediaOf(pair)).toEqual(before)
  })

  it('ENG-9 what an engine tells of media that are off is not passed on', async () => {
    pair = await joined()
    const seen = record(pair.visitor, 'statistics')
    observe(pair.visitor, good)
    await told()
    expect(seen).toEqual([])
  })
})
