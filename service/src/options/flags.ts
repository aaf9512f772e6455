/** Reads the options of the command line, and of the environment. */
import { parseArgs } from 'node:util'
import type { ParseArgsConfig } from 'node:util'
import { StartError, messageOf } from '../start-error.ts'
import { FLAGS } from './flag-table.ts'
import type { Flag } from './flag-table.ts'

type Values = Partial<Record<Flag, string | boolean | (string | boolean)[]>>

/** The help text. */
export function helpText(): string {
  const lines = Object.entries(FLAGS).map(([name, flag]) => {
    const standard =
      'default' in flag && typeof flag.default === 'string' && !name.endsWith('-dir')
        ? ` (${flag.default})`
        : ''
    return `  ${`--${name} ${flag.hint}`.padEnd(34)} ${flag.about}${standard}`
  })
  return [
    'Usage: duolog-service [options]',
    '',
    ...lines,
    '',
    'Each option may also be given as a variable: DUOLOG_PORT, DUOLOG_DATABASE_URL, DUOLOG_ORIGIN (several are comma separated) …',
    '',
  ].join('\n')
}

/** The texts given for each option: flags first, then the environment, then the defaults. */
export interface RawOptions {
  /** All texts of an option that may be repeated. */
  readonly all: (flag: Flag) => string[]
  /** The text of an option, or its default; empty where there is neither. */
  readonly one: (flag: Flag) => string
}

const notEmpty = (values: readonly (string | boolean)[]): string[] =>
  values.map(String).filter((text) => text !== '')

/** Null where help was asked for. @throws {@link StartError} */
export function readRawOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): RawOptions | null {
  const given = flagsOf(args)
  if (given.help === true) return null
  const all = (flag: Flag): string[] => {
    const told = env[`DUOLOG_${flag.toUpperCase().replaceAll('-', '_')}`] ?? ''
    const flagged = notEmpty([given[flag] ?? ''].flat())
    return flagged.length > 0 ? flagged : notEmpty('multiple' in FLAGS[flag] ? told.split(',') : [told])
  }
  const one = (flag: Flag): string => {
    const { default: standard } = FLAGS[flag] as { default?: string | boolean }
    return all(flag)[0] ?? (typeof standard === 'string' ? standard : '')
  }
  return { all, one }
}

function flagsOf(args: readonly string[]): Values {
  const options: NonNullable<ParseArgsConfig['options']> = Object.fromEntries(
    Object.entries(FLAGS).map(([name, flag]) => [
      name,
      { type: flag.type, ...('multiple' in flag ? { multiple: true } : {}) },
    ]),
  )
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values
  } catch (cause) {
    throw new StartError(
      `unable to read the options; ${messageOf(cause).replace(/\. To specify.*$/, '')} (see --help)`,
      { cause },
    )
  }
}
