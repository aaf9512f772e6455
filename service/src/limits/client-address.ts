import type { IncomingMessage } from 'node:http'

/** Where a request comes from: so many proxies of our own stand before the service, and each has noted at the end of `X-Forwarded-For` whom it heard. */
export function clientAddress({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>, proxies: number): string {
  const heard = proxies === 0 ? [] : String(headers['x-forwarded-for'] ?? '').split(',')
  const passed = heard.map((each) => each.trim()).filter((each) => each !== '')
  return passed.at(-proxies) ?? passed[0] ?? socket.remoteAddress ?? ''
}
