import { describe, expect, it } from 'vitest'
import { Alerts } from '../../apps/ui/src/alerts.ts'
import type { News, Notice, Waiting } from '../../apps/ui/src/alerts.ts'

interface Told extends Partial<News> {
  readonly unread?: number
  readonly call?: string
}

const messagesOf = (unread: number): Waiting => ({
  id: 'messages',
  count: unread,
  rings: false,
  text: `${unread} new`,
})
const callOf = (call: string): Waiting => ({ id: 'call', count: call ? 1 : 0, rings: true, text: call })

function scene() {
  const done: string[] = []
  const notices: Notice[] = []
  const world = {
    title: 'Shop',
    badge: (count: number) => void done.push(`badge ${count}`),
    sound: () => void done.push('sound'),
    ring: (on: boolean) => void done.push(on ? 'ring' : 'quiet'),
    notify: (notice: Notice) => {
      notices.push(notice)
      done.push(`notify ${notice.text}${notice.isSilent ? ', silent' : ''}`)
    },
    withdraw: (id: string) => void done.push(`withdraw ${id}`),
  }
  const chosen: string[] = []
  const alerts = new Alerts(world, (id) => void chosen.push(id))
  const tell = ({ unread = 0, call = '', ...news }: Told): string[] => {
    const waiting = [messagesOf(unread), callOf(call)]
    alerts.tell({ count: unread, waiting, hasSound: true, hasNotices: false, ...news })
    return done.splice(0)
  }
  return { world, tell, notices, chosen }
}

describe('alerts of a page', () => {
  it('PRD-10 a new message changes title and badge, and sounds once; reading it takes both back', () => {
    const { world, tell } = scene()
    expect(tell({ unread: 1 })).toEqual(['badge 1', 'sound'])
    expect(world.title).toBe('(1) Shop')
    expect(tell({ unread: 1 })).toEqual([])
    world.title = '(1) Lamps'
    expect(tell({ unread: 2 })).toEqual(['badge 2', 'sound'])
    expect(world.title).toBe('(2) Lamps')
    expect(tell({})).toEqual(['badge 0'])
    expect(world.title).toBe('Lamps')
  })

  it('PRD-10 notifies of each matter by its own words, and takes the notification away with the matter', () => {
    const { tell } = scene()
    const hasNotices = true
    expect(tell({ unread: 1, hasNotices })).toEqual(['badge 1', 'sound', 'notify 1 new'])
    const call = 'Ada is calling you'
    expect(tell({ unread: 1, call, hasNotices })).toEqual(['ring', `notify ${call}`])
    expect(tell({ unread: 1, call, hasNotices })).toEqual([])
    expect(tell({ unread: 1, hasNotices })).toEqual(['quiet', 'withdraw call'])
    expect(tell({ hasNotices })).toEqual(['badge 0', 'withdraw messages'])
    expect(tell({ hasNotices })).toEqual([])
  })

  it('PRD-10 a call rings until it is over, also while a message comes; not where the site says so', () => {
    const { tell } = scene()
    expect(tell({ call: 'Ada calls' })).toEqual(['ring'])
    expect(tell({ call: 'Ada calls', unread: 1 })).toEqual(['badge 1', 'sound'])
    expect(tell({ call: 'Ada calls', unread: 1, hasSound: false })).toEqual(['quiet'])
    expect(tell({ call: 'Ada calls', unread: 1 })).toEqual(['ring'])
    expect(tell({ unread: 1 })).toEqual(['quiet'])
    expect(scene().tell({ call: 'Ada calls', hasSound: false })).toEqual([])
  })

  it('PRD-10 is silent where the site says so, in notifications too', () => {
    const { tell } = scene()
    expect(tell({ unread: 1, hasSound: false, hasNotices: true })).toEqual([
      'badge 1',
      'notify 1 new, silent',
    ])
  })

  it('PRD-270 news of one matter is told while another one is read at the same time', () => {
    const { tell } = scene()
    const matter = (id: string, count: number): Waiting => ({
      id,
      count,
      rings: false,
      text: `${id} ${count}`,
    })
    const hasNotices = true
    expect(tell({ count: 2, waiting: [matter('a', 2)], hasNotices })).toEqual([
      'badge 2',
      'sound',
      'notify a 2',
    ])
    expect(tell({ count: 2, waiting: [matter('a', 1), matter('b', 1)], hasNotices })).toEqual([
      ...['sound', 'notify b 1'],
    ])
    expect(tell({ count: 1, waiting: [matter('b', 1)], hasNotices })).toEqual(['badge 1', 'withdraw a'])
    expect(tell({ count: 1, waiting: [{ ...matter('b', 1), text: '' }], hasNotices })).toEqual([])
  })

  it('PRD-270 what an earlier page has told of is counted and not told again', () => {
    const { tell } = scene()
    const waiting = [{ ...messagesOf(2), isContinued: true }]
    expect(tell({ count: 2, waiting })).toEqual(['badge 2'])
    expect(tell({ count: 3, waiting: [{ ...messagesOf(3), isContinued: true }] })).toEqual([
      'badge 3',
      'sound',
    ])
  })

  it('PRD-270 says which matter the reader has chosen in its notification', () => {
    const { tell, notices, chosen } = scene()
    tell({ unread: 1, call: 'Ada calls', hasNotices: true })
    notices[1]?.onChosen()
    expect(chosen).toEqual(['call'])
  })
})
