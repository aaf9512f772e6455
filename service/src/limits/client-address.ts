import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'

/**
 * Where a request comes from: so many proxies of our own stand before the service, and each has noted at the
 * end of `X-Forwarded-For` whom it heard.
 */
export function clientAddress(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  proxies: number,
): string {
  const heard = proxies === 0 ? [] : String(headers['x-forwarded-for'] ?? '').split(',')
  const passed = heard.map((each) => each.trim()).filter((each) => each !== '')
  return passed.at(-proxies) ?? passed[0] ?? socket.remoteAddress ?? ''
}

/**
 * What is counted as one address: of IPv6 a /64, of which one subscriber has all addresses (RFC 4291, 2.5.4).
 */
export function networkOf(address: string): string {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? []
  if (mapped !== undefined) return mapped
  if (!isIPv6(address)) return address
  const [head = [], tail] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  const missing = tail === undefined ? 0 : 8 - head.length - tail.length
  const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...(tail ?? [])]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
