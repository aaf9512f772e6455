import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { ParseArgsConfig } from 'node:util'
import { join, resolve } from 'node:path'
import type { FileOptions } from './attachments/index.ts'
import { isOrigin } from './auth/origins.ts'
import type { IceOptions } from './ice/ice-servers.ts'
import type { PageFolders } from './http/pages.ts'
import { STRATEGIES } from './queue/strategy.ts'
import type { StrategyName, Tuning } from './queue/strategy.ts'
import { readStep, readWeight } from './queue/tuning.ts'
import type { ProviderOptions } from './auth/provider.ts'
import { readClaim } from './auth/required-claim.ts'
import type { RequiredClaim } from './auth/required-claim.ts'
import type { Retention } from './store/retention.ts'
import { StartError, messageOf } from './start-error.ts'

/** What a person can choose when starting the service. */
export interface Options {
  /** 0: any free one. */
  readonly port: number
  readonly host: string
  readonly data: string
  readonly databaseUrl: string | null
  readonly mode: 'local' | 'production'
  /** Local use on an address that other machines reach. */
  readonly openSignIn: boolean
  /** Pages that may use the service; in local use all of this machine may. */
  readonly origins: readonly string[]
  readonly ice: IceOptions
  /** Proxies of one's own before the service, whose word on where a request comes from is taken. */
  readonly proxies: number
  /** Open connections of all kinds. */
  readonly maxConnections: number
  /** At a stop: from telling load balancers that it goes to sending connections away. */
  readonly drainWaitMs: number
  /** Module of the telephony gateway; null: none. */
  readonly telephony: string | null
  readonly strategy: StrategyName
  readonly tuning: Tuning
  /** For an agent to answer an offer. */
  readonly offerMs: number
  /** Longest wait in the queue. */
  readonly maxWaitMs: number
  /** Issues the agents' tokens; null: the service does, in local use. */
  readonly provider: ProviderOptions | null
  readonly retention: Retention
  readonly files: FileOptions
  /**
   * Opens `/metrics` and the administration; null: in local use `/metrics` is open and there is no
   * administration.
   */
  readonly adminToken: string | null
  /** File of the audit log; null: none. */
  readonly audit: string | null
  readonly folders: PageFolders
  readonly logLevel: string
}

const besideService = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

