import type { ContactError, Appended, Draft, UnsentEntry } from '../../../protocol/index.ts'
import { Outbox } from '../../../sdk/log/outbox.ts'
import { TestClock } from '../../../testing/index.ts'

export const text = (id: string): UnsentEntry => ({ id, type: 'text', body: { text: id } })
export const draft = (id: string, counter: number): Draft => ({
  id,
  session: 's',
  counter,
  type: 'text',
  body: { text: id },
})

/** A call to the service that waits for its answer. */
interface Call {
  readonly drafts: readonly Draft[]
  readonly answer: (appended?: readonly Appended[]) => void
  readonly fail: (error: ContactError) => void
}

/** An outbox whose service is the test: `kept` is what it keeps for a later page. */
export function outboxByHand() {
  const clock = new TestClock()
  const calls: Call[] = []
  let kept: readonly UnsentEntry[] = []
  const outbox = new Outbox({
    contact: 'c',
    session: () => 's',
    clock,
    append: (drafts) =>
      new Promise((resolve, reject) => {
        const stored = drafts.map(({ id }, index) => ({ id, seq: index + 1 }))
        calls.push({ drafts, answer: (appended = stored) => resolve(appended), fail: reject })
      }),
    keep: (letters) => (kept = letters),
  })
  return {
    clock,
    calls,
    outbox,
    kept: () => kept,
    sent: () => calls.map(({ drafts }) => drafts),
    ids: () => calls.map(({ drafts }) => drafts.map(({ id }) => id)),
  }
}
