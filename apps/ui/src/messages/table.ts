import type { VisitorMessages } from './en.ts'
import type { ErrorWords } from './errors-en.ts'

/** What is said with a number. */
export type CountKey = 'unread' | 'queueWait'

/** What visitors read in one language; agents read it too. */
export interface Table {
  readonly messages: VisitorMessages
  readonly errors: ErrorWords
  /** Names of the 64 symbols that people compare; without them the English ones are shown. */
  readonly symbols?: readonly string[]
  /** Forms for numbers besides `one` and `other`, by CLDR plural category. */
  readonly plurals?: Readonly<Record<CountKey, Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>>>
}
