import { describe, expect, it } from 'vitest'
import { tabHistory } from '../../apps/ui/src/history.ts'
import {
  accepted,
  acknowledged,
  discarded,
  echoed,
  failed,
  ownMessage,
  retried,
} from '../../apps/ui/src/own-messages.ts'
import {
  emptyTranscript,
  isTranscript,
  lastKey,
  noticed,
  remembered,
  remoteMessage,
} from '../../apps/ui/src/transcript.ts'
import type { Transcript } from '../../apps/ui/src/transcript.ts'

const text = (words: string) => ({ type: 'text', text: words }) as const
const deliveries = ({ items }: Transcript) =>
  items.map((item) => (item.kind === 'own' ? item.delivery : item.kind))
const sent = (words: string, id: string, from: Transcript = emptyTranscript): Transcript => {
  const written = ownMessage(from, text(words), 1)
  return accepted(echoed(written, text(words), { at: 2 }), lastKey(written), id)
}

describe('an own message', () => {
  it('goes from sending to sent to delivered', () => {
    const written = ownMessage(emptyTranscript, text('hello'), 1)
    expect(deliveries(written)).toEqual(['sending'])
    const stored = sent('hello', 'id-1')
    expect(deliveries(stored)).toEqual(['sent'])
    expect(deliveries(acknowledged(stored, 'id-1'))).toEqual(['delivered'])
  })

  it('UI-5 that failed can be sent again, or removed', () => {
    const written = ownMessage(emptyTranscript, text('hello'), 1)
    const refused = failed(written, 'm1', 'rate_limited')
    expect(refused.items[0]).toMatchObject({ delivery: 'failed', failure: 'rate_limited' })
    const again = retried(refused, 'm1')
    expect(again.items[0]).toMatchObject({ delivery: 'sending' })
    expect(again.items[0]).not.toHaveProperty('failure')
    expect(discarded(refused, 'm1').items).toEqual([])
    expect(discarded(again, 'm1').items).toHaveLength(1)
  })

  it('UI-5 that the service has stored is not failed any more', () => {
    const refused = failed(ownMessage(emptyTranscript, text('hello'), 1), 'm1', 'timeout')
    expect(deliveries(echoed(refused, text('hello'), { at: 2 }))).toEqual(['sent'])
    expect(deliveries(failed(sent('hello', 'id-1'), 'm1', 'left'))).toEqual(['sent'])
  })

  it('is not shown twice when the contact tells of it, and is when another tab wrote it', () => {
    const mine = echoed(ownMessage(emptyTranscript, text('hello'), 1), text('hello'), { at: 2 })
    expect(mine.items).toHaveLength(1)
    expect(echoed(mine, text('hello'), { at: 3 }).items).toHaveLength(2)
    expect(deliveries(echoed(mine, text('from the other tab'), { at: 3 }))).toEqual(['sent', 'sent'])
  })

  it('is delivered also when the acknowledgement comes first', () => {
    const written = ownMessage(emptyTranscript, text('hello'), 1)
    const early = acknowledged(written, 'id-1')
    expect(deliveries(early)).toEqual(['sending'])
    expect(deliveries(accepted(early, 'm1', 'id-1'))).toEqual(['delivered'])
    expect(accepted(early, 'm1', 'id-1').earlyAcks).toEqual([])
  })

  it('of an earlier page is delivered by the acknowledgement of an id that nobody here knows', () => {
    const afterReload = echoed(
      ownMessage(emptyTranscript, text('written before'), 1),
      text('written before'),
      { at: 2 },
    )
    expect(deliveries(acknowledged(afterReload, 'unknown'))).toEqual(['delivered'])
  })
})