const FLAGS = {
  port: { type: 'string', default: '8090', hint: 'N', about: 'port to listen on' },
  host: { type: 'string', default: '127.0.0.1', hint: 'ADDRESS', about: 'address to listen on' },
  data: { type: 'string', default: '.data', hint: 'DIR', about: 'folder of the embedded database' },
  'database-url': {
    type: 'string',
    hint: 'URL',
    about: 'an external PostgreSQL instead of the embedded one',
  },
  mode: {
    type: 'string',
    default: 'local',
    hint: 'local|production',
    about: 'local: agents sign in by their nick, every page of this machine is allowed',
  },
  origin: {
    type: 'string',
    multiple: true,
    hint: 'ORIGIN',
    about: 'origin of a page that may use the service (repeatable)',
  },
  stun: { type: 'string', multiple: true, hint: 'URL', about: 'STUN server (repeatable)' },
  turn: { type: 'string', multiple: true, hint: 'URL', about: 'TURN server (repeatable)' },
  'turn-secret': { type: 'string', hint: 'SECRET', about: 'secret shared with the TURN servers' },
  'agent-jwks': {
    type: 'string',
    hint: 'URL',
    about: "public keys of the identity provider that issues the agents' tokens",
  },
  'agent-issuer': { type: 'string', hint: 'ISSUER', about: "`iss` of the agents' tokens" },
  'agent-audience': { type: 'string', hint: 'AUDIENCE', about: "`aud` of the agents' tokens" },
  'agent-claim': {
    type: 'string',
    default: 'roles=agent',
    hint: 'NAME=VALUE',
    about: "what a token of the provider must say to be an agent's; `any`: nothing",
  },
  'open-sign-in': {
    type: 'boolean',
    default: false,
    hint: '',
    about: 'local use on an address that other machines reach: anyone there may sign in as an agent',
  },
  proxies: {
    type: 'string',
    default: '0',
    hint: 'N',
    about: 'reverse proxies before the service: addresses are taken from X-Forwarded-For',
  },
  'max-connections': {
    type: 'string',
    default: '20000',
    hint: 'N',
    about: 'open connections; more are closed at once',
  },
  'drain-wait': {
    type: 'string',
    hint: 'SECONDS',
    about: 'at a stop, what load balancers need to send nobody here any more (local 0, production 10)',
  },
  telephony: {
    type: 'string',
    hint: 'MODULE',
    about: 'ES module that gives the telephony gateway, for Voice over the telephone',
  },
  strategy: {
    type: 'string',
    default: 'broadcast',
    hint: Object.keys(STRATEGIES).join('|'),
    about: 'how agents are chosen',
  },
  weight: {
    type: 'string',
    multiple: true,
    hint: 'load|idle|tags=N',
    about:
      'what counts in the choice: free capacity, time without a contact, fitting tags (repeatable; as in the strategy)',
  },
  step: {
    type: 'string',
    multiple: true,
    hint: 'SECONDS:N|all|any-tags',
    about:
      'after so long in the queue, ask N agents at once, all of them, or also those without the tags (repeatable)',
  },
  'offer-delay': {
    type: 'string',
    default: '0',
    hint: 'SECONDS',
    about: 'a contact is not offered before it has waited so long',
  },
  'offer-time': { type: 'string', default: '30', hint: 'SECONDS', about: 'for an agent to answer an offer' },
  'max-wait': { type: 'string', default: '1800', hint: 'SECONDS', about: 'longest wait in the queue' },
  'keep-messages': {
    type: 'string',
    default: '30',
    hint: 'DAYS',
    about: 'what parties wrote is removed so long after the contact ended',
  },
  'max-file': {
    type: 'string',
    hint: 'MB',
    about: 'largest file that may be sent, 0 for none (local 2048, production 25)',
  },
  'contact-files': {
    type: 'string',
    hint: 'MB',
    about: 'all files of one contact (local 8192, production 250)',
  },
  'visitor-files': {
    type: 'string',
    hint: 'MB',
    about: 'all that a visitor may send in a day (local 8192, production 100)',
  },
  'file-space': { type: 'string', hint: 'MB', about: 'all files together (local 65536, production 10240)' },
  'file-type': {
    type: 'string',
    multiple: true,
    hint: 'TYPE',
    about: 'media type that may be sent, such as image/png or image/* (repeatable; any)',
  },
  'file-link': {
    type: 'string',
    default: '5',
    hint: 'MINUTES',
    about: 'how long the address of a file works',
  },
  'file-origin': {
    type: 'string',
    hint: 'ORIGIN',
    about: 'where files are downloaded from, if another origin leads to this service',
  },
  'keep-files': {
    type: 'string',
    default: '7',
    hint: 'DAYS',
    about: 'files are removed so long after the contact ended',
  },
  'keep-contacts': {
    type: 'string',
    default: '90',
    hint: 'DAYS',
    about: 'contacts are removed so long after they ended',
  },
  'admin-token': { type: 'string', hint: 'TOKEN', about: 'opens /metrics and /v1/admin (bearer)' },
  audit: { type: 'string', hint: 'FILE', about: 'who did what with which contact, a line of JSON each' },
  'sdk-dir': { type: 'string', default: besideService('dist/browser'), hint: 'DIR', about: 'the built SDK' },
  'visitor-dir': {
    type: 'string',
    default: besideService('apps/visitor/dist'),
    hint: 'DIR',
    about: "the visitor's demo page",
  },
  'agent-dir': {
    type: 'string',
    default: besideService('apps/agent/dist'),
    hint: 'DIR',
    about: "the agent's console",
  },
  'inspector-dir': {
    type: 'string',
    default: besideService('apps/inspector/dist'),
    hint: 'DIR',
    about: 'the inspector of the machines, served in local use only',
  },
  'log-level': {
    type: 'string',
    default: 'warn',
    hint: 'LEVEL',
    about: 'silent, error, warn, info or debug',
  },
  help: { type: 'boolean', default: false, hint: '', about: 'show this' },
} as const

