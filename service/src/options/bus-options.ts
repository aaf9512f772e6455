import type { NatsFiles } from '../bus/nats-carrier.ts'
import type { BusOptions } from '../bus/open-bus.ts'
import type { Flag } from './flag-table.ts'
import type { RawOptions } from './flags.ts'
import { checkReadable, wrong } from './values.ts'

const NATS_PORT = '4222'
const MUST = 'a URL such as nats://user:password@host:4222/deployment or tls://host'
const FILE_FLAGS = [
  ['credentials', 'bus-credentials'],
  ['cert', 'bus-cert'],
  ['key', 'bus-key'],
  ['ca', 'bus-ca'],
] as const satisfies readonly (readonly [keyof NatsFiles, Flag])[]

/** Null where no server is given. */
export function busOptions({ all, one }: RawOptions): BusOptions | null {
  const urls = all('bus').map(readUrl)
  const [first] = urls
  const given = FILE_FLAGS.filter(([, flag]) => one(flag) !== '')
  if (!first) return null
  const same = (part: 'protocol' | 'username' | 'password' | 'pathname'): boolean =>
    urls.every((url) => url[part] === first[part])
  if (!same('protocol') || !same('username') || !same('password') || !same('pathname'))
    throw wrong('bus', 'the same for all servers but for host and port')
  const files: NatsFiles = Object.fromEntries(given.map(([name, flag]) => [name, one(flag)]))
  checkFiles(files, first)
  for (const [, flag] of given) checkReadable(flag, one(flag))
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || NATS_PORT}`),
    tls: first.protocol === 'tls:',
    user: decodeURIComponent(first.username) || null,
    password: decodeURIComponent(first.password) || null,
    deployment: first.pathname.slice(1) || 'main',
    ...(given.length > 0 && { files }),
  }
}

function checkFiles({ credentials, cert, ca }: NatsFiles, { protocol, username }: URL): void {
  if (credentials !== undefined && username !== '')
    throw wrong('bus-credentials', 'the only sign-in; --bus names a user, too')
  if (protocol !== 'tls:' && (cert !== undefined || ca !== undefined))
    throw wrong('bus', 'tls:// where certificates are given')
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^(nats|tls):$/.test(url.protocol) || url.hostname === '') throw wrong('bus', MUST)
  if (!/^\/?[\w-]{0,64}$/.test(url.pathname) || url.search !== '' || url.hash !== '') throw wrong('bus', MUST)
  return url
}
