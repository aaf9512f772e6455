import { describe, expect, it } from 'vitest'
import { SavedState, savedKey } from '../../../sdk/contact/saved-state.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import type { Entry } from '../../../protocol/index.ts'
import { settled } from '../../../testing/index.ts'
import {
  CALL,
  START,
  VOICE,
  answering,
  cursorsOf,
  inCall,
  joined,
  openTab,
  record,
  textsOf,
  watch,
} from '../../support/contacts.ts'
import type { Pair } from '../../support/contacts.ts'

const KEY = 'duolog:http://localhost:contact-1'

/** What the page does a task later has happened. */
async function tasks(): Promise<void> {
  for (let task = 0; task < 3; task++) await new Promise((resolve) => setTimeout(resolve))
  await settled()
}

/** The service was restored from a backup: entries behind `length` are gone, for everybody. */
async function restored({ link, world, clock }: Pair, length: number): Promise<void> {
  link.cut('visitor')
  link.cut('agent')
  const { entries } = world.contact as unknown as { entries: unknown[] }
  entries.length = length
  await clock.advance(10_000)
}

/** The same, and as many others were written since. */
async function restoredAndGrown(pair: Pair, length: number): Promise<void> {
  const { entries } = pair.world.contact as unknown as { entries: Entry[] }
  const text = entries.find(({ type }) => type === 'text') as Entry
  const others = Array.from({ length: entries.length }, (_, index) => ({
    ...text,
    ...{ seq: length + index + 1, id: `after-${index}`, session: 'of-another-page', counter: index + 1 },
  }))
  await restored(pair, length)
  entries.push(...others)
}

describe('a checkpoint', () => {
  it.each([
    [
      'of an earlier form',
      (text: string) => JSON.stringify({ form: 1, ...JSON.parse(text.slice(text.indexOf(' '))) }),
    ],
    ['half of which is there', (text: string) => text.slice(0, text.length / 2)],
    ['with media of another form', (text: string) => text.replace('"Sharing":{', '"Sharing":null,"Other":{')],
    ['in a phase that says nothing', (text: string) => text.replace('{"name":"idle"}', '{"name":"offered"}')],
    ['that is no JSON', () => '1 {'],
    ['that is empty', () => ''],
  ] as const)('SND-304 SND-22 %s is passed over: the log is read from the start', async (_name, touched) => {
    const pair = await joined()
    for (let text = 0; text < 70; text++) await pair.agent.sendText(`text ${text}`)
    await settled()
    await pair.pages.visitor.client.close()
    const text = pair.tab.getItem(`${KEY}:checkpoint`) ?? ''
    expect(touched(text)).not.toBe(text)
    pair.tab.setItem(`${KEY}:checkpoint`, touched(text))
    const cursors = cursorsOf(pair)
    const { contact } = await openTab(pair, pair.tab)
    expect(cursors).toEqual([0])
    answering(pair.agent)
    await contact.offerMedia(VOICE)
    await settled()
    expect(contact.data().mediaState).toEqual({ ...START, Voice: CALL })
  })

  it('SND-304 is read again as it was written', () => {
    const [store, key] = [memoryStore(), savedKey('http://localhost', 'contact-1')]
    const checkpoint = { state: { seq: 3, agent: { nick: '\u00fc {"\ud83d\ude00' } }, pending: {} } as never
    new SavedState(store, key).saveCheckpoint(checkpoint)
    expect(new SavedState(store, key).checkpoint).toEqual(checkpoint)
  })
})

