/** For each law of `transit-conformance.ts`, an engine that breaks it. */
import {
  broken,
  never,
  noise,
  otherwise,
  leak,
  after,
  failing,
  both,
  called,
  reporting,
  data,
} from './breaks.ts'
import { codeOf, text } from './fake-rig.ts'
import type { Break } from './fake-rig.ts'

/** Each breaks the law of its name. */
export const BROKEN_TRANSITS: Readonly<Record<string, Break>> = {
  named: () => ({ id: 'two words' }),
  'lists-media': () => ({
    capabilities: () => Promise.resolve({ Voice: { via: 'net' }, Video: { via: '' } }),
  }),
  'capabilities-ask-nobody': (rig) => ({
    async capabilities() {
      if (called(rig, 'capabilities') === 2) (await rig.devices.ask('Voice')).isLive = false
      return rig.engine.capabilities()
    },
  }),
  'steady-capabilities': (rig) => ({
    capabilities: async () => (text(rig.engine.carried) === '' ? rig.engine.capabilities() : {}),
  }),
  'quiet-attach': (rig) => ({
    attach: (host) => {
      rig.engine.attach(host)
      if (rig.slot === 'visitor') host.signal(noise)
    },
  }),
  'nothing-on-at-first': (rig) =>
    data(rig, (sound) =>
      rig.slot === 'agent' || called(rig, '') > called(rig, 'capabilities') ? sound : { Voice: {} },
    ),
  'both-ways': failing((_rig, { to }) => text(to) === 'Video:tx rx'),
  'all-together': failing(
    (_rig, { from, to }) => text(from) === '' && text(to) === 'Voice:tx rx, Video:tx rx',
  ),
  'one-way': failing((_rig, { from, to }) => text(from) === 'Voice:rx' && text(to) === 'Video:tx'),
  'visitor-first': failing(
    ({ slot, heard, calls }) => slot === 'agent' && heard.join() === 'hello' && calls.length === 2,
  ),
  'agent-first': failing(
    ({ slot, heard, calls }) => slot === 'visitor' && heard.join() === 'hello' && calls.length === 2,
  ),
  'data-is-objects': (rig) => data(rig, (sound) => ({ ...sound, ...('Video' in sound && { Video: true }) })),
  'data-follows': (rig) =>
    data(rig, (sound) =>
      rig.calls.at(-1) === 'transit Video:tx' && rig.calls.at(-2) === 'transit Voice:tx rx, Video:tx'
        ? { ...sound, Voice: {} }
        : sound,
    ),
  'arguments-stay': (rig) => ({
    transit(transition) {
      if (transition.wasOffered) Object.assign(transition.to, { Voice: {} })
      return rig.engine.transit(transition)
    },
  }),
  'same-again': after('Voice:tx rx', 'Voice:tx rx', leak),
  'many-changes': after(
    undefined,
    'Voice:tx rx, Video:rx',
    (rig) => called(rig, 'transit') > 30 && rig.engine.host?.clock.setTimeout(() => {}, 1),
  ),
  'hang-up-alone': (rig) => ({
    async transit(transition) {
      await rig.engine.transit(transition)
      if (rig.slot === 'agent' || text(transition.to) !== '') return
      for (let i = 0; i < 10 && !rig.heard.includes('bye'); i++)
        await new Promise((resolve) => setTimeout(resolve, 5))
      if (!rig.heard.includes('bye')) throw broken()
    },
  }),
  'hang-up-gives-back': (rig) => ({
    async transit(transition) {
      const wereOn = both(rig)
      await rig.engine.transit(transition)
      if (wereOn && text(transition.to) === '') await leak(rig)
    },
  }),
  'calls-again': failing(
    (rig, { from, to }) => text(from) === '' && text(to) === 'Video:rx' && called(rig, 'transit') > 1,
  ),
  'quiet-call': (rig) => {
    let byeAt: number | undefined
    return {
      receive(signal) {
        if (JSON.stringify(signal).includes('bye')) byeAt = rig.engine.host?.clock.now()
        rig.engine.receive(signal)
      },
      async transit(transition) {
        if (text(transition.to) === '' && byeAt !== undefined && (rig.engine.host?.clock.now() ?? 0) > byeAt)
          rig.engine.host?.report({ type: 'data_changed', medium: 'Voice' })
        await rig.engine.transit(transition)
      },
    }
  },
  'nobody-there': (rig) => ({
    transit: (transition) =>
      otherwise(rig.engine.transit(transition), (error) =>
        codeOf(error) === 'engine_failed' ? never() : undefined,
      ),
  }),
  'reports-loss': reporting((host) => (event) => event.type !== 'broke' && host.report(event)),
}
