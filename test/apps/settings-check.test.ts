import { describe, expect, it } from 'vitest'
import { checkSettings } from '../../apps/visitor/src/settings-check.ts'
import { defaultSettings, settingProperties } from '../../apps/visitor/src/widget-settings.ts'

type Name = keyof typeof defaultSettings

/** What the widget has after the page has set something, and what the console tells. */
function afterSetting(given: Readonly<Record<string, unknown>>): {
  settings: typeof defaultSettings
  told: readonly string[]
} {
  const settings = { ...defaultSettings, ...given }
  const told: string[] = []
  checkSettings(settings, new Map(Object.keys(given).map((name) => [name, null])), (what) => told.push(what))
  return { settings, told }
}

/** The property as an attribute sets it: Lit gives it the text, unless the property has a converter. */
function fromAttribute(name: Name, text: string): unknown {
  const converter = settingProperties[name]?.converter
  return typeof converter === 'function' ? converter(text) : text
}

describe('what a page sets on the widget', () => {
  it.each([
    ['[{"name":"order","label":"Order","type":"text",}]', 'it is not JSON (', []],
    ['{"name":"x","type":"text"}', 'it must be a list', []],
    ['7', 'it must be a list', []],
    [JSON.stringify('[{"name":"x","type":"text"}]'), 'it must be a list', []],
  ] as const)('PRD-4 fields %s is left out and told', (text, why, fields) => {
    for (const given of [fromAttribute('fields', text), text]) {
      const { settings, told } = afterSetting({ fields: given })
      expect(settings.fields).toEqual(fields)
      expect(told).toEqual([expect.stringContaining(`unable to use "fields"; ${why}`)])
    }
  })

  it('PRD-4 fields may be a list, or the JSON text of one', () => {
    const fields = [{ name: 'order', label: 'Order', type: 'text' }]
    const text = JSON.stringify(fields)
    for (const given of [fields, text, fromAttribute('fields', text)]) {
      const { settings, told } = afterSetting({ fields: given })
      expect([settings.fields, told]).toEqual([fields, []])
    }
  })

  const order = { name: 'order', type: 'text' }
  it.each([
    [{ name: 'x', type: 'tel' }, 'field 2 is left out: type must be one of text, email, '],
    [{ name: 'x' }, 'field 2 is left out: type must be one of text, email, '],
    [{ type: 'text' }, 'field 2 is left out: name must be a text of 1 to 128 characters'],
    [{ name: '', type: 'text' }, 'field 2 is left out: name must be a text of 1 to 128 characters'],
    [{ name: 'x', type: 'text', label: 7 }, 'field 2 is left out: label must be a text'],
    [{ name: 'order', type: 'email' }, 'field 2 is left out: there is another field of the name "order"'],
    [null, 'field 2 is left out: it must be an object'],
    ['order', 'field 2 is left out: it must be an object'],
  ] as const)('PRD-4 of fields, %j is left out, and the rest is asked', (wrong, why) => {
    const { settings, told } = afterSetting({ fields: [order, wrong, { name: 'mail', type: 'email' }] })
    expect(settings.fields).toEqual([order, { name: 'mail', type: 'email' }])
    expect(told).toEqual([expect.stringContaining(`unable to use "fields"; ${why}`)])
  })

  it('PRD-4 fields are as many as the service takes', () => {
    const many = Array.from({ length: 101 }, (_, at) => ({ name: `f-${at}`, type: 'text' }))
    const { settings, told } = afterSetting({ fields: many })
    expect(settings.fields).toEqual(many.slice(0, 100))
    expect(told).toEqual([expect.stringContaining('only 100 fields are used')])
  })

  it.each([
    [{ name: 'x' }, 'form 2 is left out: data must be a list'],
    [{ data: [] }, 'form 2 is left out: name must be a text of 1 to 128 characters'],
    [order.name, 'form 2 is left out: it must be an object'],
  ])('PRD-4 of data, the form %j is left out', (wrong, why) => {
    const form = { name: 'order', data: [order] }
    const { settings, told } = afterSetting({ data: [form, wrong] })
    expect(settings.data).toEqual([form])
    expect(told).toEqual([expect.stringContaining(`unable to use "data"; ${why}`)])
  })

  it.each([
    [{ name: 'x', type: 'tel' }, 'type must be one of '],
    [{ name: 'x', type: 'checkbox', checked: 'yes' }, 'checked must be true or false'],
    [{ name: 'x', type: 'text', visible: 'no' }, 'visible must be true or false'],
    [{ type: 'text' }, 'name must be '],
  ])('PRD-4 of a form in data, the field %j is left out', (wrong, why) => {
    const { settings, told } = afterSetting({ data: [{ name: 'order', data: [wrong, order] }] })
    expect(settings.data).toEqual([{ name: 'order', data: [order] }])
    expect(told).toEqual([expect.stringContaining(`in the form "order", field 1 is left out: ${why}`)])
  })

  it.each([
    ['service', 'https://', '', 'service'],
    ['service', 'localhost:8090', '', 'service'],
    ['lang', 5, '', 'lang'],
    ['lang', 'en_US', 'en_US', 'lang'],
    ['secure', 'yes', true, 'secure'],
    ['position', 'left', 'end', 'position'],
    ['theme', 'blue', 'auto', 'theme'],
    ['hours', ['Mo 09:00-17:00'], '', 'hours'],
    ['hours', 'Mo-Fr 9-17', 'Mo-Fr 9-17', 'hours'],
    ['timeZone', 'Nowhere/City', 'Nowhere/City', 'time-zone'],
    ['tags', ['sales'], '', 'tags'],
    ['identity', { sub: 'c-1' }, '', 'identity'],
    ['noReceipts', 'no', true, 'no-receipts'],
    ['data', { name: 'order' }, [], 'data'],
    ['ownWords', 'Hello', {}, 'ownWords'],
    ['ownWords', { messages: { start: 5 }, errors: {} }, { errors: {} }, 'ownWords'],
  ] as const)(
    'PRD-4 %s %j is told, and the widget has a value that it can use',
    (name, given, used, title) => {
      const { settings, told } = afterSetting({ [name]: given })
      expect(settings[name]).toEqual(used)
      expect(told).toEqual([expect.stringContaining(`unable to use "${title}"; `)])
    },
  )

  it('PRD-4 what can be used stays as it is, and what is not set has its default', () => {
    const given = {
      service: 'https://contact.example.org',
      lang: 'pt-BR',
      secure: true,
      label: 'Ask us',
      greeting: 'Hello',
      position: 'start',
      theme: 'dark',
      hours: 'Mo-Fr 09:00-18:00, Sa 10:00-13:00',
      timeZone: 'Europe/Rome',
      fields: [{ name: 'order', type: 'text' }],
      tags: 'sales',
      identity: () => 'jwt',
      noReceipts: true,
      silent: true,
      data: [{ name: 'order', data: [{ name: 'number', type: 'text', value: 'A-1' }] }],
      ownWords: { messages: { start: 'Go' } },
    }
    const { settings, told } = afterSetting(given)
    expect(told).toEqual([])
    for (const [name, value] of Object.entries(given)) expect(settings[name as Name]).toBe(value)
    const unset = Object.fromEntries(Object.keys(given).map((name) => [name, null]))
    expect(afterSetting(unset)).toEqual({ settings: defaultSettings, told: [] })
  })
})
