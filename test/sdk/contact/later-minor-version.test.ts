import { describe, expect, it } from 'vitest'
import { parsePush, parseReply } from '../../../protocol/index.ts'
import { settled } from '../../../testing/index.ts'
import { joined, record, textsOf } from '../../support/contacts.ts'

describe('a service of a later minor version', () => {
  it('SND-25 SND-308 an entry of an unknown type takes its place in the log, and the page goes on', async () => {
    const pair = await joined()
    const [told, texts] = [record(pair.visitor, 'error', 'connection'), textsOf(pair.visitor)]
    const later = {
      seq: pair.world.contact.entries.length + 1,
      id: 'later',
      time: 0,
      type: 'reaction',
      slot: 'agent',
      session: 'x',
      counter: 1,
      from: { id: 'agent-1' },
      body: { mood: 7 },
    }
    pair.world.contact.entries.push(later as never)
    await pair.agent.sendText('and a text')
    await settled()
    expect([told, texts]).toEqual([[], ['and a text']])
    expect((await pair.visitor.readTranscript()).messages).toMatchObject([{ text: 'and a text' }])
  })

  it('SND-25 a code that is not known is a failure like any other', () => {
    expect(() =>
      parseReply('contact.read', { ok: false, error: { code: 'of_tomorrow', message: 'no' } }),
    ).toThrow(expect.objectContaining({ code: 'internal' }))
  })

  it('SND-25 a malformed entry of a party keeps its place and tells nothing; one of the service is refused', () => {
    const ofParty = {
      seq: 1,
      id: 'a',
      time: 0,
      type: 'text',
      slot: 'agent',
      session: 's',
      counter: 1,
      from: { id: 'x' },
      body: { text: 7 },
    }
    expect(parsePush('log.entries', { contact: 'c', entries: [ofParty] })).toMatchObject({
      body: { entries: [{ seq: 1, type: 'later.text', slot: 'agent', session: 's', body: {} }] },
    })
    const { slot: _, session: __, counter: ___, from: ____, ...ofService } = ofParty
    expect(() =>
      parsePush('log.entries', {
        contact: 'c',
        entries: [{ ...ofService, type: 'joined', body: { nick: 7 } }],
      }),
    ).toThrow(expect.objectContaining({ code: 'protocol' }))
  })
})
