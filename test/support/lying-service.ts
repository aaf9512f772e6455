import { parsePush, parseReply, rawEntry } from '../../protocol/index.ts'
import type {
  Connection,
  Draft,
  Entry,
  JsonValue,
  Push,
  RelayFrame,
  Slot,
  Transport,
} from '../../protocol/index.ts'
import type { World } from './world.ts'

/** An entry as the service sends it. */
export type Raw = Record<string, JsonValue> & { body: Record<string, JsonValue> }

/** What a hostile service does to what it passes on to one party. */
export interface Hostility {
  /** Other entries in the place of these. */
  readonly entries?: (entries: Raw[]) => Raw[]
  readonly frame?: (frame: RelayFrame) => RelayFrame
  readonly drafts?: (drafts: readonly Draft[]) => readonly Draft[]
  /** Members of each record that is read. */
  readonly record?: Readonly<Record<string, unknown>>
  /** Pushes wait while it says so. */
  readonly holds?: () => boolean
}

/** Lets the service of a world be hostile to one party, from its next connection on. Returns what lets pushes go. */
export function hostileTo(world: World, slot: Slot, hostility: Hostility): () => void {
  const { link } = world
  const original = link.transport.bind(link)
  let waiting: (() => void)[] = []
  const raws = (entries: readonly Entry[]): Raw[] =>
    entries.map((entry) => structuredClone(rawEntry(entry) ?? entry) as Raw)
  const changed = (push: Push): Push => {
    const { entries, frame } = hostility
    if (push.name === 'log.entries' && entries)
      return parsePush('log.entries', { ...push.body, entries: entries(raws(push.body.entries)) }) ?? push
    if (push.name === 'relay.frame' && frame)
      return { ...push, body: { ...push.body, frame: frame(push.body.frame) } }
    return push
  }
  link.transport = (party) => {
    const transport = original(party)
    if (party.slot !== slot) return transport
    return {
      connect: (onEvent) =>
        hostileConnection(
          transport.connect((event) => {
            const pass = (): void =>
              onEvent(event.type === 'push' ? { ...event, push: changed(event.push) } : event)
            if (event.type === 'push' && hostility.holds?.()) waiting.push(pass)
            else pass()
          }),
          hostility,
        ),
    } satisfies Transport
  }
  return () => {
    for (const pass of waiting.splice(0)) pass()
    waiting = []
  }
}

function hostileConnection(connection: Connection, { drafts, record }: Hostility): Connection {
  return {
    close: () => connection.close(),
    async call(name, args) {
      const given =
        name === 'log.append' && drafts
          ? { ...args, drafts: drafts((args as { readonly drafts: readonly Draft[] }).drafts) }
          : args
      const result = await connection.call(name, given as typeof args)
      if (!record || typeof result !== 'object' || !('record' in result)) return result
      const value = { ...result, record: { ...(result.record as object), ...record } }
      return parseReply(name, { ok: true, value })
    },
  }
}
