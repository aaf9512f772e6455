/** In whose name a token is, as far as it says so: the subject of a JWT. */
export function subjectOf(token: string): string | undefined {
  try {
    const [, claims = ''] = token.split('.')
    const { sub } = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))) as {
      readonly sub?: unknown
    }
    return typeof sub === 'string' ? sub : undefined
  } catch {
    return undefined
  }
}
