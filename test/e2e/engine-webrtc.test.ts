import { deepEqual } from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { otherSlot } from '../../protocol/index.ts'
import type { JsonValue, Observation, Slot } from '../../protocol/index.ts'
import { COLOURS } from '../support/camera.ts'
import { bundleForPage, launchChromium, servePage } from '../support/chromium.ts'
import type { ChromiumUnderTest, ServedPage } from '../support/chromium.ts'
import { type Directions, media } from '../support/engine-pair.ts'
import { ChangingNetwork } from './changing-network.ts'
import { hears, hearsSilence, sees, seesFrames } from '../support/watch.ts'

const SLOTS = ['visitor', 'agent'] as const
const rx = (medium: string) => ({ js: `page.rx('${medium}')` })
const swap = (directions: Directions): Directions =>
  Object.fromEntries(
    Object.entries(directions).map(([medium, on]) => [medium, on === 'tx' ? 'rx' : on === 'rx' ? 'tx' : on]),
  )

describe('WebRtcEngine in Chromium', () => {
  let served: ServedPage
  const browsers: Partial<Record<Slot | 'denying' | 'bare', ChromiumUnderTest>> = {}
  let pages: Record<Slot, Page> | undefined
  let state: Directions = {}

  beforeAll(async () => {
    served = await servePage(await bundleForPage(fileURLToPath(new URL('./engine-page.ts', import.meta.url))))
    browsers.visitor = await launchChromium({ camera: COLOURS.green, toneHz: 700 })
    browsers.agent = await launchChromium({ camera: COLOURS.yellow, toneHz: 1_500 })
  })
  afterAll(async () => {
    await Promise.all(Object.values(browsers).map((browser) => browser.close()))
    await served.close()
  })

  const newPage = async (
    browser: ChromiumUnderTest | undefined,
    slot: Slot,
    relay: (data: JsonValue) => void,
  ): Promise<Page> => {
    if (!browser) throw new Error('no browser')
    const page = await browser.newPage(served.url)
    await page.exposeFunction('relay', relay)
    await page.evaluate(`makePage(); page.attach('${slot}')`)
    return page
  }
  const open = async (network?: ChangingNetwork): Promise<void> => {
    state = {}
    const pass = async (to: Slot, data: JsonValue): Promise<void> => {
      const passed = network ? await network.rewrite(otherSlot(to), data) : data
      if (passed !== undefined) await page(to).evaluate(`page.engine.receive(${JSON.stringify(passed)})`)
    }
    const give = (to: Slot) => {
      let last = Promise.resolve()
      return (data: JsonValue): void => void (last = last.then(() => pass(to, data)).catch(() => {}))
    }
    pages = {
      visitor: await newPage(browsers.visitor, 'visitor', give('agent')),
      agent: await newPage(browsers.agent, 'agent', give('visitor')),
    }
  }
  const page = (slot: Slot): Page => {
    if (!pages) throw new Error('no page is open')
    return pages[slot]
  }
  const transit = (slot: Slot, from: Directions, to: Directions) =>
    page(slot).evaluate(`page.transit(${JSON.stringify(media(from))}, ${JSON.stringify(media(to))})`)
  const both = async (to: Directions): Promise<void> => {
    expect(
      await Promise.all([transit('visitor', state, to), transit('agent', swap(state), swap(to))]),
    ).toEqual(['done', 'done'])
    state = to
  }
  const counts = (page: Page) =>
    page.evaluate(
      `({ live: page.captured.filter((t) => t.readyState === 'live').length, open: page.connections.filter((c) => c.signalingState !== 'closed').length, intervals: page.intervals.size })`,
    )

  /** What the engine of a page with no other side says when it is asked to transmit. */
  const alone = async (
    browser: ChromiumUnderTest | undefined,
    to: Directions,
    prepare = '',
  ): Promise<unknown> => {
    const page = await newPage(browser, 'visitor', () => {})
    await page.evaluate(prepare)
    const outcome = await page.evaluate<{ readonly code: string }>(
      `page.transit({}, ${JSON.stringify(media(to))})`,
    )
    await page.evaluate('page.engine.undo({})')
    expect(await counts(page)).toEqual({ live: 0, open: 0, intervals: 0 })
    await page.context().close()
    return outcome.code
  }

  afterEach(async () => {
    if (!pages) return
    for (const slot of SLOTS) {
      await page(slot).evaluate('page.engine.stop()')
      deepEqual(await counts(page(slot)), { live: 0, open: 0, intervals: 0 })
      deepEqual(await page(slot).evaluate('page.events'), [])
      await page(slot).context().close()
      deepEqual(browsers[slot]?.pageErrors, [])
    }
    pages = undefined
  })

  it('ENG-5 decoded pictures and tones flow both ways, Video is upgraded and hung up alone, and Voice goes on', async () => {
    await open()
    await both({ Voice: 'tx rx' })
    await Promise.all([hears(page('agent'), rx('Voice'), 700), hears(page('visitor'), rx('Voice'), 1_500)])
    await both({ Voice: 'tx rx', Video: 'tx rx' })
    await Promise.all([
      sees(page('agent'), rx('Video'), COLOURS.green),
      sees(page('visitor'), rx('Video'), COLOURS.yellow),
    ])
    await both({ Voice: 'tx rx' })
    expect(await counts(page('visitor'))).toEqual({ live: 1, open: 1, intervals: 0 })
    await Promise.all([hears(page('agent'), rx('Voice'), 700), hears(page('visitor'), rx('Voice'), 1_500)])
    await both({})
    expect(await counts(page('visitor'))).toEqual({ live: 0, open: 0, intervals: 0 })
  })

  it('ENG-5 the agent shares a screen while the visitor shows the camera', async () => {
    await open()
    await both({ Video: 'tx', Screen: 'rx' })
    await sees(page('agent'), rx('Video'), COLOURS.green)
    await seesFrames(page('visitor'), rx('Screen'))
    expect(
      await page('visitor').evaluate("page.rx('Screen').getTracks().map(({ kind }) => kind).sort()"),
    ).toEqual(['audio', 'video'])
  })

  it('ENG-7 SND-10 muted is silent and black for the other side, and stays so over off and on', async () => {
    await open()
    await both({ Voice: 'tx', Video: 'tx' })
    await Promise.all([
      hears(page('agent'), rx('Voice'), 700),
      sees(page('agent'), rx('Video'), COLOURS.green),
    ])
    await page('visitor').evaluate('page.engine.muteLocalAudio(); page.engine.muteLocalVideo()')
    await Promise.all([hearsSilence(page('agent'), rx('Voice')), sees(page('agent'), rx('Video'), [0, 0, 0])])
    await both({})
    await both({ Voice: 'tx', Video: 'tx' })
    await sees(page('agent'), rx('Video'), [0, 0, 0])
    await hearsSilence(page('agent'), rx('Voice'))
    await page('visitor').evaluate('page.engine.unmuteLocalAudio(); page.engine.unmuteLocalVideo()')
    await Promise.all([
      hears(page('agent'), rx('Voice'), 700),
      sees(page('agent'), rx('Video'), COLOURS.green),
    ])
    expect(
      await page('visitor').evaluate('[page.engine.isLocalAudioMuted, page.engine.isLocalVideoMuted]'),
    ).toEqual([false, false])
    // Each of the four is told (SND-10), and nothing else.
    expect(await page('visitor').evaluate('page.events.splice(0)')).toEqual(
      Array.from({ length: 4 }, () => ({ type: 'controls_changed' })),
    )
    // And the other side is told (ENG-27), over the second connection anew.
    expect(await page('agent').evaluate('page.events.splice(0)')).toEqual(
      [['Voice'], ['Voice', 'Video'], ['Voice', 'Video'], ['Video'], []].map((muted) => ({
        type: 'remote_muted',
        muted,
      })),
    )
  })

  it('ENG-8 50 toggles of Video leave the number of SDP sections as it was', async () => {
    await open()
    await both({ Voice: 'tx rx' })
    const sections = () =>
      page('visitor').evaluate('page.connections.map((c) => c.localDescription.sdp.match(/^m=/gm).length)')
    const before = await sections()
    for (let i = 0; i < 50; i++) await both(i % 2 ? { Voice: 'tx rx' } : { Voice: 'tx rx', Video: 'tx rx' })
    expect(await sections()).toEqual(before)
    await both({ Voice: 'tx rx', Video: 'rx' })
    await sees(page('visitor'), rx('Video'), COLOURS.yellow)
  })

  it('ENG-9 ENG-10 a picture that is on and does not flow is noticed within 5 s, beside the sound that flows, and flow is noticed again', async () => {
    await open()
    await both({ Voice: 'tx rx', Video: 'tx' })
    await Promise.all([
      sees(page('agent'), rx('Video'), COLOURS.green),
      hears(page('agent'), rx('Voice'), 700),
    ])
    const observed = (what: string) =>
      page('agent').waitForFunction(`page.observations.at(-1)?.${what}`, undefined, {
        timeout: 5_000,
        polling: 50,
      })
    await observed('media.Video.rx.frameRate > 5')
    await observed('media.Voice.tx.level > 0.005')
    const {
      media: flows,
      score,
      roundTripMs,
    } = (await page('agent').evaluate('page.observations.at(-1)')) as Observation
    expect([
      flows['Voice']?.tx?.isFlowing,
      flows['Voice']?.rx?.isFlowing,
      flows['Video']?.rx?.isFlowing,
      flows['Video']?.tx,
    ]).toEqual([true, true, true, undefined])
    expect([score > 4, (roundTripMs ?? 1_000) < 100]).toEqual([true, true])
    await page('visitor').evaluate(
      'window.kept = page.connections[0].getSenders()[1].track; page.connections[0].getSenders()[1].replaceTrack(null)',
    )
    await observed('media.Video.rx.isFlowing === false')
    await page('visitor').evaluate('page.connections[0].getSenders()[1].replaceTrack(kept)')
    await observed('media.Video.rx.isFlowing === true')
    expect(await page('agent').evaluate('page.events.splice(0)')).toEqual([
      { type: 'liveness', silent: ['Video'], step: 'ice_restart' },
      { type: 'liveness', silent: [], step: null },
    ])
    await Promise.all([seesFrames(page('agent'), rx('Video')), hears(page('agent'), rx('Voice'), 700)])
  })

  it('ENG-18 a party goes to another network: ICE restarts, and the call goes on', async () => {
    const network = new ChangingNetwork()
    try {
      await open(network)
      await both({ Voice: 'tx rx', Video: 'tx' })
      await Promise.all([
        sees(page('agent'), rx('Video'), COLOURS.green),
        hears(page('visitor'), rx('Voice'), 1_500),
      ])
      expect(network.passed).toBeGreaterThan(10)
      const ufrag = 'page.connections[0].localDescription.sdp.match(/ice-ufrag:.*/)[0]'
      const before = await page('visitor').evaluate(ufrag)
      await network.change()
      await page('visitor').waitForFunction(`${ufrag} !== ${JSON.stringify(before)}`, undefined, {
        timeout: 15_000,
        polling: 50,
      })
      await Promise.all([
        seesFrames(page('agent'), rx('Video'), 5, 15_000),
        hears(page('visitor'), rx('Voice'), 1_500, 15_000),
      ])
      expect(await page('visitor').evaluate('page.connections.map((c) => c.connectionState)')).toEqual([
        'connected',
      ])
      for (const slot of SLOTS) {
        await page(slot).waitForFunction(
          `!page.events.findLast(({ type }) => type === 'liveness')?.silent.length`,
          undefined,
          { timeout: 5_000, polling: 50 },
        )
        expect(
          await page(slot).evaluate(`page.events.splice(0).filter(({ type }) => type !== 'liveness')`),
        ).toEqual([])
      }
    } finally {
      await network.close()
    }
  })

  it('ENG-13 denied, missing and insecure are told apart', async () => {
    browsers.denying = await launchChromium({ permissions: 'deny' })
    browsers.bare = await launchChromium({ noCamera: true })
    expect([
      await alone(browsers.denying, { Voice: 'tx' }),
      await alone(browsers.denying, { Video: 'tx' }),
      await alone(browsers.denying, { Screen: 'tx' }),
      await alone(browsers.bare, { Video: 'tx' }),
      await alone(
        browsers.visitor,
        { Voice: 'tx' },
        "Object.defineProperty(navigator, 'mediaDevices', { value: undefined }); Object.defineProperty(window, 'isSecureContext', { value: false })",
      ),
    ]).toEqual([
      'media_denied',
      'media_denied',
      'media_dismissed',
      'media_not_found',
      'media_insecure_context',
    ])
  })
})
