import { describe, expect, it } from 'vitest'
import type { Entry } from '../../../protocol/index.ts'
import type { Contact, TranscriptMessage, TranscriptPage } from '../../../sdk/index.ts'
import { historyOf, readTranscript, transcriptOf } from '../../../sdk/transcript/transcript.ts'
import type { TranscriptHost } from '../../../sdk/transcript/transcript.ts'
import { settled } from '../../../testing/index.ts'
import { endCleanly, joined } from '../../support/contacts.ts'

const wordsOf = (messages: readonly TranscriptMessage[]): string[] =>
  messages.map((message) => (message.type === 'text' ? message.text : message.type))

async function all(contact: Contact): Promise<TranscriptMessage[]> {
  const messages: TranscriptMessage[] = []
  for await (const message of contact.transcript()) messages.push(message)
  return messages
}

describe('the transcript', () => {
  it('MSG-12 tells what has happened to messages, on their page or on a newer one, and who joined', async () => {
    const pair = await joined({ nick: 'Vera' })
    pair.agent.on('text', () => {})
    const [one, two] = [await pair.visitor.sendText('one'), await pair.visitor.sendText('two')]
    await pair.agent.sendRead(one)
    await settled()
    const whole = await pair.visitor.readTranscript()
    const joining = { type: 'joined', user: 'agent-1', nick: 'Ada', ts: 0 }
    const agent = true
    expect(whole.events).toEqual([
      { type: 'read', ref: one, agent },
      { type: 'ack', ref: two, agent },
      { type: 'ack', ref: one, agent },
      joining,
    ])
    const newest = await pair.visitor.readTranscript({ limit: 1 })
    const rest = await pair.visitor.readTranscript({ before: newest.before })
    expect([...newest.events, ...rest.events]).toEqual(whole.events)
    await endCleanly(pair)
  })

  it('MSG-12 tells what both parties said, newest first, as their events do', async () => {
    const pair = await joined({ nick: 'Vera' })
    const id = await pair.visitor.sendText('one')
    await pair.agent.sendLink('https://example.org/', 'a page')
    await pair.visitor.sendAction('Blink', ['twice'])
    const { messages, before } = await pair.agent.readTranscript()
    const [ts, time, contact] = [0, '1970-01-01T00:00:00.000Z', 'contact-1']
    const [vera, ada] = [
      { from_id: 'visitor-1', from_nick: 'Vera', agent: false },
      { from_id: 'agent-1', from_nick: 'Ada', agent: true },
    ]
    expect([messages, before]).toEqual([
      [
        {
          type: 'action',
          id: expect.any(String) as string,
          ts,
          contact,
          time,
          action_code: 'Blink',
          args: ['twice'],
          ...vera,
        },
        {
          type: 'link',
          id: expect.any(String) as string,
          ts,
          contact,
          time,
          url: 'https://example.org/',
          desc: 'a page',
          ...ada,
        },
        { type: 'text', id, ts, contact, time, text: 'one', ...vera },
      ],
      null,
    ])
    await endCleanly(pair)
  })

  it('SND-102 MSG-12 is whole also where the service gives less than was asked for', async () => {
    const pair = await joined()
    const texts = Array.from({ length: 60 }, (_, index) => `${index} ${'x'.repeat(8_000)}`)
    for (const text of texts) await pair.visitor.sendText(text)
    expect(wordsOf((await pair.agent.readTranscript({ limit: 60 })).messages)).toEqual(texts.toReversed())
    expect(wordsOf(await all(pair.agent))).toEqual(texts.toReversed())
    await endCleanly(pair)
  })

  it('MSG-12 is read page by page with a cursor, whatever is written meanwhile', async () => {
    const pair = await joined()
    for (let number = 1; number <= 7; number++) await pair.visitor.sendText(String(number))
    const first = await pair.agent.readTranscript({ limit: 3 })
    await pair.visitor.sendText('later')
    const second = await pair.agent.readTranscript({ limit: 3, before: first.before })
    const third = await pair.agent.readTranscript({ limit: 3, before: second.before })
    expect([first, second, third].map(({ messages }) => wordsOf(messages))).toEqual([
      ['7', '6', '5'],
      ['4', '3', '2'],
      ['1'],
    ])
    expect([third.before, wordsOf(await all(pair.visitor))]).toEqual([
      null,
      ['later', '7', '6', '5', '4', '3', '2', '1'],
    ])
    await endCleanly(pair)
  })

  it('MSG-12 reaches over many entries that are no messages', async () => {
    const pair = await joined()
    await pair.visitor.sendText('first')
    for (let number = 0; number < 230; number++) await pair.visitor.setLocalCapability('Number', number)
    await settled()
    expect(wordsOf((await pair.agent.readTranscript({ limit: 1 })).messages)).toEqual(['first'])
    await endCleanly(pair)
  })

  it('MSG-12 LIFE-16 reaches back over a transfer, for the visitor', async () => {
    const pair = await joined()
    await pair.visitor.sendText('to the first agent')
    await pair.pages.agent.client.transfer('contact-1', { toTags: [] })
    await settled()
    await pair.visitor.sendText('to the next')
    const messages = await all(pair.visitor)
    expect(messages.map((message) => [message.contact, message.type === 'text' && message.text])).toEqual([
      [pair.visitor.id, 'to the next'],
      ['contact-1', 'to the first agent'],
    ])
    const first = await pair.visitor.readTranscript({ limit: 1 })
    expect(wordsOf((await pair.visitor.readTranscript({ before: first.before })).messages)).toEqual([
      'to the first agent',
    ])
    await pair.visitor.leave()
  })

  it.each([1, 3])(
    'SND-344 ends where a service says that %i contacts went on from each other in a circle',
    async (circle) => {
      const read: string[] = []
      const entry = (seq: number): Entry => ({
        ...{ seq, id: `m-${seq}`, time: 0, slot: 'visitor', session: 's', counter: seq, from: { id: 'v' } },
        ...{ type: 'text', body: { text: 'again' } },
      })
      const call = (name: string, { contact }: { contact: string }): Promise<unknown> => {
        if (name !== 'contact.read') return Promise.resolve({ entries: [entry(1)], head: 1 })
        read.push(contact)
        if (read.length > 200) return Promise.reject(new Error('it has no end'))
        return Promise.resolve({
          record: { transferredFrom: `c-${(Number(contact.slice(2)) + 1) % circle}` },
        })
      }
      const host = { id: 'c-0', service: 'http://localhost', link: { call } } as unknown as TranscriptHost
      const openFile = (): Promise<Blob> => Promise.reject(new Error('there is no file'))
      const whole: TranscriptMessage[] = []
      for await (const message of transcriptOf(host, openFile)) whole.push(message)
      expect([whole.length, read.length]).toEqual([33, 32])
      const pages: number[] = []
      for (let before: string | null = 'c-0@0'; before !== null;) {
        const page: TranscriptPage = await readTranscript(host, { before, limit: 10 }, openFile)
        pages.push(page.messages.length)
        before = page.before
      }
      expect(pages).toEqual([10, 10, 10, 3])
      const secret = { ...host, encryption: { readable: (_of: string, each: Entry) => each } }
      expect((await historyOf(secret as unknown as TranscriptHost))?.size).toBeLessThan(20_000)
    },
  )

  it.each([{ limit: 0 }, { limit: 201 }, { limit: 1.5 }, { before: 'nonsense' }, { before: 7 }])(
    'MSG-12 ERR-5 %j is invalid_argument',
    async (options) => {
      const pair = await joined()
      await expect(pair.visitor.readTranscript(options as never)).rejects.toMatchObject({
        code: 'invalid_argument',
      })
      await endCleanly(pair)
    },
  )
})
