/** Runs in the page: the widget in states that no other test of the pages comes to. */
import { DuologWidget } from '../../apps/visitor/src/widget.ts'
import '../../apps/visitor/src/earlier-element.ts'
import { ContactError } from '../../protocol/index.ts'
import type { Conversation } from '../../apps/ui/src/conversation.ts'
import { LONGEST_MS } from '../../apps/ui/src/voice-recorder.ts'
import { click, drawn, offerStates, seen } from '../support/state-page.ts'
import {
  ASKED,
  AT,
  LONG_NAME,
  inCall,
  quality,
  sceneOf,
  verified,
  withScreen,
  withVideo,
} from '../support/state-scene.ts'
import type { Scene } from '../support/state-scene.ts'

const FIELDS = [
  { name: 'mail', label: 'E-mail for the bill', type: 'email', required: true },
  { name: 'news', label: 'I would like your news', type: 'checkbox' },
] as const

document.documentElement.lang = 'en'
document.title = 'Shop'
document.body.innerHTML = '<main><h1>Shop</h1><p>Lamps made by hand.</p></main>'
const widget = new DuologWidget()
document.body.append(widget)

const failing = async (): Promise<never> => {
  throw new ContactError('offline', 'no')
}
const past = (id: string, agent: string): object => ({
  ...{ id, agent, created: new Date(AT).toISOString(), messages: 2 },
})
const history = async () => ({ contacts: [past('p1', 'Ada'), past('p2', 'Bo')], before: 'p2' })

function present(model: object): void {
  const rest = { close: () => {}, subscribe: () => () => {}, rate: async () => {} }
  const earlier = { history, readTranscript: failing }
  widget.model = { session: null, failure: null, isUnattended: false, earlier, ...rest, ...model } as never
}

function talk(
  state: Partial<Conversation> = {},
  record: Parameters<typeof sceneOf>[1] = {},
  run: (scene: Scene) => void = () => {},
): void {
  const scene = sceneOf('visitor', record)
  scene.set(state)
  run(scene)
  scene.fake.emit('datachange', { data: scene.fake.record } as never)
  present({ phase: 'conversation', session: scene.session })
}

const secure = (state: Parameters<typeof verified>[0]): void => talk(verified(state), { secure: true })
const offered = (status: 'asking' | 'answered', media: object): Partial<Conversation> => ({
  offer: { offer: { Chat: ASKED, ...media } as never, status },
})
const lookBack = (): void => {
  present({ phase: 'form' })
  widget.isLookingBack = true
}
const draftOf = (text: string): void => talk({}, {}, ({ session }) => (session.draft = text))
/** A conversation that is longer than its place, read at its start while one more message comes. */
async function readBack(): Promise<void> {
  const from = { ts: AT, from_id: 'a1', from_nick: 'Ada', agent: true }
  let more = (): void => {}
  talk({}, {}, ({ fake }) => {
    const say = (n: number): void =>
      fake.emit('text', { ...from, id: `n${n}`, text: `Lamp ${n} is in stock.` })
    for (let n = 0; n < 30; n += 1) say(n)
    more = () => say(30)
  })
  const list = await seen('messages')
  for (const top of [200, 0]) {
    list.scrollTop = top
    await drawn()
  }
  more()
}
/** The microphone as it answers: never, not at all, or with silence. */
const microphone = (answer: () => Promise<MediaStream>): void =>
  void Object.defineProperty(navigator.mediaDevices, 'getUserMedia', { value: answer, configurable: true })
async function voiceNote(answer: () => Promise<MediaStream>): Promise<void> {
  microphone(answer)
  talk()
  await click('voice-note')
  await widget.updateComplete
}
const silence = async (): Promise<MediaStream> => new AudioContext().createMediaStreamDestination().stream
const now = performance.now.bind(performance)
const GONE = {
  list: [{ kind: 'audioinput', deviceId: 'a', label: 'Desk microphone' }],
  chosen: { audioinput: 'gone', videoinput: '', audiooutput: '' },
} as const

