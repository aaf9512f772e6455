import { describe, it } from 'vitest'
import { NativeEngine, WebRtcEngine } from '../../engines/index.ts'
import { FakeEngine, describeMediaEngine } from '../../testing/index.ts'
import { NodeDevices, countingImplementation } from '../support/node-media.ts'
import { makeFake } from './fake-rig.ts'

describeMediaEngine('ENG-3 ENG-4 NativeEngine', () => ({ engine: new NativeEngine() }), { describe, it })

describeMediaEngine(
  'ENG-3 FakeEngine without devices',
  () => ({ engine: new FakeEngine({ id: 'Fake', media: ['Voice', 'Video'] }) }),
  { describe, it },
)

describeMediaEngine('ENG-3 FakeEngine', makeFake, {
  describe,
  it,
  has: ['devices', 'connections', 'muting', 'exchange'],
})

describeMediaEngine(
  'ENG-3 ENG-5 WebRtcEngine',
  () => {
    const [devices, counted] = [new NodeDevices(), countingImplementation()]
    const engine = new WebRtcEngine({ mediaDevices: devices, wrtc: counted.wrtc })
    const kinds: Readonly<Record<string, string>> = { Voice: 'audio', Video: 'video', Screen: 'video' }
    return {
      engine,
      probes: {
        devices: {
          inUse: () => devices.live,
          questions: () => devices.asked.length,
          hold: () => devices.hold(),
          answer: () => devices.answer(),
          refuse: () =>
            void devices.failures.push(
              Object.assign(new Error('Permission denied'), { name: 'NotAllowedError' }),
            ),
          end: (medium) => devices.unplug(kinds[medium] ?? ''),
        },
        connections: () => counted.open(),
        muting: {
          medium: 'Voice',
          mute: () => engine.muteLocalAudio(),
          unmute: () => engine.unmuteLocalAudio(),
          isSilent: () =>
            devices.tracks.every(({ readyState, enabled }) => readyState !== 'live' || !enabled),
        },
        exchange: () => engine.resumeCapture('Voice'),
      },
    }
  },
  { describe, it, has: ['devices', 'connections', 'muting', 'exchange'] },
)
