import { describe, expect, it } from 'vitest'
import {
  canCall,
  choiceOf,
  covers,
  hangUp,
  isRefusal,
  offerFor,
  rowsOf,
  startsNothing,
  stopSending,
} from '../../apps/ui/src/media-plan.ts'
import { choices, endings, offerFacts, offerTitle } from '../../apps/ui/src/offer-words.ts'
import type { MediaOffer, MediaState } from '../../apps/ui/src/sdk.ts'
import { algebra } from '../../protocol/index.ts'
import { answerOf } from '../../sdk/media/chosen-answer.ts'

const BY = { via: 'net', engine: 'WebRTC' } as const
const NATIVE = { via: 'net', engine: 'Native' } as const
const chat: MediaState = {
  Sharing: { tx: true, rx: true, ...NATIVE },
  Chat: { tx: true, rx: true, ...NATIVE },
}
const voice: MediaState = { ...chat, Voice: { tx: true, rx: true, ...BY } }
const video: MediaState = { ...voice, Video: { tx: true, rx: true, ...BY } }
const keepsChat = { tx: 'required', rx: 'required', ...NATIVE } as const
const both = { tx: 'required', rx: 'required', ...BY } as const

describe('what is offered for a call', () => {
  it('a voice call is both ways, and keeps what is on', () => {
    expect(offerFor('voice', algebra.offerFromState(chat))).toEqual({ Chat: keepsChat, Voice: both })
  })

  it('SND-312 a video call brings voice along, and leaves the other’s camera and microphone to them', () => {
    expect(offerFor('video', algebra.offerFromState(chat))).toEqual({
      Chat: keepsChat,
      Voice: { tx: 'required', rx: 'optional', ...BY },
      Video: { tx: 'required', rx: 'optional', ...BY },
    })
  })

  it('SND-312 a camera on top of a call leaves voice as it is, whoever has lost a microphone', () => {
    const heard: MediaState = { ...chat, Voice: { tx: false, rx: true, ...BY } }
    expect(offerFor('video', algebra.offerFromState(heard)).Voice).toEqual({
      tx: 'off',
      rx: 'required',
      ...BY,
    })
  })

  it('turning the own camera on keeps a picture that comes in already', () => {
    const watching: MediaState = { ...voice, Video: { tx: false, rx: true, ...BY } }
    expect(offerFor('video', algebra.offerFromState(watching)).Video).toEqual(both)
  })

  it('a screen is shown and not asked for', () => {
    expect(offerFor('screen', algebra.offerFromState(voice))).toEqual({
      Chat: keepsChat,
      Voice: both,
      Screen: { tx: 'required', rx: 'off', ...BY },
    })
  })

  it('a call that runs over the telephone is left there', () => {
    const phone = { tx: 'required', rx: 'required', via: 'pstn', engine: 'Native' } as const
    expect(offerFor('video', { Voice: phone }).Voice).toEqual(phone)
  })

  it('is possible where both parties have the engine', () => {
    const has = {
      Mobile: false,
      Media: { Voice: { Engines: { WebRTC: true } }, Screen: { Engines: { WebRTC: true } } },
    }
    expect(canCall('Voice', has, has)).toBe(true)
    expect(canCall('Video', has, has)).toBe(false)
    expect(canCall('Voice', has, null)).toBe(false)
    expect(canCall('Screen', { ...has, WebRTC: { ScreenCapture: false } }, has)).toBe(false)
  })
})

describe('what is turned off', () => {
  it('hanging up names only what is on', () => {
    expect(hangUp(video, ['Video'])).toEqual({ Video: { tx: false, rx: false } })
    expect(hangUp(video, ['Voice', 'Video', 'Screen'])).toEqual({
      Voice: { tx: false, rx: false },
      Video: { tx: false, rx: false },
    })
    expect(hangUp(chat, ['Voice'])).toEqual({})
  })

  it('stopping the own screen leaves the other’s', () => {
    expect(stopSending({ ...voice, Screen: { tx: true, rx: true, ...BY } }, 'Screen')).toEqual({
      Screen: { tx: false, rx: true, ...BY },
    })
    expect(stopSending({ ...voice, Screen: { tx: true, rx: false, ...BY } }, 'Screen')).toEqual({
      Screen: { tx: false, rx: false },
    })
  })
})

