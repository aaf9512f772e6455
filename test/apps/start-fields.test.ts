import { describe, expect, it } from 'vitest'
import { answersOf, faultOf } from '../../apps/visitor/src/start-fields.ts'
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
    ]).toEqual(['fieldMissing', 'fieldMissing', null, null])
  })
})
