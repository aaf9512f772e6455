import type { EngineHost } from '../media-engine.ts'

type Servers = Awaited<ReturnType<EngineHost['iceServers']>>

/** The servers as a connection takes them. */
export const toIceServers = (servers: Servers): RTCIceServer[] =>
  servers.map(({ urls, username, credential }) => ({ urls: [...urls], ...(username !== undefined && { username }), ...(credential !== undefined && { credential }) }))

/** Whether one of them can relay. */
export const hasRelay = (servers: readonly RTCIceServer[] | undefined): boolean => servers?.some(({ urls }) => [urls].flat().some((url) => /^turns?:/i.test(url))) === true
