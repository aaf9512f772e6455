import { afterEach, expect, it, vi } from 'vitest'
import { applyLook } from '../../apps/visitor/src/look.ts'
import { tellOfLook } from '../../apps/visitor/src/settings-check.ts'

afterEach(() => void vi.unstubAllGlobals())

/** What a browser answers of the values that the test uses. */
const SUPPORTED = ['color: teal', 'font-family: Georgia', 'padding-top: 2px', 'padding-top: 350px']

/** The custom properties of an element with these attributes, and what the console tells. */
function lookOf(attributes: Readonly<Record<string, string>>, told: string[] = []): Map<string, string> {
  const style = new Map<string, string>()
  vi.stubGlobal('CSS', {
    supports: (name: string, value: string) => SUPPORTED.includes(`${name}: ${value}`),
  })
  const element = {
    getAttribute: (name: string) => attributes[name] ?? null,
    style: {
      setProperty: (name: string, value: string) => (value ? style.set(name, value) : style.delete(name)),
    },
  }
  applyLook(
    element as unknown as HTMLElement,
    tellOfLook((what) => told.push(what)),
  )
  return style
}

it('PRD-4 colours, fonts and lengths are set as the attributes say', () => {
  const told: string[] = []
  const style = lookOf({ accent: 'teal', font: 'Georgia', radius: '2px', width: '350px', height: '' }, told)
  expect(Object.fromEntries(style)).toEqual({
    '--p-accent': 'teal',
    '--p-font': 'Georgia',
    '--p-radius': '2px',
    '--p-panel-radius': '2px',
    '--p-bubble-radius': '2px',
    '--p-panel-width': '350px',
  })
  expect(told).toEqual([])
})

it.each([
  ['accent', 'nocolour', 'a colour'],
  ['on-accent', 'nocolour', 'a colour'],
  ['width', 'wide', 'a length of CSS that is not negative, such as 390px'],
  ['height', '-3', 'a length of CSS that is not negative, such as 390px'],
  ['radius', 'round', 'a length of CSS that is not negative, such as 390px'],
])('PRD-4 %s of "%s" is left out and told', (attribute, value, what) => {
  const told: string[] = []
  expect(lookOf({ [attribute]: value }, told).size).toBe(0)
  expect(told).toEqual([`<duolog-widget> is unable to use "${attribute}"; "${value}" is not ${what}`])
})
