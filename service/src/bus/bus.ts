/**
 * How nodes of one deployment reach each other. The store is the truth: every hint may be lost, and a poll of
 * the store finds the same. `missed` says when such a poll is worth it.
 */

/** What one node tells or asks another. A receiver drops kinds that it does not know. */
export interface BusMessage {
  readonly kind: string
  /** Anything that JSON can carry. */
  readonly body: unknown
}

/** A frame of the relay for a session that is connected to another node. */
export interface BusFrame {
  /** The sending session: frames that wait for an answer are counted for each. */
  readonly session: string
  /** Anything that JSON can carry. */
  readonly body: unknown
}

/**
 * What became of a hint. `offline`: the bus is down; `full`: more waits to be sent than {@link BUS_LIMITS}
 * allows; `too_large`: it has more than `messageBytes`. In all three the hint is gone.
 */
export type HintResult = 'sent' | 'offline' | 'full' | 'too_large'

/** What the node of the receiving session answers to a frame. */
export type FrameAnswer = 'taken' | 'peer_left' | 'rate_limited' | 'not_here'

/**
 * What the sender of a frame hears. `rate_limited` also comes from this node, where too many frames wait for
 * an answer. `offline`: nobody has answered in time, or the bus is down; the frame may have arrived.
 */
export type FrameResult = FrameAnswer | 'offline' | 'too_large'

/** What a node does with what it hears. A handler that throws harms nobody else. */
export interface BusHandlers {
  readonly hint: (from: string, message: BusMessage) => void
  /** Gives the answer. A rejection is `offline` for the node that asks. */
  readonly request: (from: string, message: BusMessage) => Promise<unknown>
  /** Called in the order in which a node has sent its frames, whenever the answers come. */
  readonly frame: (from: string, frame: BusFrame) => FrameAnswer | Promise<FrameAnswer>
  /** Messages of this node were lost, or of any node where it is null: the store has what they said. */
  readonly missed: (from: string | null) => void
}

/** Bounds of everything that a bus keeps. */
export const BUS_LIMITS = {
  /** Of a message on the wire. */
  messageBytes: 262_144,
  /** Waiting to be sent on a connection. */
  unsentBytes: 33_554_432,
  /** Frames of a session without an answer. */
  sessionFrames: 512,
  /** Bytes of frames to a node without an answer. */
  nodeFrameBytes: 16_777_216,
  /** Bytes of frames of all nodes that a handler has not answered yet. */
  handledFrameBytes: 67_108_864,
  /** Own requests without an answer, and requests of others that a handler has not answered yet. */
  requests: 1_000,
  /** For an answer to a request or a frame. */
  answerMs: 2_000,
  /** Frames that are older have been given up by their sender. */
  frameAgeMs: 5_000,
} as const

/** The way from one node to the others. */
export interface Bus {
  readonly node: string
  /** Whether messages pass at the moment. */
  readonly isUp: boolean
  /** Tells one node. Never waits. */
  hint(node: string, message: BusMessage): HintResult
  /** Tells all other nodes. Never waits. */
  hintAll(message: BusMessage): HintResult
  /**
   * Asks a node.
   *
   * @throws ContactError `offline`: the node is unknown or silent, or the bus is down; `too_large`
   */
  request(node: string, message: BusMessage): Promise<unknown>
  /** Passes a frame on. Frames for a node arrive in the order of these calls. */
  frame(node: string, frame: BusFrame): Promise<FrameResult>
  /** Forgets a node that is dead. Its name is never used again. */
  forget(node: string): void
  /** Ends what waits for an answer with `offline`, and lets everything go. Idempotent. */
  close(): Promise<void>
}
