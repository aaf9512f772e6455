import type { Entry, RelayFrame } from '../../protocol/index.ts'
import type { PacketSink } from '../../service/src/connections/packet-sink.ts'

/** A connection that notes what it is sent. */
export class NotingSink implements PacketSink {
  readonly frames: RelayFrame[] = []
  readonly entries: Entry[] = []
  isLive = true
  hasRoom = true
  readonly pageBytes = 131_072
  push: PacketSink['push'] = (name, body) => {
    if (name === 'relay.frame') this.frames.push((body as { frame: RelayFrame }).frame)
    if (name === 'log.entries') this.entries.push(...(body as { entries: readonly Entry[] }).entries)
  }
  hold = () => this.hasRoom
  release = () => {}
  mayPass = () => this.hasRoom
  passInTurn = (sendNext: () => boolean) => {
    while (this.hasRoom && sendNext());
  }
  isFull = () => false
  isOpen = () => this.isLive
  drained = () => Promise.resolve()
  inTurn = (work: () => Promise<void>) => work()
  close = () => {
    this.isLive = false
  }
  cut = () => {}
}
