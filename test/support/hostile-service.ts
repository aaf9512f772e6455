/**
 * A service that is hostile to the contacts that it stores and orders: it stands between pages and a sound
 * service, in memory or a real one, and changes what passes.
 */
import { parsePush, parseReply, rawEntry } from '../../protocol/index.ts'
import type { CallName, Calls, Connection, Entry, Push, Slot, Transport } from '../../protocol/index.ts'

/** An entry as JSON. */
export type Raw = Readonly<Record<string, unknown>> & {
  readonly seq: number
  readonly id: string
  readonly type: string
  readonly slot: Slot | 'service'
  readonly body: Readonly<Record<string, unknown>>
}

/** What a hostile service does. Each member may be left out. */
export interface Attack {
  /** Entries on their way to a page, of a push or of an answer: what comes instead. */
  readonly entries?: (entries: readonly Raw[], to: Slot) => readonly Raw[]
  /** Arguments of a call: what the sound service is asked instead. */
  readonly ask?: (name: CallName, args: never, from: Slot) => unknown
  /** The result of a call: what the page is answered instead. */
  readonly answer?: (name: CallName, result: never, to: Slot) => unknown
  /** Any other push: what comes instead, null for nothing. */
  readonly push?: (push: Push, to: Slot) => Push | null
}

const rawOf = (entry: Entry): Raw => JSON.parse(JSON.stringify(rawEntry(entry) ?? entry)) as Raw

/** The way of a party to a service, with `attack` in between. */
export function hostileTransport(sound: Transport, slot: Slot, attack: Attack): Transport {
  const changed = (entries: readonly Entry[]): readonly Raw[] => {
    const raws = entries.map(rawOf)
    return attack.entries?.(raws, slot) ?? raws
  }
  const pushed = (push: Push): Push | null => {
    if (push.name !== 'log.entries') return attack.push ? attack.push(push, slot) : push
    const entries = changed(push.body.entries)
    return entries.length === 0 ? null : parsePush(push.name, { contact: push.body.contact, entries })
  }
  const call = async <N extends CallName>(
    connection: Connection,
    name: N,
    args: Calls[N]['args'],
  ): Promise<Calls[N]['result']> => {
    const asked = (attack.ask?.(name, args as never, slot) ?? args) as Calls[N]['args']
    const result = await connection.call(name, asked)
    const value =
      name === 'log.read'
        ? { ...result, entries: changed((result as Calls['log.read']['result']).entries) }
        : result
    return parseReply(name, { ok: true, value: attack.answer?.(name, value as never, slot) ?? value })
  }
  return {
    connect(onEvent) {
      const connection = sound.connect((event) => {
        if (event.type !== 'push') return onEvent(event)
        const push = pushed(event.push)
        if (push) onEvent({ type: 'push', push })
      })
      return {
        close: () => connection.close(),
        call: (name, args) => call(connection, name, args),
      }
    },
  }
}
