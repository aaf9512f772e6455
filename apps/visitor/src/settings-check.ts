/** Checks what a page has set on the widget, and tells the developer of the page what cannot be used. */
import { isRecord } from '../../ui/src/index.ts'
import { checkedData, checkedFields, isText } from './forms-check.ts'
import type { Checked } from './forms-check.ts'
import { wrongPart } from './opening-hours.ts'
import { serviceOrigin } from './service-origin.ts'
import { messageOf, tellDeveloper } from './tell-developer.ts'
import type { WidgetSettings, WidgetTexts } from './widget-api.ts'
import { defaultSettings, settingProperties } from './widget-settings.ts'

type Settings = Required<WidgetSettings>

type Check<T> = (given: unknown) => Checked<T>

const good = <T>(value: T): Checked<T> => ({ value, faults: [] })
const bad = <T>(value: T, fault: string): Checked<T> => ({ value, faults: [fault] })

/** A text; `faultOf` gives what is wrong with one, or null. */
const text =
  (faultOf: (text: string) => string | null = () => null): Check<string> =>
  (given) => {
    if (!isText(given)) return bad('', 'it must be a text')
    const fault = faultOf(given)
    return fault === null ? good(given) : bad(given, fault)
  }

/** What is truthy counts as true: `secure` is never left out by mistake. */
const flag: Check<boolean> = (given) =>
  typeof given === 'boolean'
    ? good(given)
    : bad(Boolean(given), `it must be true or false; it counts as ${String(Boolean(given))}`)

const oneOf =
  <T extends string>(standard: T, ...others: readonly T[]): Check<T> =>
  (given) => {
    const known = [standard, ...others]
    const found = known.find((each) => each === given)
    return found === undefined
      ? bad(standard, `it must be one of ${known.join(', ')}; it counts as ${standard}`)
      : good(found)
  }

/** A list, or the JSON text of one. */
const listOf =
  <T>(checked: (list: readonly unknown[]) => Checked<readonly T[]>): Check<readonly T[]> =>
  (given) => {
    if (Array.isArray(given)) return checked(given)
    if (!isText(given)) return bad([], 'it must be a list')
    try {
      const parsed: unknown = JSON.parse(given)
      return Array.isArray(parsed) ? checked(parsed) : bad([], 'it must be a list')
    } catch (error) {
      return bad([], `it is not JSON (${messageOf(error)})`)
    }
  }

function ownWords(given: unknown): Checked<WidgetTexts> {
  if (!isRecord(given)) return bad({}, 'it must be an object')
  const wrong = (['messages', 'errors'] as const).filter(
    (part) =>
      given[part] !== undefined && !(isRecord(given[part]) && Object.values(given[part]).every(isText)),
  )
  if (wrong.length === 0) return good(given)
  const value = Object.fromEntries(
    Object.entries(given).filter(([part]) => !wrong.some((each) => each === part)),
  )
  return { value, faults: wrong.map((part) => `${part} must be an object of texts; it is left out`) }
}

/** Whether `make` throws on a text. */
const throws = (make: () => unknown): boolean => {
  try {
    make()
    return false
  } catch {
    return true
  }
}

const address = (given: string): string | null =>
  serviceOrigin(given, 'https://page.example') === null ? `"${given}" is not an address` : null
const language = (given: string): string | null =>
  given !== '' && throws(() => Intl.getCanonicalLocales(given))
    ? `"${given}" is not a language (BCP 47)`
    : null
function openingHours(given: string): string | null {
  const wrong = wrongPart(given)
  return wrong === null ? null : `"${wrong}" is not understood; the hours close nothing`
}
const timeZone = (given: string): string | null =>
  given === '' || !throws(() => new Intl.DateTimeFormat('en', { timeZone: given }))
    ? null
    : `"${given}" is not a time zone that this browser knows; the hours close nothing`

const checks: { readonly [K in keyof Settings]: Check<Settings[K]> } = {
  service: (given) => {
    const checked = text(address)(given)
    return checked.faults.length > 0 ? { ...checked, value: '' } : checked
  },
  lang: text(language),
  secure: flag,
  label: text(),
  greeting: text(),
  position: oneOf<Settings['position']>('end', 'start'),
  theme: oneOf<Settings['theme']>('auto', 'light', 'dark'),
  hours: text(openingHours),
  timeZone: text(timeZone),
  fields: listOf(checkedFields),
  tags: text(),
  identity: (given) => (typeof given === 'function' ? good(given as () => string) : text()(given)),
  noReceipts: flag,
  silent: flag,
  data: listOf(checkedData),
  ownWords,
}
const NAMES = Object.keys(checks) as readonly (keyof Settings)[]

/** A setting with its default and its check, whatever its type. */
function checkOne<K extends keyof Settings>(widget: Settings, name: K): readonly string[] {
  const given = widget[name] as unknown
  // An attribute that is taken away, and a property that a framework does not set.
  const isUnset = given === null || given === undefined
  const { value, faults } = isUnset ? good(defaultSettings[name]) : checks[name](given)
  if (value !== given) widget[name] = value
  return faults
}

const LOOKS = {
  color: 'a colour',
  'font-family': 'a list of font families',
  'padding-top': 'a length of CSS that is not negative, such as 390px',
} as const

/** For `look.ts`: an attribute of the look that is left out. */
export const tellOfLook =
  (tell: (what: string) => void = tellDeveloper) =>
  (attribute: string, value: string, takes: keyof typeof LOOKS): void =>
    tell(`<duolog-widget> is unable to use "${attribute}"; "${value}" is not ${LOOKS[takes]}`)

/** Gives each setting that has changed a value that can be used, and tells what is wrong with the given one. */
export function checkSettings(
  widget: Settings,
  changed: ReadonlyMap<PropertyKey, unknown>,
  tell: (what: string) => void = tellDeveloper,
): void {
  for (const name of NAMES) {
    if (!changed.has(name)) continue
    const faults = checkOne(widget, name)
    const { attribute } = settingProperties[name] ?? {}
    const title = isText(attribute) ? attribute : name
    if (faults.length > 0) tell(`<duolog-widget> is unable to use "${title}"; ${faults.join('; ')}`)
  }
}