describe('an own message of which the contact tells', () => {
  const said = ({ items }: Transcript) =>
    items.map((item) =>
      item.kind === 'notice'
        ? item.notice
        : `${item.kind} ${'text' in item.body ? item.body.text : ''} ${'delivery' in item ? item.delivery : ''}`,
    )

  it('SND-312 UI-5 is the one with its id, never one that was refused, and shows when the service stored it', () => {
    const refused = failed(ownMessage(emptyTranscript, text('hello'), 1), 'm1', 'rate_limited')
    const both = accepted(ownMessage(refused, text('hello'), 2), 'm2', 'id-2')
    const told = remoteMessage(echoed(both, text('hello'), { id: 'id-2', at: 30 }), {
      body: text('hi'),
      id: 'id-3',
      at: 40,
    })
    expect(said(told)).toEqual(['own hello failed', 'own hello sent', 'remote hi '])
    expect(told.items[1]).toMatchObject({ key: 'm2', id: 'id-2', at: 30 })
    expect(said(echoed(refused, text('hello'), { id: 'id-9', at: 3 }))).toEqual([
      'own hello failed',
      'own hello sent',
    ])
  })

  it('SND-309 and one that another tab has written at the same time, in the same words, stand both', () => {
    const mine = ownMessage(emptyTranscript, text('ok'), 1)
    const theirs = echoed(mine, text('ok'), { id: 'theirs', at: 2 })
    const told = remoteMessage(theirs, { body: text('so?'), id: 'r', at: 3 })
    const ids = ({ items }: Transcript) => items.map((item) => 'id' in item && item.id)
    const stored = echoed(accepted(told, 'm1', 'mine'), text('ok'), { id: 'mine', at: 4 })
    expect([ids(stored), said(stored)]).toEqual([
      ['theirs', 'r', 'mine'],
      ['own ok sent', 'remote so? ', 'own ok sent'],
    ])
    expect(stored.items.at(-1)).toMatchObject({ key: 'm1', at: 4 })
    const toldFirst = accepted(echoed(told, text('ok'), { id: 'mine', at: 4 }), 'm1', 'mine')
    expect(ids(toldFirst)).toEqual(['theirs', 'r', 'mine'])
    expect(said(failed(told, 'm1', 'left'))).toEqual(['own ok failed', 'own ok sent', 'remote so? '])
    expect(said(failed(accepted(theirs, 'm1', 'theirs'), 'm1', 'left'))).toEqual(['own ok sent'])
  })

  it('SND-312 is shown once where the list has it from the log already, and so is one of the other side', () => {
    const stored = remembered(ownMessage(emptyTranscript, text('ok'), 9), [
      { kind: 'own', id: 'a', at: 1, body: text('ok'), delivery: 'sent', echoed: true },
      { kind: 'remote', id: 'b', at: 2, body: text('and now?') },
      { kind: 'own', id: 'c', at: 3, body: text('ok'), delivery: 'sent', echoed: true },
    ])
    expect(said(stored)).toEqual(['own ok sent', 'remote and now? ', 'own ok sent', 'own ok sending'])
    expect(echoed(stored, text('ok'), { id: 'c', at: 3 })).toBe(stored)
    expect(remoteMessage(stored, { body: text('and now?'), id: 'b', at: 2 })).toBe(stored)
    expect(said(accepted(stored, 'm1', 'c'))).toEqual(['own ok sent', 'remote and now? ', 'own ok sent'])
  })
})

