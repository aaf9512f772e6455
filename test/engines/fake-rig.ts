import type { MediaEngine } from '../../engines/index.ts'
import { ContactError } from '../../protocol/index.ts'
import type { PartialMediaState, Slot } from '../../protocol/index.ts'
import { FakeDevices, FakeEngine } from '../../testing/index.ts'
import type { EngineProbes, EngineUnderTest } from '../../testing/index.ts'

/** A sound engine, and what has happened to it. */
export interface Rig {
  readonly slot: Slot
  readonly engine: FakeEngine
  readonly devices: FakeDevices
  /** Operations so far, as `transit Voice:tx rx`. */
  readonly calls: string[]
  /** What the engine answered to each operation, as `prepare left`. */
  readonly ends: string[]
  /** Words received. */
  readonly heard: string[]
  isHeld: boolean
}

export type Overrides = Partial<MediaEngine> &
  Partial<
    NonNullable<EngineProbes['devices']> &
      Pick<NonNullable<EngineProbes['muting']>, 'mute' | 'unmute'> &
      Pick<Required<EngineProbes>, 'exchange'>
  >
export type Break = (rig: Rig) => Overrides

export const codeOf = (error: unknown): string => (error instanceof ContactError ? error.code : 'unknown')

/** Media as text: `Voice:tx rx, Video:tx`. */
export const text = (media: PartialMediaState): string =>
  Object.entries(media)
    .map(
      ([medium, details]) =>
        `${medium}:${[details?.tx && 'tx', details?.rx && 'rx'].filter(Boolean).join(' ')}`,
    )
    .join(', ')

function watched(rig: Rig, engine: MediaEngine): MediaEngine {
  const note = (name: string, media?: PartialMediaState): void =>
    void rig.calls.push(`${name} ${media ? text(media) : ''}`)
  const end = async (name: string, promise: Promise<void>): Promise<void> => {
    try {
      await promise
      rig.ends.push(`${name} done`)
    } catch (error) {
      rig.ends.push(`${name} ${codeOf(error)}`)
      throw error
    }
  }
  return {
    id: engine.id,
    capabilities: () => (note('capabilities'), engine.capabilities()),
    attach: (host) => engine.attach(host),
    prepare: (media, agreed) => (
      note(agreed ? 'agreed' : 'prepare', media),
      end(agreed ? 'agreed' : 'prepare', engine.prepare(media, agreed))
    ),
    transit: (transition) => (note('transit', transition.to), end('transit', engine.transit(transition))),
    undo: (to) => (note('undo', to), end('undo', engine.undo(to))),
    receive: (signal) => {
      rig.heard.push(
        typeof signal === 'object' && signal !== null && 'fake' in signal && typeof signal.fake === 'string'
          ? signal.fake
          : 'garbage',
      )
      engine.receive(signal)
    },
    data: () => engine.data(),
    controls: () => engine.controls?.() ?? { muted: [], held: false },
    setControls: (controls) => engine.setControls?.(controls),
    stop: () => (note('stop'), engine.stop()),
  }
}

/** A fake engine with its probes; sound, or broken in one way. */
export function makeFake(slot: Slot, breaks: Break = () => ({})): EngineUnderTest {
  const devices = new FakeDevices()
  const engine = new FakeEngine({ id: 'Fake', media: ['Voice', 'Video'], devices, connects: true })
  const rig: Rig = { slot, engine, devices, calls: [], ends: [], heard: [], isHeld: false }
  const own = breaks(rig)
  const sound: MediaEngine = {
    id: engine.id,
    capabilities: () => engine.capabilities(),
    attach: (host) => engine.attach(host),
    prepare: (media) => engine.prepare(media),
    transit: (transition) => engine.transit(transition),
    undo: (to) => engine.undo(to),
    receive: (signal) => engine.receive(signal),
    data: () => engine.data(),
    controls: () => engine.controls(),
    setControls: (controls) => engine.setControls(controls),
    stop: () => engine.stop(),
  }
  return {
    engine: watched(rig, { ...sound, ...own }),
    probes: {
      devices: {
        inUse: () => devices.inUse.length,
        questions: () => devices.asked.length,
        hold: () => {
          rig.isHeld = true
          devices.hold()
        },
        answer: own.answer ?? (() => devices.answer()),
        refuse: () => devices.refuse('media_denied'),
        end: (medium) => devices.end(medium),
      },
      connections: () => (engine.isConnected ? 1 : 0),
      muting: {
        medium: 'Voice',
        mute: () => (rig.calls.push('mute'), (own.mute ?? engine.muteLocalAudio)()),
        unmute: () => (rig.calls.push('unmute'), (own.unmute ?? engine.unmuteLocalAudio)()),
        isSilent: () => devices.captures.every(({ isLive, isMuted }) => !isLive || isMuted),
      },
      exchange: own.exchange ?? (() => engine.exchange('Voice')),
    },
  }
}
