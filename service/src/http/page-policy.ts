import { createHash } from 'node:crypto'

/** Scripts that stand in a page itself, such as import maps. */
const INLINE = /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/gi

const hashOf = (script: string): string => `'sha256-${createHash('sha256').update(script).digest('base64')}'`

/** What a page needs beyond others. */
export interface PageRules {
  /** Origins of pages that may frame it. */
  readonly parents?: readonly string[]
  /** Origins that it talks to, where they are not https. */
  readonly connect?: readonly string[]
}

/**
 * Headers that keep a served page to what it needs: nothing runs that was not served with it, nobody frames
 * it but its `parents`.
 * `ws:` stands beside `'self'` because Safari before 15.4 does not take it for the page's own WebSocket (CSP
 * 3, 6.7.2.8).
 */
export function pageHeaders(
  html: string,
  { parents = [], connect = [] }: PageRules = {},
): Readonly<Record<string, string>> {
  const scripts = [...html.matchAll(INLINE)].map(([, script = '']) => hashOf(script))
  const policy = {
    'default-src': "'self'",
    'script-src': ["'self'", ...scripts].join(' '),
    'style-src': "'self'",
    'img-src': "'self' https: data: blob:",
    'media-src': "'self' blob: mediastream:",
    'connect-src': ["'self'", 'ws:', 'wss:', 'https:', ...connect].join(' '),
    'object-src': "'none'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': parents.length > 0 ? parents.join(' ') : "'none'",
  }
  return {
    'content-security-policy': Object.entries(policy)
      .map(([name, sources]) => `${name} ${sources}`)
      .join('; '),
    'permissions-policy':
      'camera=(self), microphone=(self), display-capture=(self), geolocation=(), payment=(), usb=()',
    'referrer-policy': 'strict-origin-when-cross-origin',
    ...(parents.length === 0 && { 'x-frame-options': 'DENY' }),
  }
}
