import type { ContactError, UnsentEntry } from '../../protocol/index.ts'
import { waitingOf } from '../log/waiting-entry.ts'
import type { Waiting } from '../log/waiting-entry.ts'

/** What the agreement on keys says of what is sent. */
interface Agreement {
  readonly mayGo: (type: string) => boolean
  /** What it has to write now. `isPresenting`: with the announcement of this session. */
  readonly due: (isPresenting: boolean) => readonly UnsentEntry[]
  /** The service will never take an entry of it. */
  readonly refused: (error: ContactError) => void
}

/** What of a queue may be sent now, with what the agreement has to write, which is put in its place. */
export function goingNow(queue: Waiting[], agreement: Agreement): readonly Waiting[] {
  const present = queue.findIndex(({ isStored, entry }) => !isStored && entry.type === 'present')
  const reject = (error: ContactError): void => agreement.refused(error)
  const due = agreement
    .due(present >= 0)
    .map((entry) => waitingOf(entry, { bytes: 0, resolve: () => {}, reject }))
  queue.splice(present + 1, 0, ...due)
  return queue.filter(({ isStored, entry }) => !isStored && agreement.mayGo(entry.type))
}
