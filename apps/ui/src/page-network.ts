/** What a browser knows of its network. Nothing outside of one. */

/** Tells at once, and with each change until `signal` is aborted, whether there is none. */
export function watchNetwork(tell: (isOffline: boolean) => void, signal: AbortSignal): void {
  if (typeof window === 'undefined' || typeof navigator === 'undefined') return
  const look = (): void => tell(!navigator.onLine)
  for (const name of ['online', 'offline']) window.addEventListener(name, look, { signal })
  look()
}
