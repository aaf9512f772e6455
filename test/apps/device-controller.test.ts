import { beforeEach, describe, expect, it } from 'vitest'
import type { ConversationEvent } from '../../apps/ui/src/conversation-fold.ts'
import type { Conversation } from '../../apps/ui/src/conversation.ts'
import { DeviceController } from '../../apps/ui/src/device-controller.ts'
import { DeviceMemory } from '../../apps/ui/src/device-memory.ts'
import type { Contact } from '../../apps/ui/src/sdk.ts'
import { settled } from '../../testing/test-clock.ts'

const LIST = [
  { kind: 'audioinput', deviceId: 'default', label: 'Default' },
  { kind: 'audioinput', deviceId: 'mic', label: 'Microphone' },
  { kind: 'videoinput', deviceId: 'cam', label: 'Camera' },
  { kind: 'audiooutput', deviceId: 'box', label: 'Loudspeaker' },
] as const

/** A page with its engine, as far as devices go. */
function page(memory: DeviceMemory) {
  const chosen = new Map<string, string | null>()
  const told: ConversationEvent[] = []
  const engine = {
    listDevices: (): Promise<readonly object[]> => Promise.resolve(LIST),
    chosenDevice: (medium: string) => chosen.get(medium) ?? null,
    chooseDevice: (medium: string, deviceId: string | null) =>
      Promise.resolve(void chosen.set(medium, deviceId)),
    hold: () => {},
    resume: () => {},
  }
  const contact = { getMediaEngine: () => engine } as unknown as Contact
  const desk = new DeviceController(
    contact,
    { state: () => ({}) as Conversation, tell: (event) => void told.push(event), now: () => 0 },
    memory,
  )
  return { desk, engine, chosen, told }
}

describe('choice of devices in the pages', () => {
  const stored = new Map<string, string>()
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  }
  const memory = (): DeviceMemory => new DeviceMemory(() => storage)

  beforeEach(() => stored.clear())

  it('SND-312 SND-302 a list that cannot be had is told and rejects nothing', async () => {
    const { desk, engine, told } = page(memory())
    engine.listDevices = () => Promise.reject(new Error('no list'))
    await desk.look()
    await desk.choose('audiooutput', 'box')
    expect(told.map(({ type }) => type)).toEqual(['problem', 'problem'])
  })

  it('ENG-17 what was chosen is chosen again after a page load, also the speaker; the system’s choice is none', async () => {
    const before = page(memory())
    await before.desk.choose('audioinput', 'mic')
    await before.desk.choose('videoinput', 'cam')
    await before.desk.choose('videoinput', '')
    await before.desk.choose('audiooutput', 'box')

    const after = page(memory())
    await settled()
    expect([...after.chosen]).toEqual([['Voice', 'mic']])
    expect(after.told).toEqual([
      {
        type: 'devices',
        devices: { list: LIST.slice(1), chosen: { audioinput: 'mic', videoinput: '', audiooutput: 'box' } },
      },
    ])
  })

  it.each(['no JSON', 'null', '["mic"]', '{"audioinput":1}'])(
    'ENG-17 RES-8 what is stored may be %s: nothing is chosen',
    async (text) => {
      stored.set('duolog.devices', text)
      const { chosen, told } = page(memory())
      await settled()
      expect([[...chosen], told]).toEqual([[], []])
    },
  )

  it('ENG-17 RES-8 where storage is blocked devices can be chosen, for this page', async () => {
    const blocked = new DeviceMemory(() => {
      throw new DOMException('blocked', 'SecurityError')
    })
    const { desk, chosen, told } = page(blocked)
    await desk.choose('audioinput', 'mic')
    await desk.choose('audiooutput', 'box')
    expect(chosen.get('Voice')).toBe('mic')
    expect(told.at(-1)).toMatchObject({ devices: { chosen: { audioinput: 'mic', audiooutput: 'box' } } })
  })
})
