import { provideNodeGlobals } from './globals.ts'
import type { Peer } from './peer.ts'

/** Loads simple-peer and what stands on it: a chunk of its own, not needed before the first call. */
export async function loadPeer(): Promise<typeof Peer> {
  provideNodeGlobals()
  return (await import('./peer.ts')).Peer
}
