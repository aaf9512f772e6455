/** The time limits of the WebRTC engine, all in milliseconds. */

/** A transition that turns media on fails when there is no connection by then. */
export const CONNECT_LIMIT_MS = 15_000
/** The same for an undo: shorter than the time that a contact gives it. */
export const RECONNECT_LIMIT_MS = 4_000
/**
 * An attempt that began before the call was decided may know only addresses that are gone: it has this long
 * from the decision on.
 */
export const EARLY_LIMIT_MS = 5_000
/** The other side may hang up this long before this side reads that the call is over. */
export const HANG_UP_GRACE_MS = 5_000
/** An offer of this side has arrived by then. */
export const ARRIVED_AFTER_MS = 2_000

/**
 * Pauses before the ICE restarts of a connection that was lost: from the loss, then from the restart before.
 */
export const RESTART_DELAYS_MS: readonly number[] = [0, 1_000, 2_000, 4_000, 8_000]
/** The connection is given up when the last restart has not helped by then. */
export const LAST_RESTART_MS = 15_000
/** Restarts of one attempt are at least so far apart, whoever asks for them. */
export const BETWEEN_RESTARTS_MS = 1_000
/**
 * The other side may have this side connect or negotiate so often at once, and then once in each interval: more
 * often than two parties can make offers, each of which takes up to three.
 */
export const REMOTE_ASKS = { burst: 64, intervalMs: 125 }
/** The other side may tell of hold and mute so often at once, and then once in each interval. */
export const REMOTE_NOTICES = { burst: 64, intervalMs: 125 }
/** A restart of the other side waits this long for ICE servers; then those of before are used. */
export const SERVERS_LIMIT_MS = 2_000
/**
 * ICE servers that were fetched ahead are used this long: as long as an offer stands; credentials last
 * longer.
 */
export const SERVERS_FRESH_MS = 60_000

/** How often the observer looks at the statistics. */
export const LOOK_EVERY_MS = 1_000
/** A medium that has not moved for so long is silent. With a look a second, that is noticed within 5 s. */
export const SILENT_AFTER_MS = 3_000
/**
 * While nothing has arrived for so long, it is not known whether the network is gone: both ends of a
 * connection
 * that works hear of each other every 2.5 s, also without media.
 */
export const UNSURE_AFTER_MS = 2_000
/** Media that flow again for so long are sound: the next silence begins with the first step. */
export const SOUND_AFTER_MS = 10_000
/** What a step of the recovery may take before the next one. */
export const RECOVERY_STEP_MS = 4_000
/** The same for `relay_only`, which finds new paths. */
export const RELAY_STEP_MS = 6_000

/**
 * How long the browser may take to list its devices, or to start another one in place of one that went away:
 * then the other side is told.
 */
export const LIST_LIMIT_MS = 2_000
/** How long the user may be asked for another device: as long as an offer stands. */
export const QUESTION_LIMIT_MS = 60_000
/** How long a device may take to follow new constraints: it may have to start anew. */
export const CONSTRAINTS_LIMIT_MS = 5_000
