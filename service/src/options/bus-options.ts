import type { BusOptions } from '../bus/open-bus.ts'
import { wrong } from './values.ts'

const NATS_PORT = '4222'
const MUST = 'a URL such as nats://user:password@host:4222/deployment or tls://host'

/** Null where no server is given. */
export function busOptions(texts: readonly string[]): BusOptions | null {
  const urls = texts.map(readUrl)
  const [first] = urls
  if (!first) return null
  const same = (part: 'protocol' | 'username' | 'password' | 'pathname'): boolean =>
    urls.every((url) => url[part] === first[part])
  if (!same('protocol') || !same('username') || !same('password') || !same('pathname'))
    throw wrong('bus', 'the same for all servers but for host and port')
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || NATS_PORT}`),
    tls: first.protocol === 'tls:',
    user: decodeURIComponent(first.username) || null,
    password: decodeURIComponent(first.password) || null,
    deployment: first.pathname.slice(1) || 'main',
  }
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^(nats|tls):$/.test(url.protocol) || url.hostname === '') throw wrong('bus', MUST)
  if (!/^\/?[\w-]{0,64}$/.test(url.pathname) || url.search !== '' || url.hash !== '') throw wrong('bus', MUST)
  return url
}
