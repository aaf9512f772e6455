import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { REFRESH_DAYS } from './auth/visitors.ts'
import { readRawOptions, toldInstead } from './options/flags.ts'
import type { RawOptions } from './options/flags.ts'
import { busOptions } from './options/bus-options.ts'
import { clusterOptions } from './options/cluster-options.ts'
import { deskOptions } from './options/desk-options.ts'
import { fileOptions } from './options/file-options.ts'
import { identityOptions } from './options/identity-options.ts'
import { checkNeeds } from './options/needed-options.ts'
import type { Options } from './options/options.types.ts'
import { providerOptions } from './options/provider-options.ts'
import { checkOptions } from './options/start-rules.ts'
import { tuningOptions } from './options/tuning-options.ts'
import { webhookOptions } from './options/webhook-options.ts'
import { choice, databaseUrl, days, nodeName, origin, server, whole, wrong } from './options/values.ts'
import { STRATEGIES } from './queue/strategy.ts'
import type { StrategyName } from './queue/strategy.ts'

export { toldInstead }
export type { Options }

const LEVELS = ['silent', 'error', 'warn', 'info', 'debug']
const MODES = ['local', 'production'] as const
type Mode = (typeof MODES)[number]

/**
 * Reads flags, then the environment, then the defaults.
 *
 * @throws {@link StartError}
 */
export function readOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Options {
  const given = readRawOptions(args, env)
  const mode = choice('mode', given.one('mode'), MODES)
  checkNeeds(given)
  return checkOptions({
    mode,
    ...addressOptions(given),
    ...clusterOptions(given, mode),
    ...storeOptions(given),
    ...clientOptions(given),
    ...queueOptions(given),
    provider: providerOptions(given),
    identities: identityOptions(given),
    webhook: webhookOptions(given),
    ...deskOptions(given),
    files: fileOptions(given, mode),
    ...operationOptions(given),
    folders: folderOptions(given, mode),
  })
}

const addressOptions = ({ one }: RawOptions) => ({
  port: whole('port', one('port'), { least: 0, most: 65_535 }),
  host: one('host'),
  proxies: whole('proxies', one('proxies'), { least: 0, most: 9 }),
  maxConnections: whole('max-connections', one('max-connections'), { least: 1, most: 1_000_000 }),
})

const storeOptions = (given: RawOptions) => ({
  data: given.one('data'),
  databaseUrl: databaseUrl(given.one('database-url')),
  bus: busOptions(given),
  nodeName: nodeName(given.one('node-name')),
  polling: given.one('polling') === 'true' || given.all('bus').length === 0,
  retention: {
    messagesMs: days('keep-messages', given.one('keep-messages')),
    filesMs: days('keep-files', given.one('keep-files')),
    contactsMs: days('keep-contacts', given.one('keep-contacts')),
  },
})

const clientOptions = ({ one, all }: RawOptions) => ({
  openSignIn: one('open-sign-in') === 'true',
  origins: all('origin').map(origin('origin')),
  consoleParents: all('console-parent').map(origin('console-parent')),
  ice: {
    stun: all('stun').map(server('stun')),
    turn: all('turn').map(server('turn')),
    turnSecret: one('turn-secret') || null,
  },
  telephony: one('telephony') || null,
})

const queueOptions = (given: RawOptions) => ({
  strategy: choice('strategy', given.one('strategy'), Object.keys(STRATEGIES) as StrategyName[]),
  tuning: tuningOptions(given),
  offerMs: whole('offer-time', given.one('offer-time'), { least: 1, most: 3_600 }) * 1_000,
  maxWaitMs: whole('max-wait', given.one('max-wait'), { least: 1, most: 604_800 }) * 1_000,
  // Its anonymous visitor has a day to read an answer that comes last.
  laterMs: whole('later', given.one('later'), { least: 0, most: REFRESH_DAYS - 1 }) * 86_400_000,
})

const operationOptions = ({ one }: RawOptions) => ({
  adminToken: one('admin-token') || null,
  audit: one('audit') || null,
  logLevel: choice('log-level', one('log-level'), LEVELS),
})

const folderOptions = (given: RawOptions, mode: Mode): Options['folders'] => ({
  sdk: folder(given, 'sdk-dir'),
  visitor: folder(given, 'visitor-dir'),
  agent: folder(given, 'agent-dir'),
  inspector: mode === 'local' ? folder(given, 'inspector-dir') : null,
})

/** One that is given must be there; the standard one may still have to be built. */
function folder(
  { one, all }: RawOptions,
  flag: 'sdk-dir' | 'visitor-dir' | 'agent-dir' | 'inspector-dir',
): string {
  const path = resolve(one(flag))
  if (all(flag).length > 0 && !statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw wrong(flag, 'a folder that there is')
  return path
}
