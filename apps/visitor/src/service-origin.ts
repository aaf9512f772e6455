/** The origin of the service that a page names, relative to the page; null where it is no address of the web. */
export function serviceOrigin(named: string, page: string): string | null {
  try {
    const { protocol, origin } = new URL(named, page)
    return /^https?:$/.test(protocol) ? origin : null
  } catch {
    return null
  }
}
