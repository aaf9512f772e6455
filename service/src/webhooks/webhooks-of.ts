import type { LocalBus } from '../bus/local-bus.ts'
import type { WiringParts } from '../wiring.types.ts'
import { WebhookService } from './webhook-service.ts'

/** Looks whether something is to be told as soon as something was stored here; what others stored is polled. */
export function webhooksOf(
  { database: { db }, storeClock: clock, options, node, metrics, report }: WiringParts,
  bus: LocalBus,
): WebhookService {
  const service = new WebhookService({
    ...{ db, clock, node, metrics, options: options.webhook, report },
  })
  bus.on('appended', () => service.wake())
  bus.on('match', () => service.wake())
  bus.on('agent', ({ push }) => void (push.name === 'agent.rated' && service.wake()))
  return service
}
