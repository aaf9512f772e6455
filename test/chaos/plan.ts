/** What a run of `npm run chaos` is to do, as its arguments say. */
import { parseArgs } from 'node:util'
import { numberOf } from '../deployment/options.ts'

export interface Plan {
  readonly minutes: number
  readonly nodes: number
  readonly contacts: number
  /** Of visitors, and as many of agents. */
  readonly processes: number
  readonly seed: number
  /** Null: all that can be made here, of a short run those of `SHORT`. */
  readonly faults: readonly string[] | null
  /** Each of them once, in the order in which they are named. */
  readonly isOnce: boolean
  /** Mean time between two acts of a page. */
  readonly everyMs: number
  /** Between two faults. */
  readonly quietMs: number
  /** After the last one. */
  readonly settleMs: number
  readonly keep: string | undefined
  /** Folder of the programs of PostgreSQL. */
  readonly postgres: string | undefined
}

const OPTIONS = {
  short: { type: 'boolean', default: false },
  minutes: { type: 'string' },
  nodes: { type: 'string', default: '3' },
  contacts: { type: 'string' },
  seed: { type: 'string' },
  faults: { type: 'string' },
  every: { type: 'string' },
  /** Seconds. */
  settle: { type: 'string' },
  keep: { type: 'string' },
  postgres: { type: 'string' },
} as const

const LONG_RUN = { minutes: 60, contacts: 500, processes: 4, quietMs: 20_000, settleMs: 30_000 }
const SHORT_RUN = { minutes: 3, contacts: 20, processes: 2, quietMs: 5_000, settleMs: 8_000 }
/** All texts of a second, whatever the number of contacts. */
const EVERY_MS = { long: 60, short: 100 }

export function planOf(args: string[], now = Date.now()): Plan {
  const { values } = parseArgs({ args, options: OPTIONS })
  const { short, keep, postgres, faults } = values
  const usual = short ? SHORT_RUN : LONG_RUN
  const given = (option: 'contacts' | 'minutes' | 'seed' | 'every' | 'settle', otherwise: number): number =>
    values[option] === undefined
      ? otherwise
      : numberOf(option, values[option], { least: 0, isWhole: option === 'contacts' })
  const contacts = given('contacts', usual.contacts)
  return {
    ...usual,
    contacts,
    minutes: given('minutes', usual.minutes),
    nodes: numberOf('nodes', values.nodes),
    seed: given('seed', now % 1_000_000_007),
    faults: faults?.split(',') ?? null,
    isOnce: short,
    everyMs: given('every', contacts * (short ? EVERY_MS.short : EVERY_MS.long)),
    settleMs: given('settle', usual.settleMs / 1_000) * 1_000,
    keep,
    postgres,
  }
}
