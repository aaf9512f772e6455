import * as v from 'valibot'
import { ContactError, otherSlot } from '../../../protocol/index.ts'
import type { RelayFrame } from '../../../protocol/index.ts'
import type { BusFrame, FrameAnswer, FrameResult } from '../bus/bus.ts'
import type { NodeLink } from '../cluster/node-link.ts'
import type { Channel } from '../connections/channel.ts'
import type { Hub } from '../connections/hub.ts'
import type { Metrics } from '../http/metrics.ts'

interface RelayParts {
  readonly hub: Hub
  readonly link: NodeLink
  /** The node of a session; null where it has no connection. */
  readonly nodeOf: (contact: string, session: string) => Promise<string | null>
  readonly metrics: Pick<Metrics, 'counter' | 'add'>
}

/** A frame on its way between nodes. */
const carried = v.object({
  contact: v.string(),
  to: v.string(),
  /** The last entry that the sender's node knew. */
  after: v.number(),
  /** Which opening of the sender's session it is of. */
  epoch: v.nullish(v.number(), null),
  frame: v.custom<RelayFrame>((value) => typeof value === 'object' && value !== null && 'n' in value),
})
type Carried = v.InferOutput<typeof carried>

/** Where the frames of a channel go. */
interface Route {
  readonly sender: string
  readonly to: string
  readonly node: Promise<string | null>
}

const FRAMES = 'duolog_relay_frames_total'
/** Asks the other session for the frames that were not acknowledged. */
const RESUME: RelayFrame = { n: 0, ack: 0, kind: 'resume' }

const REFUSALS = {
  peer_left: 'the two sessions do not hold the slots of the contact',
  offline: 'the other session has no connection at the moment',
  rate_limited: 'too many wait for the other session',
  too_large: 'it does not fit in a message between nodes',
} as const

/**
 * The ephemeral relay between two sessions, on one node or on two. The sender's node finds the node of the
 * other session in the store, and asks again once where it is not there any more.
 */
export class Relay {
  readonly #parts: RelayParts
  readonly #routes = new WeakMap<Channel, Route>()
  /** Channels whose frames did not leave, as bus or store were out, with the session that did not get them. */
  readonly #stalled = new Map<Channel, string>()

