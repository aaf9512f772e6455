/** For each law of the `cancel`, `stop` and `signals` conformance files, an engine that breaks it. */
import {
  broken,
  noise,
  leak,
  failing,
  deaf,
  keepsLate,
  both,
  stopped,
  undone,
  called,
  data,
} from './breaks.ts'
import { text } from './fake-rig.ts'
import type { Break } from './fake-rig.ts'

/** Each breaks the law of its name. */
export const BROKEN_ENDINGS: Readonly<Record<string, Break>> = {
  'aborted-before': (rig) => ({
    transit: (transition) => (transition.signal.aborted ? Promise.resolve() : rig.engine.transit(transition)),
  }),
  'abort-asking': deaf(({ isHeld }, { signal }) => isHeld && signal.aborted),
  'late-device': keepsLate((rig) => rig.calls.at(-1)?.startsWith('transit') === true),
  'abort-connecting': deaf((_rig, { to, signal }) => text(to) === 'Voice:rx' && signal.aborted),
  'abort-too-late': (rig) => ({
    async transit(transition) {
      await rig.engine.transit(transition)
      transition.signal.addEventListener('abort', () => (rig.engine.carried = {}))
    },
  }),
  'works-after-abort': failing(
    ({ ends }, { to }) => ends.includes('transit left') && text(to) === 'Voice:tx rx',
  ),
  'undo-at-first': (rig) => ({
    undo: (to) =>
      text(to) === '' && rig.ends.length === 0 && called(rig, 'prepare') + called(rig, 'transit') === 0
        ? Promise.reject(broken())
        : rig.engine.undo(to),
  }),
  'undo-brings-back': (rig) => ({
    async undo(to) {
      const wereOn = both(rig)
      await rig.engine.undo(to)
      if (wereOn) await leak(rig)
    },
  }),
  'undo-twice': (rig) => ({
    undo: (to) => (called(rig, 'undo') === 2 ? Promise.reject(broken()) : rig.engine.undo(to)),
  }),
  'undo-to-nothing': (rig) => ({
    async undo(to) {
      const wasOn = text(rig.engine.carried) !== ''
      await rig.engine.undo(to)
      if (wasOn && text(to) === '') await leak(rig)
    },
  }),
  'undo-ends-transit': deaf((rig, { signal }) => !signal.aborted && undone(rig)),
  'undo-of-hang-up': (rig) => ({
    undo: (to) =>
      rig.calls.at(-2) === 'transit ' && text(to) !== '' ? Promise.reject(broken()) : rig.engine.undo(to),
  }),
  'stop-at-first': (rig) => ({
    stop: () =>
      rig.calls.every((call) => call.startsWith('capabilities') || call.startsWith('stop'))
        ? Promise.reject(broken())
        : rig.engine.stop(),
  }),
  'stop-again': (rig) => ({
    stop: () => (called(rig, 'stop') > 1 ? Promise.reject(broken()) : rig.engine.stop()),
  }),
  'stop-in-a-call': (rig) => ({
    async stop() {
      const wereOn = text(rig.engine.carried) === 'Voice:tx rx, Video:tx'
      await rig.engine.stop()
      if (wereOn) await leak(rig)
    },
  }),
  'stop-asking': keepsLate((rig) => stopped(rig) && rig.calls.at(-2)?.startsWith('transit') === true),
  'stop-preparing': keepsLate((rig) => stopped(rig) && rig.calls.at(-2)?.startsWith('prepare') === true),
  'stop-undoing': keepsLate((rig) => stopped(rig) && rig.calls.at(-2)?.startsWith('undo') === true),
  'stop-connecting': deaf(
    (rig, { to, signal }) => text(to) === 'Voice:rx' && stopped(rig) && !signal.aborted,
  ),
  'silent-after-stop': (rig) => ({
    receive(signal) {
      rig.engine.receive(signal)
      if (rig.calls.at(-1)?.startsWith('stop') === true)
        rig.engine.host?.report({ type: 'data_changed', medium: 'Voice' })
    },
  }),
  'starts-afresh': failing(stopped),
  'signals-are-json': (rig) => ({
    attach: (host) =>
      rig.engine.attach({
        ...host,
        signal: (signal) => host.signal({ ...(signal as object), at: undefined } as never),
      }),
  }),
  'rejects-never-throws': (rig) => ({
    prepare: (media) => {
      if ('Nonsense' in media) throw broken()
      return rig.engine.prepare(media)
    },
  }),
  'survives-garbage': (rig) => ({
    receive(signal) {
      if (signal === null) throw broken()
      rig.engine.receive(signal)
    },
  }),
  'no-consent-no-device': (rig) =>
    data(rig, (sound) =>
      rig.heard.includes('hello') && called(rig, 'transit') === 0 ? { Voice: {} } : sound,
    ),
  'no-consent-no-connection': (rig) => ({
    receive(signal) {
      rig.engine.receive(signal)
      if (rig.heard.at(-1) === 'hello' && called(rig, 'transit') === 0) rig.engine.host?.signal(noise)
    },
  }),
  'late-signals': (rig) => ({
    receive(signal) {
      rig.engine.receive(signal)
      if (rig.slot === 'agent' && rig.heard.filter((word) => word === 'hello').length > 4)
        rig.engine.host?.report({ type: 'data_changed', medium: 'Voice' })
    },
  }),
}
