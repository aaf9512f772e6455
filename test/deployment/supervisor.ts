/** Starts a program again that has ended by itself, as the supervisor of a machine does. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Program } from './program.ts'

/** A program that nobody has told to end has ended. */
export interface OwnEnd {
  readonly node: string
  readonly at: number
  /** Its exit code, or the signal that has ended it. */
  readonly code: number | string
  /** The last line of its log that says something. */
  readonly last: string
}

interface Supervision {
  readonly told: (end: OwnEnd) => void
  readonly again: () => Promise<void>
}

const AGAIN_MS = 1_000

/** Watches the program that a node has now. */
export function supervise(
  node: { readonly name: string; program: Program },
  { told, again }: Supervision,
): void {
  const { program } = node
  void program.ended.then(async (code) => {
    if (program.isToldToEnd) return
    const how = code ?? program.child.signalCode ?? 'unknown'
    told({ node: node.name, at: Date.now(), code: how, last: program.lastWords() })
    await delay(AGAIN_MS)
    // Somebody else may have started it meanwhile, or wants it to be away.
    if (node.program === program && !program.isToldToEnd) await again()
  })
}
