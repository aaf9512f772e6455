import type { IncomingHttpHeaders } from 'node:http'

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Decides which pages may talk to the service. */
export interface OriginRule {
  /** `origin` exactly as the browser sent it. */
  allows(origin: string | undefined): origin is string
  /**
   * From an allowed page, from a page that the service itself serves, such as the console, or from a program, which
   * names no origin. Who asks is shown by the token.
   */
  allowsRequest(headers: Pick<IncomingHttpHeaders, 'origin' | 'host'>): boolean
}

/** Exact origins, and in local use every page of this machine. */
export function originRule({
  origins,
  loopback,
}: {
  readonly origins: readonly string[]
  readonly loopback: boolean
}): OriginRule {
  const exact = new Set(origins)
  const allows = (origin: string | undefined): origin is string =>
    origin !== undefined && (exact.has(origin) || (loopback && isLoopback(origin)))
  return {
    allows,
    allowsRequest: ({ origin, host }) =>
      origin === undefined || allows(origin) || parse(origin)?.host === host,
  }
}

function isLoopback(origin: string): boolean {
  const url = parse(origin)
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && LOOPBACK.has(url.hostname)
}

/** Whether a text is an origin in the form in which browsers send it. */
export const isOrigin = (text: string): boolean => parse(text) !== null

function parse(origin: string): URL | null {
  try {
    const url = new URL(origin)
    return url.origin === origin ? url : null
  } catch {
    return null
  }
}
