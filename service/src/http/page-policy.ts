import { createHash } from 'node:crypto'

/** Scripts that stand in a page itself, such as import maps. */
const INLINE = /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/gi

const hashOf = (script: string): string => `'sha256-${createHash('sha256').update(script).digest('base64')}'`

/**
 * Headers that keep a served page to what it needs: nothing runs that was not served with it, nobody frames
 * it.
 * `ws:` stands beside `'self'` because Safari before 15.4 does not take it for the page's own WebSocket (CSP
 * 3, 6.7.2.8).
 */
export function pageHeaders(html: string): Readonly<Record<string, string>> {
  const scripts = [...html.matchAll(INLINE)].map(([, script = '']) => hashOf(script))
  const policy = {
    'default-src': "'self'",
    'script-src': ["'self'", ...scripts].join(' '),
    'style-src': "'self'",
    'img-src': "'self' https: data: blob:",
    'media-src': "'self' blob: mediastream:",
    'connect-src': "'self' ws: wss: https:",
    'object-src': "'none'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
  }
  return {
    'content-security-policy': Object.entries(policy)
      .map(([name, sources]) => `${name} ${sources}`)
      .join('; '),
    'permissions-policy':
      'camera=(self), microphone=(self), display-capture=(self), geolocation=(), payment=(), usb=()',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'x-frame-options': 'DENY',
  }
}
