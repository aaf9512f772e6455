import { describe, expect, it } from 'vitest'
import { cutText, parseCall, parseDraft, parsePush } from '../../protocol/index.ts'

const draft = (text: string) => ({ id: 'm', session: 's', counter: 1, type: 'text', body: { text } })
const title = (text: string) => ({
  request: 'r',
  contact: { visit: { page: { url: 'https://shop.example/', title: text } } },
})

describe('text on the wire', () => {
  it('SND-114 SND-23 half a character becomes U+FFFD, whole ones stay', () => {
    expect(parseDraft(draft('a\ud83d b\ude00 😀'))).toMatchObject({ body: { text: 'a\ufffd b\ufffd 😀' } })
    expect(parseCall('contact.create', title('\ud83d'))).toMatchObject({
      contact: { visit: { page: { title: '\ufffd' } } },
    })
    expect(parsePush('log.entries', { contact: 'c', entries: [] })).toEqual({
      name: 'log.entries',
      body: { contact: 'c', entries: [] },
    })
  })

  it('SND-114 names of members too, however deep, and nothing that was given is changed', () => {
    const frame = {
      contact: 'c',
      session: 's',
      to: 't',
      frame: { n: 1, ack: 0, kind: 'data', body: [{ 'k\udc00': ['v\udc00', 1, null] }] },
    }
    expect(parseCall('relay.send', frame).frame.body).toEqual([{ 'k\ufffd': ['v\ufffd', 1, null] }])
    expect(Object.keys(frame.frame.body[0] ?? {})).toEqual(['k\udc00'])
  })

  it.each([[['a\0']], [{ 'a\0': 1 }], [[{ a: { b: '\0' } }]]])(
    'SND-114 SND-23 NUL is refused, as a value and as a name (%#)',
    (body) => {
      expect(() =>
        parseCall('relay.send', {
          contact: 'c',
          session: 's',
          to: 't',
          frame: { n: 1, ack: 0, kind: 'data', body },
        }),
      ).toThrow(/NUL/)
    },
  )

  it.each([
    ['abc', 2, 'ab'],
    ['a😀b', 2, 'a'],
    ['a😀b', 3, 'a😀'],
    ['😀', 1, ''],
    ['a\0b\ud83dc', 9, 'ab\ufffdc'],
    ['\ude00x', 2, '\ufffdx'],
  ])('SND-114 the beginning of %j in %i units is %j', (text, most, cut) => {
    expect(cutText(text, most)).toBe(cut)
  })
})
