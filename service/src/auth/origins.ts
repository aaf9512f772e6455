const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Decides which pages may talk to the service. */
export interface OriginRule {
  /** `origin` exactly as the browser sent it. */
  allows(origin: string | undefined): origin is string
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
  return {
    allows: (origin): origin is string =>
      origin !== undefined && (exact.has(origin) || (loopback && isLoopback(origin))),
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