describe('the list', () => {
  it('SND-312 has the order of the log on both sides: what is not stored stands last', () => {
    const both = remoteMessage(ownMessage(emptyTranscript, text('mine'), 1), {
      body: text('theirs'),
      at: 2,
      nick: 'Ada',
    })
    expect(both.items.map(({ kind }) => kind)).toEqual(['remote', 'own'])
    const stored = echoed(both, text('mine'), { at: 3 })
    const later = remoteMessage(stored, { body: text('later'), at: 4, nick: 'Ada' })
    expect(later.items.map((item) => 'body' in item && item.body.type === 'text' && item.body.text)).toEqual([
      'theirs',
      'mine',
      'later',
    ])
  })

  it('SND-312 UI-5 keeps what has failed where it was written, and what is sent again takes its place in the log', () => {
    const heard = (list: Transcript, words: string): Transcript =>
      remoteMessage(list, { body: text(words), id: words, at: 0 })
    const bodies = ({ items }: Transcript) =>
      items.map((item) => 'body' in item && item.body.type === 'text' && item.body.text)
    const written = ownMessage(ownMessage(heard(emptyTranscript, 'a'), text('lost'), 1), text('slow'), 2)
    expect(bodies(failed(written, 'm3', 'too_large'))).toEqual(['a', 'lost', 'slow'])
    const waiting = heard(written, 'b')
    expect(bodies(waiting)).toEqual(['a', 'b', 'lost', 'slow'])
    const refused = failed(waiting, 'm2', 'too_large')
    expect(bodies(refused)).toEqual(['a', 'lost', 'b', 'slow'])
    const later = noticed(heard(echoed(refused, text('slow'), { at: 3 }), 'c'), {
      notice: 'noticeJoined',
      at: 4,
    })
    expect(bodies(later)).toEqual(['a', 'lost', 'b', 'slow', 'c', false])
    const again = retried(later, 'm2')
    expect(bodies(again)).toEqual(['a', 'b', 'slow', 'c', false, 'lost'])
    expect(bodies(failed(again, 'm2', 'timeout'))).toEqual(['a', 'lost', 'b', 'slow', 'c', false])
    const stored = heard(echoed(accepted(again, 'm2', 'id-2'), text('lost'), { id: 'id-2', at: 5 }), 'd')
    expect(bodies(stored)).toEqual(['a', 'b', 'slow', 'c', false, 'lost', 'd'])
  })

  it('SND-312 UI-5 puts what has failed below what was said before it and was read afterwards', () => {
    const read = remembered(ownMessage(emptyTranscript, text('lost'), 9), [
      { kind: 'remote', id: 'a', at: 1, body: text('before') },
    ])
    const late = remoteMessage(read, { body: text('after'), id: 'b', at: 10 })
    expect(failed(late, 'm1', 'timeout').items.map((item) => 'id' in item && item.id)).toEqual([
      'a',
      false,
      'b',
    ])
  })

  it('SND-312 takes what was said before in front, and what it shows already once', () => {
    const now = remoteMessage(sent('mine', 'id-2'), { body: text('new'), at: 4, id: 'id-3' })
    const earlier = [
      { kind: 'remote', id: 'id-1', at: 1, body: text('first') },
      { kind: 'own', id: 'id-2', at: 2, body: text('mine'), delivery: 'sent', echoed: true },
      { kind: 'remote', id: 'id-3', at: 3, body: text('new') },
    ] as const
    const all = remembered(now, earlier)
    expect(all.items.map((item) => 'id' in item && item.id)).toEqual(['id-1', 'id-2', 'id-3'])
    expect(new Set(all.items.map(({ key }) => key)).size).toBe(3)
  })

  it('UI-2 gives each item a key of its own that stays', () => {
    const all = noticed(remoteMessage(sent('a', 'id-1'), { body: text('b'), at: 3, nick: 'Ada' }), {
      notice: 'noticeJoined',
      at: 4,
      nick: 'Ada',
    })
    expect(all.items.map(({ key }) => key)).toEqual(['m1', 'm2', 'm3'])
    expect(acknowledged(all, 'id-1').items.map(({ key }) => key)).toEqual(['m1', 'm2', 'm3'])
  })

  it('UI-2 says the same thing once', () => {
    const once = noticed(emptyTranscript, { notice: 'noticeEnded', at: 1 })
    expect(noticed(once, { notice: 'noticeEnded', at: 2 })).toBe(once)
  })

  it('does not grow without end', () => {
    let long = emptyTranscript
    for (let n = 0; n < 2100; n++) long = remoteMessage(long, { body: text(`${n}`), at: n })
    expect(long.items).toHaveLength(2000)
    expect(long.items.at(-1)?.key).toBe('m2100')
  })
})

describe('what a tab keeps', () => {
  const store = (): Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'> => {
    const items = new Map<string, string>()
    return {
      getItem: (key) => items.get(key) ?? null,
      setItem: (key, value) => void items.set(key, value),
      removeItem: (key) => void items.delete(key),
      key: (index) => [...items.keys()][index] ?? null,
      get length() {
        return items.size
      },
    }
  }
  const kept = { transcript: sent('hello', 'id-1') }

  it('comes back after a reload, and is gone when dropped', () => {
    const storage = store()
    tabHistory(() => storage).save('c1', kept)
    const later = tabHistory(() => storage)
    expect(later.load('c1')).toEqual(kept)
    expect(later.load('c2')).toBeNull()
    later.drop('c1')
    expect(later.load('c1')).toBeNull()
  })

  it('SND-301 is erased as a whole, and what is kept under other names stays', () => {
    const storage = store()
    const [visitors, agents] = [tabHistory(() => storage), tabHistory(() => storage, 'agent:')]
    for (const id of ['c1', 'c2']) agents.save(id, kept)
    visitors.save('c1', kept)
    agents.clear()
    expect([agents.load('c1'), agents.load('c2'), visitors.load('c1')]).toEqual([null, null, kept])
  })

  it('SND-312 that cannot be kept any more leaves nothing older behind', () => {
    const storage = store()
    tabHistory(() => storage).save('c1', kept)
    storage.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError')
    }
    tabHistory(() => storage).save('c1', { transcript: sent('more', 'id-2', kept.transcript) })
    expect(tabHistory(() => storage).load('c1')).toBeNull()
  })

  it('blocked, full or spoilt storage harms nothing', () => {
    const blocked = tabHistory(() => {
      throw new DOMException('blocked', 'SecurityError')
    })
    expect(blocked.load('c1')).toBeNull()
    expect(() => blocked.save('c1', kept)).not.toThrow()
    expect(() => blocked.drop('c1')).not.toThrow()
    for (const spoilt of ['{', 'null', '{"transcript":{"items":[{}],"made":1,"earlyAcks":[]}}', '[]']) {
      const storage = store()
      storage.setItem('duolog-shown:c1', spoilt)
      expect(tabHistory(() => storage).load('c1')).toBeNull()
    }
    expect(isTranscript(kept.transcript)).toBe(true)
  })
})
