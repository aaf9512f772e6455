import type { WebRtcImplementation } from './environment.ts'

/** What the wrapper tells of the real connection. */
export interface ConnectionHooks {
  /** The real connection is made, and nobody has touched it yet. */
  made(connection: RTCPeerConnection): void
  /** A description of the other side is in force; awaited before anything else is done with it. */
  described(connection: RTCPeerConnection, type: RTCSdpType): Promise<void>
  /** A candidate was refused by the browser. */
  refused(): void
}

type Method = (...args: unknown[]) => unknown

const STATES: ReadonlySet<PropertyKey> = new Set(['connectionState', 'iceConnectionState'])

/**
 * An implementation for simple-peer that keeps hold of the real connection. It hides the state `failed`,
 * which would make simple-peer destroy itself where an ICE restart can still help. A constructor that returns
 * a Proxy, since @roamhq/wrtc cannot be subclassed.
 */
export function wrapImplementation(
  implementation: WebRtcImplementation,
  hooks: ConnectionHooks,
): WebRtcImplementation {
  const Wrapped = function (configuration?: RTCConfiguration): RTCPeerConnection {
    const real = new implementation.RTCPeerConnection(configuration)
    hooks.made(real)
    const own: Readonly<Record<PropertyKey, Method>> = {
      setRemoteDescription: async (description) => {
        await real.setRemoteDescription(description as RTCSessionDescriptionInit)
        await hooks.described(real, (description as RTCSessionDescriptionInit).type)
      },
      addIceCandidate: (candidate) =>
        real.addIceCandidate(candidate as RTCIceCandidateInit).catch(() => hooks.refused()),
    }
    return new Proxy(real, {
      get(target, name) {
        if (Object.hasOwn(own, name)) return own[name]
        const value: unknown = Reflect.get(target, name, target)
        if (STATES.has(name) && value === 'failed') return 'disconnected'
        return typeof value === 'function' ? (value as Method).bind(target) : value
      },
      set: (target, name, value) => Reflect.set(target, name, value, target),
    })
  }
  return { ...pick(implementation), RTCPeerConnection: Wrapped as unknown as typeof RTCPeerConnection }
}

const pick = ({
  RTCPeerConnection,
  RTCSessionDescription,
  RTCIceCandidate,
  MediaStream,
}: WebRtcImplementation): WebRtcImplementation => ({
  RTCPeerConnection,
  RTCSessionDescription,
  RTCIceCandidate,
  MediaStream,
})
