import { createActor } from 'xstate'
import type { Observation } from '../../protocol/index.ts'
import type { Inspect } from '../api/client.ts'
import { lastShown } from './last-shown.ts'

/** What really flows, as an inspection observer sees it: told when it is another than before. */
interface InspectedFlows {
  readonly type: 'media.observed'
  readonly engine: string
  readonly media: Readonly<Record<string, { readonly tx?: boolean; readonly rx?: boolean }>>
}

const flows = lastShown(({ engine }: InspectedFlows) => ({ engine }), { engine: '' })

/** Shows which media are seen to flow to an observer, as the events of an actor `observed <contact>`. */
export function showFlows(
  contact: string,
  inspect: Inspect | undefined,
): (engine: string, observation: Observation) => void {
  if (!inspect) return () => {}
  const actor = createActor(flows, { id: `observed ${contact}`, inspect }).start()
  const last = new Map<string, string>()
  return (engine, { media }) => {
    const flowing = Object.fromEntries(
      Object.entries(media).map(([medium, { tx, rx }]) => [
        medium,
        { ...(tx && { tx: tx.isFlowing }), ...(rx && { rx: rx.isFlowing }) },
      ]),
    )
    if (last.get(engine) === JSON.stringify(flowing)) return
    last.set(engine, JSON.stringify(flowing))
    actor.send({ type: 'media.observed', engine, media: flowing })
  }
}
