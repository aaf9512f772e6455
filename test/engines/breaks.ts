/** Ways to break a sound engine, of which those for the single laws are made. */
import type { EngineHost, EngineTransition, MediaEngine } from '../../engines/index.ts'
import { ContactError } from '../../protocol/index.ts'
import type { JsonValue } from '../../protocol/index.ts'
import { codeOf, text } from './fake-rig.ts'
import type { Break, Overrides, Rig } from './fake-rig.ts'

/** The error of an engine that is broken. */
export const broken = (): ContactError =>
  new ContactError('engine_failed', 'unable to go on; the engine is broken on purpose')
/** What never settles. */
export const never = (): Promise<never> => new Promise(() => {})
/** A signal that no engine asked for. */
export const noise: JsonValue = { fake: 'noise' }

/** Does something else where an operation fails. */
export const otherwise = async (
  operation: Promise<void>,
  instead: (error: unknown) => Promise<never> | undefined,
): Promise<void> => {
  try {
    await operation
  } catch (error) {
    await instead(error)
    throw error
  }
}

/** Leaves a device in use that the engine does not know. */
export const leak = async ({ devices }: Rig): Promise<void> => void (await devices.ask('Video'))

/** Does something to certain transitions of the visitor, after them. */
export const after =
  (from: string | undefined, to: string, act: (rig: Rig, transition: EngineTransition) => unknown): Break =>
  (rig) => ({
    async transit(transition) {
      await rig.engine.transit(transition)
      if (
        rig.slot === 'visitor' &&
        text(transition.to) === to &&
        (from === undefined || text(transition.from) === from)
      )
        await act(rig, transition)
    },
  })

/** Fails certain transitions. */
export const failing =
  (matches: (rig: Rig, transition: EngineTransition) => boolean): Break =>
  (rig) => ({
    transit: (transition) =>
      matches(rig, transition) ? Promise.reject(broken()) : rig.engine.transit(transition),
  })

/** Never settles where the sound engine ends a transition with `left`. */
export const deaf =
  (matches: (rig: Rig, transition: EngineTransition) => boolean): Break =>
  (rig) => ({
    transit: (transition) =>
      otherwise(rig.engine.transit(transition), (error) =>
        codeOf(error) === 'left' && matches(rig, transition) ? never() : undefined,
      ),
  })

/** Keeps a device that comes late, where it should be given back. */
export const keepsLate =
  (matches: (rig: Rig) => boolean): Break =>
  (rig) => ({
    answer: () => {
      rig.devices.answer()
      if (matches(rig)) void leak(rig)
    },
  })

/** Both media are on, both ways. */
export const both = (rig: Rig): boolean => text(rig.engine.carried) === 'Voice:tx rx, Video:tx rx'
/** The engine was stopped. */
export const stopped = (rig: Rig): boolean => rig.calls.some((call) => call.startsWith('stop'))
/** Something was undone. */
export const undone = (rig: Rig): boolean => rig.calls.some((call) => call.startsWith('undo'))
/** How often an operation was called. */
export const called = (rig: Rig, operation: string): number =>
  rig.calls.filter((call) => call.startsWith(operation)).length

/** Reports something else. */
export const reporting =
  (change: (host: EngineHost, rig: Rig) => EngineHost['report']): Break =>
  (rig) => ({ attach: (host) => rig.engine.attach({ ...host, report: change(host, rig) }) })

/** Gives something else as `data`. */
export const data = (rig: Rig, of: (sound: ReturnType<MediaEngine['data']>) => object): Overrides => ({
  data: () => of(rig.engine.data()) as ReturnType<MediaEngine['data']>,
})
