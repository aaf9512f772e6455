import type {
  Clock,
  ContactError,
  JsonValue,
  Liveness,
  MediaState,
  Observation,
  PartialMediaState,
  Slot,
} from '../protocol/index.ts'

/** What an engine may use of the contact it works for. */
export interface EngineHost {
  /** This party's slot. The visitor's side starts where two sides must not both start. */
  readonly slot: Slot
  /**
   * Sends a signal to the same engine of the other party: in order, and lost only together with the session.
   *
   * @throws {@link ContactError} `too_large` — over 127 KiB of JSON.
   */
  signal(data: JsonValue): void
  /**
   * STUN and TURN servers with credentials that are good for minutes: ask for each connection. The service is
   * asked at most once a minute.
   * @throws {@link ContactError} `offline`
   */
  iceServers(): Promise<
    readonly { readonly urls: readonly string[]; readonly username?: string; readonly credential?: string }[]
  >
  /** Tells what happened of the engine's own accord. */
  report(event: EngineEvent): void
  /** Tells what really flows, at most once a second, while something should. */
  observed(observation: Observation): void
  readonly clock: Clock
}

/** What an engine tells of its own accord. */
export type EngineEvent =
  /**
   * The engine lost `media`, all of it if not given, and has given it back; a later transition starts afresh.
   */
  | { readonly type: 'broke'; readonly error: ContactError; readonly media?: readonly string[] }
  /** A capture ended (device unplugged, share stopped by its user) while the engine works. */
  | { readonly type: 'capture_ended'; readonly medium: string }
  /**
   * The system has taken a device for something else, such as a telephone call, or gives it back. The capture
   * goes on.
   */
  | { readonly type: 'interrupted'; readonly medium: string; readonly on: boolean }
  /**
   * Media that are on do not arrive, or do again. The contact turns Video off for the step `drop_video`; the
   * other steps are the engine's.
   */
  | ({ readonly type: 'liveness' } & Liveness)
  /** The other side holds the call: it neither sends nor plays; or it goes on. */
  | { readonly type: 'remote_held'; readonly on: boolean }
  /** The other side sends silence or black of these media, and of no others. */
  | { readonly type: 'remote_muted'; readonly muted: readonly string[] }
  /**
   * The user has muted or unmuted something, put the call on hold or taken it back:
   * {@link MediaEngine.controls} is new.
   */
  | { readonly type: 'controls_changed' }
  /** Streams of a medium changed: `data` of the state is new. */
  | { readonly type: 'data_changed'; readonly medium: string }

/** What its user has muted, and whether the call is on hold. */
export interface EngineControls {
  /** Media of which nothing is sent, now or when they are turned on. */
  readonly muted: readonly string[]
  /** Nothing is sent or played. */
  readonly held: boolean
}

/** One change of the media that an engine carries. Media of other engines are not in it. */
export interface EngineTransition {
  readonly from: PartialMediaState
  readonly to: PartialMediaState
  /** The other party asked for it. */
  readonly wasOffered: boolean
  /** It brings back an earlier state. */
  readonly restore: boolean
  /**
   * Aborted when the transition is no longer wanted: the engine then settles soon, with `left`, and `undo`
   * follows.
   */
  readonly signal: AbortSignal
}

/**
 * Carries media. One instance serves one contact; the contact calls one operation at a time and waits for it.
 * Conformance: `describeMediaEngine` of the entry `testing`.
 */
export interface MediaEngine {
  /** Identifier that stands in `engine` fields, for example `WebRTC`. */
  readonly id: string
  /** Media that can be carried here and now, each with its `via`. Asks nobody for permission. */
  capabilities(): Promise<Readonly<Record<string, { readonly via: string }>>>
  /**
   * Called once, before any other operation but `capabilities`. What it throws, or a promise that rejects or
   * does not settle within 5 s, makes the engine unusable.
   */
  attach(host: EngineHost): void
  /**
   * Inside a user gesture: acquires what `media` would transmit, so that the browser asks now, before this
   * returns. `undo` or `stop` gives back what is not used.
   *
   * @param agreed - this side has agreed to these media by an offer or an answer of its own, and the log
   *   has not decided yet: the engine may find its way to the other
   * side meanwhile, and neither sends nor shows anything. Without it nothing leaves this side.
   * @throws {@link ContactError} `media_*`; `left` when `undo` or `stop` comes while the browser still
   *   asks: neither has to wait for it.
   */
  prepare(media: PartialMediaState, agreed?: boolean): Promise<void>
  /**
   * Carries out a transition and resolves when its media are ready to flow. On rejection nothing is promised
   * but that `undo` or `stop` may follow.
   *
   * @throws {@link ContactError} `media_denied`, `media_dismissed`, `media_not_found`, `media_in_use`,
   *   `media_insecure_context`, `media_failed`, `engine_failed`; `left` when aborted.
   */
  transit(transition: EngineTransition): Promise<void>
  /**
   * Brings the engine to exactly `to`, from wherever a failed, aborted or finished transition left it. Gives
   * back at its start what `prepare` acquired beyond `to`; what `prepare` acquires after that stays.
   * @throws {@link ContactError} `engine_failed`: the engine is then broken.
   */
  undo(to: PartialMediaState): Promise<void>
  /** A signal of the same engine of the other party. It may come at any time, also before `transit`. */
  receive(data: JsonValue): void
  /** Local information of each medium that is on: `data` of the media state. */
  data(): Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /**
   * What its user has muted and put on hold, where the engine can do that. It belongs to the contact: a page
   * that brings the call back goes on with it.
   */
  controls?(): EngineControls
  /** Puts this in force at once, and for all that is captured later. */
  setControls?(controls: EngineControls): void
  /**
   * Gives everything back: devices, connections, timers, listeners. Idempotent, in any state; what is running
   * settles with `left`. A later transition starts afresh.
   */
  stop(): Promise<void>
}

/** The part of a state that one engine carries. */
export const partOf = (media: MediaState | PartialMediaState, engine: string): PartialMediaState =>
  Object.fromEntries(
    Object.entries(media).filter(([, details]) => details?.engine === engine && (details.tx || details.rx)),
  )
