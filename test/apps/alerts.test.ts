import { describe, expect, it } from 'vitest'
import { Alerts } from '../../apps/visitor/src/alerts.ts'
import type { News } from '../../apps/visitor/src/alerts.ts'

function scene({ isHidden = false } = {}) {
  const done: string[] = []
  const world = {
    title: 'Shop',
    isHidden: () => isHidden,
    badge: (count: number) => void done.push(`badge ${count}`),
    sound: () => void done.push('sound'),
    notify: (text: string) => void done.push(`notify ${text}`),
  }
  const alerts = new Alerts(world)
  const tell = (news: Partial<News>): string[] => {
    alerts.tell({ unread: 0, messages: '', call: '', hasSound: true, ...news })
    return done.splice(0)
  }
  return { world, tell }
}

describe('alerts of the widget', () => {
  it('PRD-10 a new message changes title and badge, and sounds once; reading it takes both back', () => {
    const { world, tell } = scene()
    expect(tell({ unread: 1, messages: '1 new message' })).toEqual(['badge 1', 'sound'])
    expect(world.title).toBe('(1) Shop')
    expect(tell({ unread: 1, messages: '1 new message' })).toEqual([])
    world.title = '(1) Lamps'
    expect(tell({ unread: 2, messages: '2 new messages' })).toEqual(['badge 2', 'sound'])
    expect(world.title).toBe('(2) Lamps')
    expect(tell({})).toEqual(['badge 0'])
    expect(world.title).toBe('Lamps')
  })

  it('PRD-10 where the page is hidden it notifies too, and a call by its own words', () => {
    const { tell } = scene({ isHidden: true })
    expect(tell({ unread: 1, messages: '1 new message' })).toEqual([
      'badge 1',
      'sound',
      'notify 1 new message',
    ])
    const call = 'Ada is calling you'
    expect(tell({ unread: 1, messages: '1 new message', call })).toEqual(['sound', `notify ${call}`])
    expect(tell({ unread: 1, messages: '1 new message', call })).toEqual([])
    expect(tell({ unread: 1, messages: '1 new message' })).toEqual([])
  })

  it('PRD-10 is silent where the site says so', () => {
    expect(scene().tell({ unread: 1, messages: '1 new message', hasSound: false })).toEqual(['badge 1'])
  })
})
