import type { DataField } from 'duolog'
import { showHidden } from '../../ui/src/index.ts'
import type { Words } from '../../ui/src/index.ts'

export type Field = DataField
type Value = NonNullable<Field['value']> | null

/** What a field holds, whatever its type; null where it is empty. */
export const valueOf = ({ type, value, checked }: Pick<Field, 'type' | 'value' | 'checked'>): Value =>
  type === 'checkbox' ? (checked ?? false) : value === undefined || value === '' ? null : value

/** A value in words. */
export function valueText(value: Value, words: Words): string {
  if (typeof value === 'boolean') return words.t(value ? 'yes' : 'no')
  if (value === null) return words.t('unknown')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * What an agent has written, as the field's type holds it; null where it is empty. What is no number stays
 * text: the service says so.
 */
export function typedValue(type: Field['type'], text: string): Value {
  const trimmed = type === 'text' ? text : text.trim()
  if (trimmed === '') return null
  const number = Number(trimmed.replace(',', '.'))
  return type === 'number' && Number.isFinite(number) ? number : trimmed
}

/** A language in words, such as `English`; what is no language stays as it is. */
export function languageName(lang: string | undefined, { lang: inLanguage }: Words): string | undefined {
  try {
    return lang && new Intl.DisplayNames([inLanguage], { type: 'language' }).of(lang)
  } catch {
    return lang && showHidden(lang)
  }
}

/** A time of today, or of a day that is named: a message may have been left days ago. */
export const momentOf = (at: number, words: Pick<Words, 'day' | 'dayAndTime' | 'time'>): string =>
  words.day(at) === words.day(Date.now()) ? words.time(at) : words.dayAndTime(at)
