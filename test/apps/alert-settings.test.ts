import { expect, it } from 'vitest'
import { AlertSettings } from '../../apps/agent/src/alert-settings.ts'
import type { Permission } from '../../apps/agent/src/alert-settings.ts'

type Answer = ReturnType<Permission['now']>

/** A browser that asks nobody: it takes `answer` where it is asked. */
function browser({ now = 'default', answer = 'granted' }: { now?: Answer; answer?: Answer } = {}) {
  const kept = new Map<string, string>()
  const state = { now, asked: 0 }
  const store = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  }
  const permission: Permission = {
    now: () => state.now,
    ask: async () => {
      state.asked += 1
      if (state.now === 'default') state.now = answer
      return state.now
    },
  }
  const settings = (agent = 'ada', open: () => typeof store = () => store): AlertSettings => {
    const made = new AlertSettings(open, permission)
    made.use(agent)
    return made
  }
  return { kept, state, settings }
}
const shown = ({ hasSound, hasNotices, refusal }: AlertSettings): unknown[] => [hasSound, hasNotices, refusal]

it('PRD-271 sound is on and notifications are off at first; each is kept under the id of the agent', async () => {
  const { settings, state } = browser()
  const ada = settings()
  expect([shown(ada), state.asked]).toEqual([[true, false, null], 0])
  let changes = 0
  ada.subscribe(() => void changes++)
  ada.setSound(false)
  await ada.setNotices(true)
  expect([shown(ada), state.asked, changes]).toEqual([[false, true, null], 1, 2])
  expect(shown(settings())).toEqual([false, true, null])
  expect(shown(settings('bo'))).toEqual([true, false, null])
  ada.use('bo')
  expect(shown(ada)).toEqual([true, false, null])
  ada.use('ada')
  await ada.setNotices(false)
  expect([shown(ada), state.asked]).toEqual([[false, false, null], 1])
})

it('PRD-271 a refusal leaves the switch off and is said, until the agent changes', async () => {
  const { settings } = browser({ answer: 'denied' })
  const ada = settings()
  await ada.setNotices(true)
  expect(shown(ada)).toEqual([true, false, 'denied'])
  expect(shown(settings())).toEqual([true, false, null])
  ada.use('bo')
  expect(shown(ada)).toEqual([true, false, null])
  const old = browser({ now: 'none' }).settings()
  await old.setNotices(true)
  expect(shown(old)).toEqual([true, false, 'none'])
})

it('PRD-271 a question that is closed without an answer is no refusal; one that is taken back later is', async () => {
  const { settings, state } = browser({ answer: 'default' })
  const ada = settings()
  await ada.setNotices(true)
  expect(shown(ada)).toEqual([true, false, null])
  state.now = 'granted'
  await ada.setNotices(true)
  state.now = 'denied'
  expect(shown(settings())).toEqual([true, false, 'denied'])
})

it('PRD-271 an answer that comes after the agent has signed out is nobody else’s', async () => {
  const { settings, kept } = browser()
  const ada = settings()
  const asking = ada.setNotices(true)
  ada.use('bo')
  await asking
  expect([shown(ada), kept.size]).toEqual([[true, false, null], 0])
})

it('PRD-271 what is kept is checked; without storage it lasts as long as the page', async () => {
  const { settings, kept, state } = browser({ now: 'granted' })
  for (const garbage of ['{', 'null', '[]', '{"hasSound":0,"hasNotices":"yes"}']) {
    kept.set('duolog-agent-alerts:ada', garbage)
    expect(shown(settings())).toEqual([true, false, null])
  }
  const blocked = settings('ada', () => {
    throw new Error('storage is blocked')
  })
  blocked.setSound(false)
  await blocked.setNotices(true)
  expect([shown(blocked), state.asked]).toEqual([[false, true, null], 1])
})
