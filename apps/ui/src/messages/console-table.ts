import type { ConsoleMessages } from './console-en.ts'
import type { DeskMessages } from './desk-en.ts'

/** What the agent's console says with a number. */
export type DeskCount = 'repliesFound' | 'pastFound' | 'pastMessages'

/** What agents read in one language, besides what visitors read. */
export interface ConsoleTable {
  readonly messages: ConsoleMessages
  readonly desk: DeskMessages
  /** Forms for numbers besides `one` and `other`, by CLDR plural category. */
  readonly plurals?: Readonly<Record<DeskCount, Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>>>
}
