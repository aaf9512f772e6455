import { describe, expect, it } from 'vitest'
import { cardOf } from '../../apps/ui/src/cards.ts'
import { ContactSession } from '../../apps/ui/src/contact-session.ts'
import { FakeContact } from './fake-contact.ts'

const LINK = { text: 'See it', url: 'https://shop.example.org/oak' }
const GIVEN = {
  text: 'The oak lamp, 89 €',
  title: 'Oak lamp',
  description: 'Warm white',
  image: 'https://shop.example.org/oak.jpg',
  alt: 'A lamp',
  links: [LINK],
  replies: ['I take it'],
}
const SHOWN = {
  text: GIVEN.text,
  card: {
    title: GIVEN.title,
    description: GIVEN.description,
    image: { url: GIVEN.image, alt: GIVEN.alt },
    links: [LINK],
  },
  replies: ['I take it'],
}

describe('cards', () => {
  it('PRD-198 are a title with what else is right; what is not is left out', () => {
    expect(cardOf('duolog.card', [GIVEN])).toEqual(SHOWN)
    const odd = {
      text: 'Oak',
      title: 'Oak lamp',
      description: 7,
      image: 'http://shop.example.org/oak.jpg',
      links: [null, { text: 'x' }, { text: 'x', url: 'javascript:alert(1)' }, LINK, LINK, LINK, LINK],
      replies: 'Oak',
    }
    expect(cardOf('duolog.card', [odd])).toEqual({
      text: 'Oak',
      card: { title: 'Oak lamp', links: [LINK, LINK, LINK] },
      replies: [],
    })
    for (const image of [
      'javascript:alert(1)',
      'data:image/png;base64,AA',
      'https://user:pass@x.example/',
      7,
    ])
      expect(cardOf('duolog.card', [{ ...GIVEN, image }])?.card.image).toBeUndefined()
  })

  it('PRD-198 without a text or a title are none, nor is another action', () => {
    for (const args of [
      [],
      [null],
      ['text'],
      [[GIVEN]],
      [{ ...GIVEN, text: ' ' }],
      [{ ...GIVEN, title: 'x'.repeat(201) }],
    ])
      expect(cardOf('duolog.card', args)).toBeNull()
    expect(cardOf('ShowProduct', [GIVEN])).toBeNull()
  })

  it('PRD-198 of the other side are messages, also those of before', async () => {
    const fake = new FakeContact('visitor', { state: 'joined', transcript: { messages: 1 } })
    const said = {
      ts: 1,
      from_id: 'ada',
      from_nick: 'Ada',
      agent: true,
      action_code: 'duolog.card',
      args: [GIVEN],
    }
    fake.stored = [{ ...said, id: 'a1', seq: 1, type: 'action' } as never]
    const session = new ContactSession(fake.contact)
    await new Promise(setImmediate)
    fake.emit('action', { ...said, id: 'a2' })
    const bodies = session.state.transcript.items.map((item) => item.kind === 'remote' && item.body)
    expect(bodies).toEqual([
      { type: 'text', ...SHOWN },
      { type: 'text', ...SHOWN },
    ])
    session.close()
  })
})
