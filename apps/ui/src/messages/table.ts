import type { ConsoleMessages } from './console-en.ts'
import type { VisitorMessages } from './en.ts'
import type { ErrorWords } from './errors-en.ts'

/** What is said with a number. */
export type CountKey = 'unread' | 'queueWait'

/** One language: what visitors read, and what agents read where the console speaks it. */
export interface Table {
  readonly messages: VisitorMessages & Partial<ConsoleMessages>
  readonly errors: ErrorWords
  /** Names of the 64 symbols that people compare; without them the English ones are shown. */
  readonly symbols?: readonly string[]
  /** Forms for numbers besides `one` and `other`, by CLDR plural category. */
  readonly plurals?: Readonly<Record<CountKey, Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>>>
}
