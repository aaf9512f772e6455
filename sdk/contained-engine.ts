import type { MediaEngine } from '../engines/light.ts'
import { copyOf } from './copy.ts'
import { atOnce } from './settle.ts'

const NO_CONTROLS = { muted: [], held: false }

/**
 * An engine as the SDK calls it: what it is given is its own, and what it throws gets no further. An operation fails by rejecting; of `receive`, `data` and what has no
 * outcome, `onThrow` is told.
 */
export function containedEngine(engine: MediaEngine, onThrow: (operation: string) => void): MediaEngine {
  const quietly = <T>(operation: string, run: () => T, otherwise: T): T => {
    try {
      const result: unknown = run()
      if (!(result instanceof Promise)) return (result as T | undefined) ?? otherwise
      result.catch(() => onThrow(operation))
    } catch {
      onThrow(operation)
    }
    return otherwise
  }
  return {
    id: engine.id,
    capabilities: () => atOnce(() => engine.capabilities()),
    attach: (host) => engine.attach(host),
    prepare: (media, agreed) => atOnce(() => engine.prepare(copyOf(media), agreed)),
    transit: (transition) => atOnce(() => engine.transit(copyOf(transition))),
    undo: (to) => atOnce(() => engine.undo(copyOf(to))),
    receive: (data) => quietly('receive', () => engine.receive(data), undefined),
    data: () => quietly('data', () => copyOf(engine.data()), {}),
    stop: () => atOnce(() => engine.stop()),
    ...(engine.controls && { controls: () => quietly('controls', () => copyOf(engine.controls?.() ?? NO_CONTROLS), NO_CONTROLS) }),
    ...(engine.setControls && { setControls: (controls) => quietly('setControls', () => engine.setControls?.(copyOf(controls)), undefined) }),
  }
}