type Flag = keyof typeof FLAGS
type Values = Partial<Record<Flag, string | boolean | (string | boolean)[]>>
/** Shorter ones are guessed or left over from development. */
const SECRET_LENGTH = 16
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '::1'])
const LEVELS = ['silent', 'error', 'warn', 'info', 'debug']

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

const notEmpty = (values: readonly (string | boolean)[]): string[] =>
  values.map(String).filter((text) => text !== '')

/**
 * Reads flags, then the environment, then the defaults. `null`: help was asked for.
 *
 * @throws {@link StartError}
 */
export function readOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Options | null {
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
  const mode = choice('mode', one('mode'), ['local', 'production'] as const)
  return checked({
    port: whole('port', one('port'), { least: 0, most: 65_535 }),
    host: one('host'),
    data: one('data'),
    databaseUrl: databaseUrl(one('database-url')),
    mode,
    openSignIn: one('open-sign-in') === 'true',
    origins: all('origin').map(origin('origin')),
    ice: {
      stun: all('stun').map(server('stun')),
      turn: all('turn').map(server('turn')),
      turnSecret: one('turn-secret') || null,
    },
    proxies: whole('proxies', one('proxies'), { least: 0, most: 9 }),
    maxConnections: whole('max-connections', one('max-connections'), { least: 1, most: 1_000_000 }),
    drainWaitMs:
      whole('drain-wait', one('drain-wait') || (mode === 'local' ? '0' : '10'), { least: 0, most: 600 }) *
      1_000,
    telephony: one('telephony') || null,
    strategy: choice('strategy', one('strategy'), Object.keys(STRATEGIES) as StrategyName[]),
    tuning: tuning(one, all),
    offerMs: whole('offer-time', one('offer-time'), { least: 1, most: 3_600 }) * 1_000,
    maxWaitMs: whole('max-wait', one('max-wait'), { least: 1, most: 604_800 }) * 1_000,
    provider: provider(one),
    files: files(one, all('file-type'), mode === 'local' ? LOCAL_FILES : PRODUCTION_FILES),
    retention: {
      messagesMs: days('keep-messages', one),
      filesMs: days('keep-files', one),
      contactsMs: days('keep-contacts', one),
    },
    ...{ adminToken: one('admin-token') || null, audit: one('audit') || null },
    folders: {
      sdk: one('sdk-dir'),
      visitor: one('visitor-dir'),
      agent: one('agent-dir'),
      inspector: mode === 'local' ? one('inspector-dir') : null,
    },
    logLevel: choice('log-level', one('log-level'), LEVELS),
  })
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

const wrong = (flag: Flag, must: string): StartError =>
  new StartError(`unable to read the options; --${flag} must be ${must}`)

function fail(error: StartError): never {
  throw error
}

/** In production nothing may be left to what is convenient on one machine. */
function checked(options: Options): Options {
  if (options.mode === 'local') {
    if (options.provider === null && !options.openSignIn && !LOOPBACK.has(options.host))
      throw new StartError(
        `unable to start; anyone who reaches ${options.host} could sign in as an agent: use --mode production, or --open-sign-in where that is wanted`,
      )
    return options
  }
  if (options.provider === null)
    throw new StartError(
      "unable to start in production; agents' tokens need --agent-jwks, --agent-issuer and --agent-audience",
    )
  if (options.origins.length === 0)
    throw new StartError(
      'unable to start in production; give the pages that may use the service with --origin',
    )
  const insecure = options.origins.find((each) => !each.startsWith('https://'))
  if (insecure !== undefined)
    throw new StartError(`unable to start in production; the origin ${insecure} is not https`)
  const { turn, turnSecret } = options.ice
  if (turn.length > 0 && (turnSecret === null || turnSecret.length < SECRET_LENGTH))
    throw new StartError(
      `unable to start in production; --turn-secret must have at least ${SECRET_LENGTH} characters`,
    )
  if (options.adminToken !== null && options.adminToken.length < SECRET_LENGTH)
    throw new StartError(
      `unable to start in production; --admin-token must have at least ${SECRET_LENGTH} characters`,
    )
  return options
}

const tuning = (one: (flag: Flag) => string, all: (flag: Flag) => string[]): Tuning => ({
  delayMs: whole('offer-delay', one('offer-delay'), { least: 0, most: 86_400 }) * 1_000,
  steps: all('step').map(
    (text) => readStep(text) ?? fail(wrong('step', 'such as 30:2, 60:all or 60:any-tags')),
  ),
  weights: Object.assign(
    {},
    ...all('weight').map(
      (text) => readWeight(text) ?? fail(wrong('weight', 'such as load=1, idle=0.5 or tags=2')),
    ),
  ),
})

const days = (flag: Flag, one: (flag: Flag) => string): number =>
  whole(flag, one(flag), { least: 1, most: 36_500 }) * 86_400_000

const MB = 1_048_576
const LOCAL_FILES = {
  'max-file': '2048',
  'contact-files': '8192',
  'visitor-files': '8192',
  'file-space': '65536',
} as const
const PRODUCTION_FILES = {
  'max-file': '25',
  'contact-files': '250',
  'visitor-files': '100',
  'file-space': '10240',
} as const
const MEDIA_TYPE = /^([\w.+-]+\/([\w.+-]+|\*)|\*\/\*)$/

function files(
  one: (flag: Flag) => string,
  types: readonly string[],
  standard: Readonly<Record<keyof typeof LOCAL_FILES, string>>,
): FileOptions {
  const size = (flag: keyof typeof LOCAL_FILES, least: number): number =>
    whole(flag, one(flag) || standard[flag], {
      least,
      most: flag === 'file-space' ? 1_073_741_824 : 1_048_576,
    }) * MB
  if (types.some((type) => !MEDIA_TYPE.test(type)))
    throw wrong('file-type', 'a media type such as image/png or image/*')
  return {
    folder: join(resolve(one('data')), 'files'),
    maxBytes: size('max-file', 0),
    contactBytes: size('contact-files', 1),
    visitorBytes: size('visitor-files', 1),
    spaceBytes: size('file-space', 1),
    types: types.length === 0 ? ['*/*'] : types.map((type) => type.toLowerCase()),
    urlMs: whole('file-link', one('file-link'), { least: 1, most: 10_080 }) * 60_000,
    origin: one('file-origin') === '' ? null : origin('file-origin')(one('file-origin')),
  }
}

function provider(one: (flag: Flag) => string): ProviderOptions | null {
  const [jwks, issuer, audience] = [one('agent-jwks'), one('agent-issuer'), one('agent-audience')]
  if (jwks === '' && issuer === '' && audience === '') return null
  if (!/^https:\/\/|^http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/]/.test(jwks))
    throw wrong('agent-jwks', 'an https URL')
  if (issuer === '') throw wrong('agent-issuer', "the issuer of the agents' tokens")
  if (audience === '') throw wrong('agent-audience', "the audience of the agents' tokens")
  return { jwks, issuer, audience, claim: claim(one('agent-claim')) }
}

