import type { CallName, ErrorCode, PushName } from '../protocol/index.ts'
import type { Party } from './party.ts'

/**
 * What becomes of a message: it arrives, it is lost, or (of a call) it is carried out and its answer is lost.
 * What loses a message loses the connection, too.
 */
export type Fate = 'pass' | 'drop' | 'dropAnswer'

/** What a script does to the link of a party. */
export interface Faults {
  /** Called for each call to the service and each push from it. */
  readonly onMessage?: (party: Party, name: string, body: unknown) => Fate
  /** Called for each new connection; `drop` lets it fail. */
  readonly onConnect?: (party: Party) => 'pass' | 'drop'
}

/** Which message a script loses. */
export interface Loss {
  /** A call or a push; any if not given. */
  readonly name?: CallName | PushName
  readonly slot?: Party['slot']
  /** 1, the default: the next one that fits. */
  readonly nth?: number
  /** How many of what `nth` counts are in it; default 1. */
  readonly counts?: (body: unknown) => number
  /** The call is carried out, and only its answer is lost. */
  readonly answerOnly?: boolean
}

/** What tests do to the link of a service in memory: lost messages, refused connections, held deliveries. */
export abstract class ScriptedFaults {
  faults: Faults = {}
  readonly #losses: { readonly loss: Loss; left: number }[] = []
  readonly #held = new Set<Party['slot']>()
  readonly #refused = new Map<Party['slot'], ErrorCode>()

  /** Why new connections of a slot are refused for good; null: they are taken again. */
  refuse(slot: Party['slot'], code: ErrorCode | null): void {
    if (code === null) this.#refused.delete(slot)
    else this.#refused.set(slot, code)
  }

  /** Why a connection is refused for good. */
  refusalOf = ({ slot }: Party): ErrorCode | undefined => this.#refused.get(slot)

  /** Loses one message, and its connection with it. */
  lose(loss: Loss = {}): void {
    this.#losses.push({ loss, left: loss.nth ?? 1 })
  }

  /** What is new in the logs does not reach a party before it has written an offer, or a direct change. */
  holdUntilOffer(slot: Party['slot']): void {
    this.#held.add(slot)
  }

  /** What the service has for a party waits. */
  isHeld = (slot: Party['slot']): boolean => this.#held.has(slot)

  /** A party has written an offer, or a direct change. */
  release(slot: Party['slot']): void {
    this.#held.delete(slot)
  }

  /** What becomes of a new connection, as the scripts want it. */
  connectionFate = (party: Party): 'pass' | 'drop' => this.faults.onConnect?.(party) ?? 'pass'

  /** What becomes of a message, as the scripts want it. */
  fateOf(party: Party, name: string, body: unknown): Fate {
    const counted = ({ counts }: Loss): number => counts?.(body) ?? 1
    const fits = this.#losses.filter(
      ({ loss }) =>
        (loss.name ?? name) === name && (loss.slot ?? party.slot) === party.slot && counted(loss) > 0,
    )
    for (const one of fits) one.left -= counted(one.loss)
    const due = fits.find(({ left }) => left <= 0)
    if (due) this.#losses.splice(this.#losses.indexOf(due), 1)
    if (due) return due.loss.answerOnly ? 'dropAnswer' : 'drop'
    return this.faults.onMessage?.(party, name, body) ?? 'pass'
  }
}
