/** Builders for entries of a contact's log. */
import type {
  Entry,
  MediaCapabilities,
  PartyBodies,
  PartyEntryType,
  ServiceBodies,
  ServiceEntryType,
  SharedState,
  Slot,
} from '../../protocol/index.ts'
import { fold, initialSharedState } from '../../protocol/index.ts'
import type { Fact } from '../../protocol/index.ts'

export const CAPABILITIES: MediaCapabilities = {
  Media: { Chat: { Engines: { Native: true } }, Voice: { Engines: { WebRTC: true } } },
  Mobile: false,
}

/** An entry that a party writes. Media in `body` are relative to the other party, as on the wire. */
export const entry = <T extends PartyEntryType>(
  seq: number,
  slot: Slot,
  session: string,
  type: T,
  body: PartyBodies[T],
): Entry =>
  ({
    seq,
    id: `m${seq}`,
    time: seq,
    type,
    slot,
    session,
    counter: seq,
    from: { id: `${slot}-1` },
    body,
  }) as Entry

/** An entry that the service writes. */
export const serviceEntry = <T extends ServiceEntryType>(
  seq: number,
  type: T,
  body: ServiceBodies[T],
): Entry => ({ seq, id: `m${seq}`, time: seq, type, slot: 'service', body }) as Entry

/** `session` takes `slot` after the session `after`, carrying `media`. */
export const present = (
  seq: number,
  slot: Slot,
  session: string,
  {
    after = null,
    media = {},
  }: { readonly after?: string | null; readonly media?: Readonly<Record<string, string>> } = {},
): Entry => entry(seq, slot, session, 'present', { capabilities: CAPABILITIES, media, after })

/** `session` of `slot` has ended. */
export const left = (seq: number, slot: Slot, session: string): Entry =>
  serviceEntry(seq, 'left', { slot, session, channels: { total: 0 } })

export interface Step {
  readonly entry: Entry
  readonly before: SharedState
  readonly after: SharedState
  readonly fact: Fact
}

/** Folds a log from its start, entry by entry. */
export function foldSteps(
  reader: Slot,
  entries: readonly Entry[],
  start: SharedState = initialSharedState(reader),
): Step[] {
  let before = start
  return entries.map((one) => {
    const { state, fact } = fold(before, one)
    const step = { entry: one, before, after: state, fact }
    before = state
    return step
  })
}

/** The shared state at the end of a log. */
export const foldAll = (reader: Slot, entries: readonly Entry[], start?: SharedState): SharedState =>
  foldSteps(reader, entries, start).at(-1)?.after ?? start ?? initialSharedState(reader)