describe('an offer of the other side', () => {
  const offered: MediaOffer = {
    Chat: keepsChat,
    Voice: both,
    Video: { tx: 'optional', rx: 'required', ...BY },
  }

  it('is told in rows: what starts, what may, what stops', () => {
    expect(rowsOf(offered, chat)).toEqual([
      { medium: 'Voice', tx: 'start', rx: 'start' },
      { medium: 'Video', tx: 'may', rx: 'start' },
    ])
    expect(rowsOf({ Chat: keepsChat, Voice: both }, video)).toEqual([
      { medium: 'Video', tx: 'stop', rx: 'stop' },
    ])
  })

  it('needs no consent where it starts nothing', () => {
    expect(startsNothing({ Chat: keepsChat, Voice: both }, video)).toBe(true)
    expect(startsNothing(offered, chat)).toBe(false)
    expect(startsNothing({ Chat: keepsChat, Screen: { tx: 'off', rx: 'optional', ...BY } }, chat)).toBe(false)
  })

  it.each([
    ['a telephone', { via: 'pstn', engine: 'Native' }],
    ['another engine', { via: 'net', engine: 'Other' }],
  ])('SND-312 is asked about where it moves a running call to %s', (_where, carrier) => {
    const moved: MediaOffer = { Chat: keepsChat, Voice: { tx: 'required', rx: 'required', ...carrier } }
    expect([startsNothing(moved, voice), rowsOf(moved, voice)]).toEqual([
      false,
      [{ medium: 'Voice', tx: 'start', rx: 'start' }],
    ])
    expect(choiceOf({ Voice: { tx: 'optional', rx: 'required', ...carrier } }, voice)).toEqual({
      Voice: 'receive',
    })
    expect(covers(voice, { Voice: { tx: true, rx: true, ...carrier } })).toBe(false)
    const elsewhere: MediaState = { ...chat, Voice: { tx: true, rx: true, ...carrier } }
    expect(startsNothing({ Voice: both }, elsewhere)).toBe(false)
  })

  it.each([true, false])('is answered with the own camera %s', (camera) => {
    const answer = answerOf(chat, offered, choiceOf(offered, chat, { Video: camera }))
    expect(answer).toEqual({
      ...chat,
      Chat: { tx: true, rx: true, ...NATIVE },
      Voice: { tx: true, rx: true, ...BY },
      Video: { tx: camera, rx: true, ...BY },
    })
    expect(algebra.satisfies(offered, answer)).toBe(true)
  })

  it('is never answered with a transmission that was offered off, nor with an optional one that nobody chose and that is not on', () => {
    const offer: MediaOffer = {
      Chat: { tx: 'optional', rx: 'required' },
      Voice: { tx: 'off', rx: 'optional', ...BY },
      Video: { tx: 'optional', rx: 'off', ...BY },
    }
    expect(answerOf(chat, offer, choiceOf(offer, chat))).toMatchObject({
      Chat: { tx: true, rx: true },
      Voice: { tx: false, rx: true },
      Video: { tx: false, rx: false },
    })
  })

  it('is carried out when all that was answered is on', () => {
    expect(covers(voice, { Chat: chat.Chat, Voice: { tx: true, rx: true, ...BY } })).toBe(true)
    expect(covers(chat, { Voice: { tx: true, rx: true, ...BY } })).toBe(false)
  })

  it('an answer to an own offer that breaks a required is a refusal', () => {
    expect(
      isRefusal(offered, {
        Chat: { tx: true, rx: true },
        Voice: { tx: true, rx: true },
        Video: { tx: false, rx: true },
      }),
    ).toBe(false)
    expect(
      isRefusal(offered, {
        Chat: { tx: true, rx: true },
        Voice: { tx: true, rx: false },
        Video: { tx: false, rx: true },
      }),
    ).toBe(true)
    expect(isRefusal(offered, {})).toBe(true)
  })

  it('UI-8 is told in words of the page, and what one would send is never left out', () => {
    const rows = rowsOf(offered, chat)
    expect(offerTitle(rows)).toBe('offerVideo')
    expect(offerFacts(rows)).toEqual(['rowVoiceBoth', 'rowVideoIn'])
    expect(choices(rows)).toEqual(['Video'])
    const takesCamera = rowsOf(
      { Video: { tx: 'required', rx: 'off', ...BY }, Screen: { tx: 'required', rx: 'off', ...BY } },
      chat,
    )
    expect(offerFacts(takesCamera)).toEqual(['rowVideoOut', 'rowScreenOut'])
    expect(offerTitle(rowsOf({ Screen: { tx: 'required', rx: 'off', ...BY } }, chat))).toBe(
      'offerScreenOfYours',
    )
    expect(offerTitle(rowsOf({ Screen: { tx: 'off', rx: 'required', ...BY } }, chat))).toBe('offerScreen')
    expect(offerTitle(rowsOf({ Voice: both }, chat))).toBe('offerVoice')
    expect(endings(rowsOf({ Chat: keepsChat, Voice: both }, video))).toEqual(['Video'])
    expect(offerTitle(rowsOf({ Chat: keepsChat, Voice: both }, video))).toBe('offerOther')
  })
})
