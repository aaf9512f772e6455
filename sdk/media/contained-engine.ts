import type { EngineHost, MediaEngine } from '../../engines/eager.ts'
import { ContactError, copyOf } from '../../protocol/index.ts'
import { atOnce } from '../async/at-once.ts'

/** Attaching fails by rejecting, whatever the engine does. */
export type ContainedEngine = Omit<MediaEngine, 'attach'> & { attach(host: EngineHost): Promise<void> }

const NO_CONTROLS = { muted: [], held: false }

/**
 * An engine as the SDK calls it: what it is given is its own, it undoes one thing at a time, and what it
 * throws gets no further. An operation fails by rejecting;
 * of `receive`, `data` and what has no outcome, `onThrow` is told.
 */
export function containedEngine(engine: MediaEngine, onThrow: (operation: string) => void): ContainedEngine {
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
    attach: (host) => atOnce(() => engine.attach(host)),
    prepare: (media, agreed) => atOnce(() => engine.prepare(copyOf(media), agreed)),
    receive: (data) => quietly('receive', () => engine.receive(data), undefined),
    data: () => quietly('data', () => copyOf(engine.data()), {}),
    ...oneAtATime(engine),
    ...(engine.controls && {
      controls: () => quietly('controls', () => copyOf(engine.controls?.() ?? NO_CONTROLS), NO_CONTROLS),
    }),
    ...(engine.setControls && {
      setControls: (controls) =>
        quietly('setControls', () => engine.setControls?.(copyOf(controls)), undefined),
    }),
  }
}

/**
 * While the engine undoes, transitions and other undos wait; what still waits when the engine is stopped
 * fails.
 */
function oneAtATime(engine: MediaEngine): Pick<MediaEngine, 'transit' | 'undo' | 'stop'> {
  let undoing: Promise<void> | null = null
  let stops = 0
  const inTurn = (run: () => Promise<void>): Promise<void> => {
    const before = stops
    const go = (): Promise<void> =>
      before === stops
        ? atOnce(run)
        : Promise.reject(new ContactError('left', 'unable to go on; the engine was stopped'))
    return undoing ? undoing.then(go) : go()
  }
  return {
    transit: (transition) =>
      inTurn(() => {
        transition.signal.throwIfAborted()
        return engine.transit(copyOf(transition))
      }),
    undo: (to) => {
      const result = inTurn(() => engine.undo(copyOf(to)))
      const over = (): void => {
        if (undoing === running) undoing = null
      }
      const running = result.then(over, over)
      undoing = running
      return result
    },
    stop: () => {
      stops++
      undoing = null
      return atOnce(() => engine.stop())
    },
  }
}