  constructor(parts: RelayParts) {
    this.#parts = parts
    parts.metrics.counter(FRAMES, 'Frames of the relay, by way and outcome.')
    parts.link.takeFrames((_from, frame) => this.#receive(frame))
    parts.link.answer('relay', () => Promise.resolve(true))
  }

  /**
   * Passes a frame from the session of `sender` to the session `to`. Frames arrive in the order of these
   * calls.
   *
   * @throws {@link ContactError} `peer_left`, `offline`, `rate_limited`, `too_large`
   */
  async send(sender: Channel, to: string, frame: RelayFrame): Promise<void> {
    const { hub, link } = this.#parts
    if (hub.relay(sender, to, frame)) return this.#count('local', 'taken')
    const contact = hub.find(sender.contact)
    if (link.isAlone || !contact) throw refusal('offline')
    const outcome = await this.#sendAway(sender, {
      ...{ contact: sender.contact, to, frame, epoch: sender.epoch },
      after: contact.fold.state.seq,
    })
    this.#count('out', outcome)
    if (outcome !== 'taken') throw refusal(outcome === 'not_here' ? 'offline' : outcome)
  }

  /**
   * Frames may have been lost: where the other session's node answers again, the senders are asked in its
   * name to send again what was not acknowledged.
   */
  async resume(): Promise<void> {
    const { hub, link } = this.#parts
    if (!link.isUp) return
    const byNode = new Map<string, [Channel, string][]>()
    for (const [channel, to] of this.#stalled) {
      const node = hub.find(channel.contact)?.nodeOf(to) ?? null
      if (channel.isClosed) this.#stalled.delete(channel)
      else if (node !== null) byNode.set(node, [...(byNode.get(node) ?? []), [channel, to]])
    }
    await Promise.all([...byNode].map(([node, stalled]) => this.#resume(node, stalled)))
  }

  /** Where its node does not have the session, or does not answer, the page may have gone to another one. */
  async #sendAway(sender: Channel, carriedFrame: Carried): Promise<FrameResult> {
    const route = this.#routeOf(sender, carriedFrame.to)
    const outcome = await this.#sendOver(route, carriedFrame)
    if (outcome !== 'not_here' && outcome !== 'offline') return outcome
    this.#leave(sender, route)
    const again = this.#routeOf(sender, carriedFrame.to)
    const isElsewhere = outcome === 'not_here' || (await isOther(again, route))
    const last = isElsewhere ? await this.#sendOver(again, carriedFrame) : outcome
    if (last === 'not_here' || last === 'offline') this.#leave(sender, again)
    if (last === 'offline' && !sender.isClosed) this.#stalled.set(sender, carriedFrame.to)
    return last
  }

  async #sendOver({ sender, node: found }: Route, body: Carried): Promise<FrameResult> {
    const { link } = this.#parts
    const node = await found.catch(() => undefined)
    if (node === undefined) return 'offline'
    if (node === null || node === link.node) return 'not_here'
    return link.frame(node, { session: sender, body })
  }

  /** Asked of the store once, and kept until the node says otherwise or nothing. */
  #routeOf(sender: Channel, to: string): Route {
    const known = this.#routes.get(sender)
    if (known?.to === to) return known
    const route: Route = { sender: sender.session, to, node: this.#parts.nodeOf(sender.contact, to) }
    route.node.catch(() => this.#leave(sender, route))
    this.#routes.set(sender, route)
    return route
  }

  #leave(sender: Channel, route: Route): void {
    if (this.#routes.get(sender) === route) this.#routes.delete(sender)
  }

  async #resume(node: string, stalled: readonly [Channel, string][]): Promise<void> {
    const { hub, link } = this.#parts
    try {
      await link.ask(node, 'relay', {})
    } catch {
      return
    }
    for (const [channel, to] of stalled)
      if (this.#stalled.delete(channel)) channel.pass(RESUME, to, hub.stateOf(channel.contact)?.seq ?? 0)
  }

  #receive({ session, body }: BusFrame): FrameAnswer | Promise<FrameAnswer> {
    const read = v.safeParse(carried, body)
    const contact = read.success ? this.#parts.hub.find(read.output.contact) : null
    if (!contact || !read.success) return this.#counted('not_here')
    return new Promise((settle, fail) => {
      contact.fold.at(read.output.after, (isReached) => {
        if (isReached) settle(this.#counted(this.#hand(session, read.output)))
        else fail(new ContactError('offline', 'unable to take the frame; entries before it are not here'))
      })
    })
  }

  /** Judged by the fold at the position of the sender's, or later. */
  #hand(from: string, { contact: id, to, after, epoch, frame }: Carried): FrameAnswer {
    const contact = this.#parts.hub.find(id)
    const receiver = contact?.channels.get(to)
    if (!contact || !receiver?.sink.isOpen()) return 'not_here'
    const { session } = contact.fold.state.shared
    const slot = otherSlot(receiver.slot)
    if (session[receiver.slot] !== to || session[slot] !== from) return 'peer_left'
    if (!contact.mayPass({ session: from, slot, epoch })) return 'not_here'
    return receiver.pass(frame, from, after) ? 'taken' : 'rate_limited'
  }

  #counted(answer: FrameAnswer): FrameAnswer {
    this.#count('in', answer)
    return answer
  }

  #count(way: 'local' | 'out' | 'in', outcome: FrameResult): void {
    this.#parts.metrics.add(FRAMES, `way="${way}",outcome="${outcome}"`)
  }
}

/** Whether the store says a node, and another one than before. */
async function isOther(now: Route, before: Route): Promise<boolean> {
  const [node, former] = await Promise.all([now, before].map((each) => each.node.catch(() => null)))
  return node !== null && node !== former
}

const refusal = (code: keyof typeof REFUSALS): ContactError =>
  new ContactError(code, `unable to hand over the frame; ${REFUSALS[code]}`)
