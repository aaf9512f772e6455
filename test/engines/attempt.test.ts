import { deepEqual } from 'node:assert/strict'
import { it } from 'vitest'
import { PeerAttempt } from '../../engines/webrtc/peer-attempt.ts'
import type { Peer } from '../../engines/webrtc/peer.ts'
import type { PeerSignal } from '../../engines/webrtc/signals.ts'

const candidate: PeerSignal = {
  type: 'candidate',
  candidate: { candidate: 'candidate:1 1 udp 1 192.0.2.1 9 typ host', sdpMid: '0', sdpMLineIndex: 0 },
}
const answer: PeerSignal = { type: 'answer', sdp: 'v=0' }

it('SND-306 of one description of the other side a connection takes 256 candidates, however many come', () => {
  const taken: string[] = []
  const attempt = new PeerAttempt('x')
  const send = (signal: PeerSignal, times: number): number =>
    Array.from({ length: times }, () => attempt.accept(signal)).filter(Boolean).length
  // Those that come early wait, and count as well.
  deepEqual(send(candidate, 500), 128)
  deepEqual(attempt.open({ accept: ({ type }: PeerSignal) => taken.push(type) > 0 } as unknown as Peer), 0)
  deepEqual([send(candidate, 10_000), taken.length], [128, 256])
  deepEqual([send(answer, 1), send(candidate, 10_000), taken.length], [1, 256, 513])
})
