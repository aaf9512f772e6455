/** For each law of `devices-conformance.ts`, an engine that breaks it. */
import { broken, never, noise, otherwise, leak, after, failing, undone, called, reporting } from './breaks.ts'
import { codeOf, text } from './fake-rig.ts'
import type { Break } from './fake-rig.ts'

/** Each breaks the law of its name. */
export const BROKEN_DEVICES: Readonly<Record<string, Break>> = {
  'receiving-asks-nobody': after(
    '',
    'Voice:rx, Video:rx',
    async ({ devices }) => void ((await devices.ask('Voice')).isLive = false),
  ),
  'transmitting-captures': after('', 'Voice:tx, Video:rx', ({ devices }) =>
    devices.captures.forEach((capture) => (capture.isLive = false)),
  ),
  'asks-once': after(
    'Voice:tx',
    'Voice:tx rx, Video:tx',
    async ({ devices }) => void ((await devices.ask('Voice')).isLive = false),
  ),
  'off-gives-back': after('Voice:tx, Video:tx', 'Video:tx', leak),
  'not-sent-not-captured': after('Voice:tx rx', 'Voice:rx', leak),
  'refusal-code': (rig) => ({
    transit: (transition) =>
      otherwise(rig.engine.transit(transition), (error) =>
        codeOf(error) === 'media_denied' ? Promise.reject(broken()) : undefined,
      ),
  }),
  'refusal-leaves-nothing': (rig) => ({
    async undo(to) {
      await rig.engine.undo(to)
      if (rig.ends.at(-1) === 'transit media_denied' && text(to) === '') await leak(rig)
    },
  }),
  'refusal-keeps-the-call': (rig) => ({
    async undo(to) {
      await rig.engine.undo(rig.ends.at(-1) === 'transit media_denied' ? {} : to)
    },
  }),
  'next-try': failing(({ ends }) => ends.includes('transit media_denied')),
  'end-is-reported': reporting((host, { engine }) => (event) => {
    host.report(event)
    if (text(engine.carried).includes('Video')) host.report(event)
  }),
  'end-is-not-asked-again': after(
    'Voice:tx',
    'Voice:tx rx',
    async ({ devices }) => void (devices.inUse.length === 0 && (await devices.ask('Voice'))),
  ),
  'end-then-again': (rig) => ({
    async transit(transition) {
      const wasThere = rig.devices.captures.some(({ isLive }) => !isLive)
      await rig.engine.transit(transition)
      if (
        wasThere &&
        rig.slot === 'visitor' &&
        text(transition.from) === '' &&
        text(transition.to) === 'Voice:tx' &&
        called(rig, 'mute') + called(rig, 'unmute') === 0
      )
        rig.devices.captures.forEach((capture) => (capture.isLive = false))
    },
  }),
  'prepare-asks-now': (rig) => ({
    async prepare(media) {
      if (!rig.isHeld) await Promise.resolve()
      await rig.engine.prepare(media)
    },
  }),
  'prepare-is-local': (rig) => ({
    async prepare(media) {
      rig.engine.host?.signal(noise)
      await rig.engine.prepare(media)
    },
  }),
  'prepared-is-used': after('', 'Voice:tx', async (rig) => {
    if (rig.ends.includes('prepare done')) (await rig.devices.ask('Voice')).isLive = false
  }),
  'prepared-is-given-back': (rig) => ({
    async undo(to) {
      await rig.engine.undo(to)
      if (rig.ends.at(-1) === 'prepare done') await leak(rig)
    },
  }),
  'agreed-waits': (rig) => ({
    data: () => (rig.ends.at(-1) === 'agreed done' ? { Voice: {} } : rig.engine.data()),
  }),
  'agreed-is-given-back': (rig) => ({
    async undo(to) {
      await rig.engine.undo(to)
      if (rig.ends.at(-1) === 'agreed done') await leak(rig)
    },
  }),
  'prepare-receives-nothing': (rig) => ({
    async prepare(media) {
      if (text(media) === 'Voice:rx') await rig.devices.ask('Voice')
      await rig.engine.prepare(media)
    },
  }),
  'prepare-refused': (rig) => ({
    prepare: (media) =>
      otherwise(rig.engine.prepare(media), (error) =>
        codeOf(error) === 'media_denied' ? Promise.reject(broken()) : undefined,
      ),
  }),
  'undo-ends-prepare': (rig) => ({
    prepare: (media) =>
      otherwise(rig.engine.prepare(media), (error) =>
        codeOf(error) === 'left' && undone(rig) ? never() : undefined,
      ),
  }),
  'undo-keeps-later-prepare': (rig) => ({
    async undo(to) {
      const before = rig.devices.asked.length
      await rig.engine.undo(to)
      for (const { medium } of rig.devices.captures.slice(before)) rig.engine.endCapture(medium)
    },
  }),
  'muted-at-first': (rig) => ({
    mute: () => called(rig, 'transit') > 0 && rig.engine.muteLocalAudio(),
    unmute: () => rig.engine.unmuteLocalAudio(),
  }),
  'controls-in-force': (rig) => ({
    setControls: (controls) => void (called(rig, 'transit') > 0 && rig.engine.setControls(controls)),
  }),
  'muted-stays': after('', 'Voice:tx rx', ({ engine }) => engine.unmuteLocalAudio()),
  'muted-exchange': ({ engine }) => ({
    async exchange() {
      await engine.exchange('Voice')
      engine.unmuteLocalAudio()
    },
  }),
  unmute: () => ({ unmute: () => {} }),
}