offerStates(
  {
    resuming: () => {},
    starting: () => present({ phase: 'starting' }),
    'start-failed': async () => {
      present({ phase: 'form', failure: 'rate_limited' })
      const [failure, start] = [await seen('start-failure'), await seen('start')]
      const isBefore = failure.compareDocumentPosition(start) & Node.DOCUMENT_POSITION_FOLLOWING
      if (!isBefore) throw new Error('what went wrong stands behind what is pressed again')
    },
    'out-of-hours': () => {
      Object.assign(widget, { hours: 'Mo 00:00-00:01', greeting: 'Our workshop answers you.' })
      present({ phase: 'form' })
    },
    'site-fields-missing': async () => {
      widget.fields = FIELDS
      present({ phase: 'form' })
      await click('start')
    },
    'nobody-there': () => present({ phase: 'form', isUnattended: true }),
    'earlier-list': lookBack,
    'earlier-failed': async () => {
      lookBack()
      await drawn()
      await click('earlier-contact')
    },
    'queue-wait': () => talk({ queue: { position: 3, expectedWaitMs: 240_000 } }, { state: 'queued' }),
    assigned: () => talk({ stage: 'assigned' }),
    'long-name': () => talk({ ...inCall(), peer: { nick: LONG_NAME, presence: 'here' } }),
    'long-name-minimised': () => {
      talk({ ...inCall(), peer: { nick: LONG_NAME, presence: 'here' }, unread: 12 })
      widget.close()
    },
    away: () => talk({ peer: { nick: 'Ada', presence: 'away' } }),
    offline: () => talk({ connection: 'offline', isPeerTyping: true }),
    elsewhere: () => talk({ ...inCall(), isElsewhere: true }),
    'elsewhere-no-call': () => talk({ isElsewhere: true }),
    'not-sent': () =>
      talk({}, {}, ({ fake, session }) => {
        fake.failures.set('sendText', new ContactError('rate_limited', 'no'))
        session.send('Could I see it lit?')
      }),
    'dropping-files': async () => {
      talk()
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(['oak'], 'lamp.txt'))
      const field = await seen('messages')
      field.dispatchEvent(new DragEvent('dragover', { dataTransfer, bubbles: true, composed: true }))
    },
    uploading: () =>
      talk({}, {}, ({ fake, session }) => {
        fake.attachProgress = 0.4
        session.files.send([new File(['x'.repeat(300_000)], 'drawing of the oak lamp, seen from below.pdf')])
      }),
    'too-long': async () => {
      draftOf('lamp '.repeat(2000))
      await click('send')
    },
    'newer-messages': readBack,
    'voice-note-asking': () => voiceNote(() => new Promise(() => {})),
    'voice-note-refused': () =>
      voiceNote(async () => {
        throw new DOMException('no', 'NotAllowedError')
      }),
    'voice-note-recording': () => voiceNote(silence),
    'voice-note-full': async () => {
      await voiceNote(silence)
      await seen('voice-note-send')
      performance.now = () => now() + LONGEST_MS
    },
    'no-camera': () => talk({ problem: { code: 'media_denied', what: 'call', kind: 'video' } }),
    'offer-video': () => talk(offered('asking', { Voice: ASKED, Video: { ...ASKED, rx: 'optional' } })),
    'call-with-screen': () => talk(withScreen()),
    'interrupted-microphone': () => talk({ ...inCall(), interrupted: ['Voice'] }),
    'interrupted-both': () => talk({ ...withVideo(), interrupted: ['Voice', 'Video'] }),
    'silent-sound-video': () => talk({ ...withVideo(), isSilent: true }),
    'poor-network': () => talk({ ...inCall(), ...quality(1.5) }),
    'nothing-heard': () => talk({ ...inCall(), ...quality(1.5, ['Voice']) }),
    'nothing-comes-back': () => talk({ ...withVideo(), ...quality(1, ['Video'], true) }),
    'call-ending': () => talk({ ...inCall(), stopping: { isCall: true, media: {} } as never }),
    'device-gone': async () => {
      talk({ ...inCall(), devices: GONE })
      await click('choose-devices')
    },
    'minimised-held-poor': () => {
      talk({ ...inCall(), ...quality(1.5), isHeldByPeer: true })
      widget.close()
    },
    'minimised-silent': () => {
      talk({ ...inCall(), isSilent: true, isHeldByPeer: true, unread: 1 })
      widget.close()
    },
    ringing: () => {
      talk({ ...offered('asking', { Voice: ASKED }), unread: 2 })
      widget.close()
    },
    'key-agreeing': () => secure('agreeing'),
    'key-unverified': () => secure('unverified'),
    'key-verified': () => secure('verified'),
    'key-changed': () => secure('changed'),
    'key-broken': () => secure('broken'),
    'nobody-free': () => talk({ stage: 'ended', ending: 'dissuasion' }, { state: 'queued' }),
    ...Object.fromEntries(
      (['agreeing', 'unverified', 'verified', 'changed', 'broken'] as const).map((state) => [
        `dialog-${state}`,
        async () => {
          secure(state)
          await click(state === 'changed' ? 'compare-keys' : 'security')
        },
      ]),
    ),
  },
  async () => {
    await widget.updateComplete
    performance.now = now
    widget.model?.close()
    Object.assign(widget, { hours: '', greeting: '', fields: [], isLookingBack: false })
    present({ phase: 'resuming' })
    widget.open()
  },
)
