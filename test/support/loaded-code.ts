/**
 * Imported for what it does: how long code takes to come is the time of the machine, not that of a test's clock. Some is
 * there from the start, and `settled` waits for the rest.
 */
import { later } from '../../sdk/contact/lazy-modules.ts'
import { awaited } from '../../testing/test-clock.ts'

const waitedFor = (load: () => Promise<unknown>) => (): Promise<unknown> => awaited(load())
Object.assign(later, Object.fromEntries(Object.entries(later).map(([name, load]) => [name, waitedFor(load)])))

await Promise.all([later.negotiation(), later.relay()])
