/** Runs in the page: the console in states that no other test of the pages comes to. */
import { DuologConsole } from '../../apps/agent/src/console.ts'
import { ContactError } from '../../protocol/index.ts'
import type { ContactData } from '../../apps/ui/src/sdk.ts'
import type { Conversation } from '../../apps/ui/src/conversation.ts'
import { click, drawn, offerStates, seen } from '../support/state-page.ts'
import { LONG_NAME, sceneOf, verified, withScreen, withVideo } from '../support/state-scene.ts'

document.documentElement.lang = 'en'
document.title = 'Agent’s console'
const page = new DuologConsole()
page.lang = 'en'
document.body.append(page)

const NOBODY = { on: () => {}, notes: async () => ({ notes: [] }), colleagues: async () => [] }
const refuse = async (): Promise<never> => {
  throw new ContactError('offline', 'no')
}
const AVATAR = { base_url: 'http://127.0.0.1:9/', images: [{ size: '80', file: 'ada.png' }] }

const COLLEAGUES = [
  { id: 'b1', nick: 'Bo', state: 'ready', tags: [] },
  { id: 'c1', nick: 'Cleo', state: 'paused', tags: ['bills'] },
]
const VISIT = {
  page: { url: 'https://lamps.example/oak?colour=dark', title: 'Oak lamp, dark, with a shade of linen' },
  referrer: 'https://search.example/',
}
const FORMS: ContactData['data'] = [
  {
    name: 'order',
    data: [{ name: 'number', type: 'text', desc: 'رقم الطلب', value: 'A-17', visible: true, editable: true }],
  },
]

function present(model: object): void {
  const nothing = (): void => {}
  const calls = {
    select: nothing,
    dismiss: nothing,
    dismissFailure: nothing,
    attend: nothing,
    close: nothing,
  }
  const seen = { phase: 'signed-in', way: 'nick', failure: null, incoming: [], sessions: [], selected: null }
  const identity = { agent: { id: 'a1', nick: 'Ada Lovelace', avatar: AVATAR, rights: ['supervise'] } }
  const rest = { identity, agent: NOBODY, isReady: true, connection: 'online', subscribe: () => nothing }
  page.model = { ...calls, ...seen, ...rest, ...model } as never
}

function talk(
  state: Partial<Conversation> = {},
  record: Parameters<typeof sceneOf>[1] = {},
  model: object = {},
): void {
  const { session, set } = sceneOf('agent', record)
  set(state)
  present({ sessions: [session], selected: session, ...model })
}
async function past(search: () => Promise<object>): Promise<void> {
  present({ agent: { ...NOBODY, search } })
  await click('view-past')
  await seen('past-status')
}

const signIn =
  (way: string | null, failure: string | null = null, phase = 'signed-out') =>
  (): void =>
    present({ phase, way, failure })
const OFFERED = {
  ...{ id: 'c9', nick: 'Robin', tags: ['bills', 'Italiano'], lang: 'it', expiresInMs: 30_000 },
  ...{ question: 'Is the oak lamp in stock?', initialOffer: { Voice: { tx: 'required', rx: 'required' } } },
}
const incoming = (isAnswered: boolean): object[] => [
  { offered: OFFERED, since: Date.now() - 60_000, deadlineMs: performance.now() + 20_000, isAnswered },
]

offerStates(
  {
    'sign-in-name': signIn('nick'),
    'sign-in-page': signIn('token'),
    'sign-in-connecting': signIn(null, 'offline', 'signing-in'),
    'sign-in-no-agent': signIn('oidc', 'no-agent'),
    'sign-in-over': signIn('oidc', 'unauthorized'),
    'ready-nobody': () => present({}),
    'paused-by-service': () => present({ isReady: false, failure: 'paused' }),
    'incoming-wants': () => present({ incoming: incoming(false) }),
    'incoming-answered': () => present({ incoming: incoming(true) }),
    'agent-screen': () => talk(withScreen()),
    'agent-interrupted': () => talk({ ...withVideo(), interrupted: ['Voice', 'Video'] }),
    'agent-long-name': () => {
      const peer = { nick: LONG_NAME, presence: 'here' } as const
      talk({ ...withVideo(), peer }, { visitor: { id: 'v1', nick: LONG_NAME } })
    },
    'agent-away': () => talk({ peer: { nick: 'Robin', presence: 'away' } }),
    'agent-key-changed': () => talk(verified('changed'), { secure: true }),
    'agent-key-dialog': async () => {
      talk(verified('unverified'), { secure: true })
      await click('security')
    },
    'agent-transfer': async () => {
      talk()
      await click('transfer-contact')
    },
    'agent-transfer-colleague': async () => {
      talk({}, {}, { agent: { ...NOBODY, colleagues: async () => COLLEAGUES } })
      await click('transfer-contact')
      await click('transfer-to-agent')
      await click('transfer-now')
    },
    'agent-about': async () => {
      talk({}, { secure: true, visit: VISIT, tags: ['bills'], data: FORMS })
      page.showsData = true
    },
    'notes-failed': async () => {
      talk({}, {}, { agent: { ...NOBODY, notes: refuse } })
      page.showsData = true
      await seen('note-failure')
      const { textContent } = await seen('notes')
      if (textContent?.includes('No notes yet')) throw new Error('what could not be read is said to be empty')
    },
    'past-nothing': () => past(async () => ({ contacts: [], next: null })),
    'past-failed': () => past(refuse),
  },
  async () => {
    await page.updateComplete
    page.model?.close()
    page.showsData = false
    present({ phase: 'signed-out', way: null })
    await drawn()
  },
)