const claim = (text: string): RequiredClaim | null =>
  text === 'any'
    ? null
    : (readClaim(text) ??
      fail(wrong('agent-claim', 'such as roles=agent or realm_access.roles=agent, or any')))

function whole(flag: Flag, text: string, { least, most }: { least: number; most: number }): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < least || value > most)
    throw wrong(flag, `a whole number from ${least} to ${most}`)
  return value
}

function choice<T extends string>(flag: Flag, text: string, choices: readonly T[]): T {
  const found = choices.find((each) => each === text)
  if (found === undefined) throw wrong(flag, choices.join(', '))
  return found
}

const origin =
  (flag: 'origin' | 'file-origin') =>
  (text: string): string => {
    if (!isOrigin(text) || !/^https?:/.test(text))
      throw wrong(flag, 'an origin such as https://www.example.com')
    return text
  }

function databaseUrl(text: string): string | null {
  if (text === '') return null
  if (!/^postgres(ql)?:\/\//.test(text))
    throw wrong('database-url', 'a URL such as postgres://user@host/database')
  return text
}

const server =
  (flag: 'stun' | 'turn') =>
  (text: string): string => {
    if (!new RegExp(`^${flag}s?:[^\\s]+$`).test(text)) throw wrong(flag, `a URL such as ${flag}:host:3478`)
    return text
  }
