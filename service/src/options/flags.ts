/** Reads the options of the command line, and of the environment. */
import { parseArgs } from 'node:util'
import type { ParseArgsConfig } from 'node:util'
import packed from '../../package.json' with { type: 'json' }
import { StartError } from '../start-error.ts'
import { FLAGS } from './flag-table.ts'
import type { Flag } from './flag-table.ts'

type Values = Partial<Record<Flag, string | boolean | (string | boolean)[]>>

/** What is told in place of a start: the help, or the version; null: neither was asked for. @throws {@link StartError} */
export function toldInstead(args: readonly string[]): string | null {
  const { help, version } = flagsOf(args)
  if (help === true) return helpText()
  return version === true ? `duolog-service ${packed.version}\n` : null
}

function helpText(): string {
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

/** @throws {@link StartError} */
export function readRawOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): RawOptions {
  const given = flagsOf(args)
  const all = (flag: Flag): string[] => {
    const told = env[variableOf(flag)] ?? ''
    const flagged = notEmpty([given[flag] ?? ''].flat())
    return flagged.length > 0 ? flagged : notEmpty('multiple' in FLAGS[flag] ? told.split(',') : [told])
  }
  const one = (flag: Flag): string => {
    const { default: standard } = FLAGS[flag] as { default?: string | boolean }
    return all(flag)[0] ?? (typeof standard === 'string' ? standard : '')
  }
  for (const flag of SWITCHES)
    if (!['', 'true', 'false'].includes(one(flag)))
      throw new StartError(
        `unable to read the options; ${variableOf(flag)} must be true or false: it is the variable of --${flag}`,
      )
  return { all, one }
}

const variableOf = (flag: Flag): string => `DUOLOG_${flag.toUpperCase().replaceAll('-', '_')}`

/** Options without a value; variables of theirs have one, but for what is told in place of a start. */
const SWITCHES = (Object.keys(FLAGS) as Flag[]).filter(
  (flag) => FLAGS[flag].type === 'boolean' && flag !== 'help' && flag !== 'version',
)

/** A value is what follows an option: it may begin with a hyphen, as `-1` does, but not with two. */
function flagsOf(args: readonly string[]): Values {
  const options: NonNullable<ParseArgsConfig['options']> = Object.fromEntries(
    Object.entries(FLAGS).map(([name, flag]) => [
      name,
      { type: flag.type, ...('multiple' in flag ? { multiple: true } : {}) },
    ]),
  )
  const { values, tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true })
  for (const token of tokens) checkToken(token)
  return values
}

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number]

/** @throws {@link StartError} no option, or its value is missing or one too many */
function checkToken(token: Token): void {
  if (token.kind === 'option-terminator') return
  if (token.kind === 'positional') throw unreadable(`unexpected argument ${token.value}`)
  const { name, rawName, value, inlineValue } = token
  if (!isFlag(name)) throw unreadable(`unknown option ${rawName}`)
  if (FLAGS[name].type === 'boolean') {
    if (value !== undefined) throw unreadable(`--${name} takes no value`)
  } else if (value === undefined || (!inlineValue && value.startsWith('--')))
    throw unreadable(`--${name} needs a value`)
}

const isFlag = (name: string): name is Flag => Object.hasOwn(FLAGS, name)

const unreadable = (why: string): StartError =>
  new StartError(`unable to read the options; ${why} (see --help)`)