describe('a log that ends before what a page has read', () => {
  it.each([1_000_000, -5, 1.5])(
    'SND-304 SND-2 a cursor of %d in the storage makes no page deaf',
    async (cursor) => {
      const pair = await joined()
      await pair.pages.visitor.client.close()
      pair.tab.setItem(KEY, JSON.stringify({ cursor }))
      const { contact } = await openTab(pair, pair.tab)
      const texts = textsOf(contact)
      await pair.agent.sendText('hello')
      await tasks()
      expect(texts).toEqual(['hello'])
      expect(JSON.parse(pair.tab.getItem(KEY) ?? '')).toMatchObject({
        cursor: pair.world.contact.entries.length,
      })
    },
  )

  it('SND-304 SND-2 is read from its start by the pages that are there: they are told, and go on', async () => {
    const pair = await joined()
    for (let text = 0; text < 5; text++) await pair.agent.sendText('lost with the disk')
    await settled()
    const errors = [record(pair.visitor, 'error'), record(pair.agent, 'error')]
    const texts = [textsOf(pair.visitor), textsOf(pair.agent)]
    await restored(pair, 4)
    const sending = [watch(pair.agent.sendText('hello')), watch(pair.visitor.sendText('hello yourself'))]
    await pair.clock.advance(5_000)
    expect(texts).toEqual([
      ['hello', 'own hello yourself'],
      ['own hello', 'hello yourself'],
    ])
    expect(sending).toMatchObject([
      { result: { value: expect.any(String) } },
      { result: { value: expect.any(String) } },
    ])
    expect(errors).toMatchObject([[['error', { code: 'protocol' }]], [['error', { code: 'protocol' }]]])
    answering(pair.agent)
    await pair.visitor.offerMedia(VOICE)
    await settled()
    expect(pair.agent.data().mediaState).toEqual({ ...START, Voice: CALL })
    await Promise.all([pair.visitor.leave(), pair.agent.leave()])
    await settled()
    expect(pair.clock.pending).toBe(0)
  })

  it('SND-304 SND-2 during a call: its engines are stopped, and what is told of the media is what holds', async () => {
    const pair = await inCall()
    await settled()
    const media: unknown[] = []
    pair.visitor.on('mediachange', ({ newMedia }) => void media.push(Object.keys(newMedia).toSorted()))
    await restored(pair, 4)
    await pair.clock.advance(10_000)
    expect(pair.visitor.mediaState).toBe('idle')
    expect(media.at(-1)).toEqual(Object.keys(pair.visitor.data().mediaState).toSorted())
    expect(pair.visitor.data().mediaState).toEqual(pair.agent.data().mediaState)
  })

  it('SND-304 SND-2 what is still to be sent is sent', async () => {
    const pair = await joined()
    for (let text = 0; text < 5; text++) await pair.agent.sendText('lost with the disk')
    await settled()
    const texts = textsOf(pair.agent)
    pair.link.faults = { onConnect: ({ slot }) => (slot === 'visitor' ? 'drop' : 'pass') }
    pair.link.cut('visitor')
    const sending = watch(pair.visitor.sendText('written offline'))
    await settled()
    await restored(pair, 4)
    pair.link.faults = {}
    await pair.clock.advance(5_000)
    expect([texts, sending.result]).toMatchObject([['written offline'], { value: expect.any(String) }])
  })
})

describe('a log that was restored and has grown past what a page has read', () => {
  it('SND-304 SND-8 is read from its start by the pages that are there: they are told, and go on', async () => {
    const pair = await joined()
    for (let text = 0; text < 5; text++) await pair.agent.sendText('lost with the disk')
    await settled()
    const errors = [record(pair.visitor, 'error'), record(pair.agent, 'error')]
    const texts = textsOf(pair.visitor)
    pair.link.refuse('visitor', 'offline')
    pair.link.refuse('agent', 'offline')
    await restoredAndGrown(pair, 4)
    pair.link.refuse('visitor', null)
    pair.link.refuse('agent', null)
    await pair.clock.advance(10_000)
    const sending = watch(pair.agent.sendText('hello'))
    await pair.clock.advance(5_000)
    expect(errors).toMatchObject([[['error', { code: 'protocol' }]], [['error', { code: 'protocol' }]]])
    expect([sending.result, texts.filter((text) => text === 'hello')]).toMatchObject([
      { value: /./ },
      ['hello'],
    ])
  })

  it('SND-304 SND-8 is read from its start by the next page of a tab', async () => {
    const pair = await joined()
    for (let text = 0; text < 5; text++) await pair.agent.sendText('lost with the disk')
    await settled()
    await pair.pages.visitor.client.close()
    await pair.pages.agent.client.close()
    const { cursor: known } = JSON.parse(pair.tab.getItem(KEY) ?? '') as { readonly cursor: number }
    await restoredAndGrown(pair, 4)
    const opened: unknown[] = []
    pair.link.faults = {
      onMessage: ({ slot }, name, body) => {
        if (slot === 'visitor' && name === 'contact.open')
          opened.push((body as { last?: unknown }).last ?? null)
        return 'pass'
      },
    }
    await openTab(pair, pair.tab)
    expect(opened).toEqual([{ seq: known, id: expect.any(String) }, null])
  })
})
