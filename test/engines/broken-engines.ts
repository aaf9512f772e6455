/** For each law of the conformance kit, an engine that breaks it. */
import type { EngineHost, EngineTransition, MediaEngine } from '../../engines/index.ts'
import { ContactError } from '../../protocol/index.ts'
import type { JsonValue } from '../../protocol/index.ts'
import { codeOf, text } from './fake-rig.ts'
import type { Break, Overrides, Rig } from './fake-rig.ts'

const broken = (): ContactError =>
  new ContactError('engine_failed', 'unable to go on; the engine is broken on purpose')
const never = (): Promise<never> => new Promise(() => {})
const noise: JsonValue = { fake: 'noise' }

/** Does something else where an operation fails. */
const otherwise = async (
  operation: Promise<void>,
  instead: (error: unknown) => Promise<never> | undefined,
): Promise<void> => {
  try {
    await operation
  } catch (error) {
    await instead(error)
    throw error
  }
}

/** Leaves a device in use that the engine does not know. */
const leak = async ({ devices }: Rig): Promise<void> => void (await devices.ask('Video'))

/** Does something to certain transitions of the visitor, after them. */
const after =
  (from: string | undefined, to: string, act: (rig: Rig, transition: EngineTransition) => unknown): Break =>
  (rig) => ({
    async transit(transition) {
      await rig.engine.transit(transition)
      if (
        rig.slot === 'visitor' &&
        text(transition.to) === to &&
        (from === undefined || text(transition.from) === from)
      )
        await act(rig, transition)
    },
  })

/** Fails certain transitions. */
const failing =
  (matches: (rig: Rig, transition: EngineTransition) => boolean): Break =>
  (rig) => ({
    transit: (transition) =>
      matches(rig, transition) ? Promise.reject(broken()) : rig.engine.transit(transition),
  })

/** Never settles where the sound engine ends a transition with `left`. */
const deaf =
  (matches: (rig: Rig, transition: EngineTransition) => boolean): Break =>
  (rig) => ({
    transit: (transition) =>
      otherwise(rig.engine.transit(transition), (error) =>
        codeOf(error) === 'left' && matches(rig, transition) ? never() : undefined,
      ),
  })

/** Keeps a device that comes late, where it should be given back. */
const keepsLate =
  (matches: (rig: Rig) => boolean): Break =>
  (rig) => ({
    answer: () => {
      rig.devices.answer()
      if (matches(rig)) void leak(rig)
    },
  })

const both = (rig: Rig): boolean => text(rig.engine.carried) === 'Voice:tx rx, Video:tx rx'
const stopped = (rig: Rig): boolean => rig.calls.some((call) => call.startsWith('stop'))
const undone = (rig: Rig): boolean => rig.calls.some((call) => call.startsWith('undo'))
const called = (rig: Rig, operation: string): number =>
  rig.calls.filter((call) => call.startsWith(operation)).length

const reporting =
  (change: (host: EngineHost, rig: Rig) => EngineHost['report']): Break =>
  (rig) => ({ attach: (host) => rig.engine.attach({ ...host, report: change(host, rig) }) })

const data = (rig: Rig, of: (sound: ReturnType<MediaEngine['data']>) => object): Overrides => ({
  data: () => of(rig.engine.data()) as ReturnType<MediaEngine['data']>,
})

/** Each breaks the law of its name. */
export const BREAKS: Readonly<Record<string, Break>> = {
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
