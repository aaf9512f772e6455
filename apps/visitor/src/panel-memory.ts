const OPEN_KEY = 'duolog-widget-open'

/** Keeps over page loads of this tab whether the panel is open. */
export function remember(open: 'yes' | 'no'): void {
  try {
    sessionStorage.setItem(OPEN_KEY, open)
  } catch {
    // Storage is blocked: the panel opens by itself after a page change.
  }
}

export function remembered(): string | null {
  try {
    return sessionStorage.getItem(OPEN_KEY)
  } catch {
    return null
  }
}
