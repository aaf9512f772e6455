/** Imported for what it does: how long code takes to come is the time of the machine, not that of a test's clock. */
import { later } from '../../sdk/contact/lazy-modules.ts'

await Promise.all([later.negotiation(), later.relay()])
