/** Breadth-first search over worlds: the first fault found has a shortest way to it. */
import { brokenBy, unfinished } from './checks.ts'
import { stepsOf } from './steps.ts'
import type { Production, World } from './world.ts'

export interface Result {
  readonly states: number
  readonly transitions: number
  /** The search ended because nothing new was left, not because of a bound. */
  readonly complete: boolean
  readonly fault: string | null
  /** Names of the steps that lead to the fault. */
  readonly path: readonly string[]
}

export interface Bounds {
  readonly states: number
  /** Longest log: a run that goes beyond does not end (I9). */
  readonly entries: number
}

interface Found {
  readonly world: World
  readonly from: number
  readonly step: string
}

/** Everything that decides what can happen from here. */
function keyOf({ pages, log, head, budget }: World): string {
  const unread = Math.min(log.length, ...pages.filter(({ alive }) => alive).map(({ read }) => read))
  const parts = pages.map(({ snapshot, alive, outbox, read, timers, operation, carried, pending, asked, agreed, window }) => {
    const { capabilities: _same, ignored: _counter, slot: _slot, ...context } = snapshot.context
    return alive ? [snapshot.value, context, outbox, read, timers.toSorted(), operation, carried, pending, asked, agreed.toSorted(), window.toSorted()] : outbox
  })
  return JSON.stringify([parts, log.slice(unread), head.visitor, budget])
}

export function explore(production: Production, start: World, bounds: Bounds): Result {
  const found: Found[] = [{ world: start, from: -1, step: 'start' }]
  const seen = new Set([keyOf(start)])
  let transitions = 0
  const end = (fault: string | null, at: number, complete: boolean): Result => ({ states: found.length, transitions, complete, fault, path: fault ? pathTo(found, at) : [] })
  for (let at = 0; at < found.length; at++) {
    const { world } = found[at] as Found
    const fault = brokenBy(production, world) ?? (world.log.length > bounds.entries ? 'I9 the exchange does not end' : null)
    if (fault) return end(fault, at, false)
    const steps = stepsOf(production, world)
    if (!steps.some(({ progress }) => progress)) {
      const sink = unfinished(production, world)
      if (sink) return end(sink, at, false)
    }
    for (const step of steps) {
      transitions++
      const key = keyOf(step.world)
      if (seen.has(key)) continue
      seen.add(key)
      found.push({ world: step.world, from: at, step: step.name })
    }
    if (found.length > bounds.states) return end(null, at, false)
  }
  return end(null, -1, true)
}

function pathTo(found: readonly Found[], at: number): string[] {
  const path: string[] = []
  for (let index = at; index > 0; index = (found[index] as Found).from) path.unshift((found[index] as Found).step)
  return path
}
