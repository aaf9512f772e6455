import { describe, expect, it } from 'vitest'
import { wordsFor } from '../../apps/ui/src/words.ts'
import { answersOf, faultOf, labelOf } from '../../apps/visitor/src/start-fields.ts'
import { fieldFault } from '../../protocol/field-rules.ts'

const field = (type: 'email' | 'phone' | 'text' | 'checkbox', required = false) => ({
  name: 'f',
  type,
  required,
})
const sent = (type: 'email' | 'phone', text: string): unknown =>
  answersOf([field(type)], new Map([['f', text]]))[0]?.data[0]?.value

describe('the questions before a chat', () => {
  it.each([
    ['phone', '089 123456', 'fieldPhone'],
    ['phone', '+0 123', 'fieldPhone'],
    ['phone', 'call me', 'fieldPhone'],
    ['phone', '+49 89 / 123-456', null],
    ['phone', '0039 (045) 123.456', null],
    ['email', 'robin', 'fieldEmail'],
    ['email', 'robin@example', 'fieldEmail'],
    ['email', ' robin@example.org ', null],
  ] as const)('PRD-4 %s: %s', (type, text, fault) => {
    expect(faultOf(field(type), text)).toBe(fault)
    if (fault === null) expect(fieldFault(type, sent(type, text))).toBeNull()
  })

  it('PRD-4 a number is sent as the service takes it', () => {
    expect([sent('phone', '+49 89 / 123-456'), sent('phone', '0039 (045) 123.456')]).toEqual([
      '+4989123456',
      '+39045123456',
    ])
  })

  it('PRD-4 what must be filled in is missed, and only that', () => {
    expect([
      faultOf(field('text', true), ' '),
      faultOf(field('checkbox', true), false),
      faultOf(field('checkbox', true), true),
      faultOf(field('phone'), ''),
    ]).toEqual(['fieldMissing', 'fieldUnchecked', null, null])
  })

  it('PRD-4 what may stay empty says so, as the question of the form does', () => {
    const words = wordsFor(['en'])
    const order = { name: 'order', label: 'Order number', type: 'text' } as const
    expect([labelOf(order, words), labelOf({ ...order, required: true }, words)]).toEqual([
      'Order number (optional)',
      'Order number',
    ])
    expect(labelOf({ name: 'order', type: 'text' }, words)).toBe('order (optional)')
    expect(words.t('firstMessageLabel')).toMatch(/ \(optional\)$/)
  })
})
