import { StartError, messageOf } from '../start-error.ts'
import type { Bus } from './bus.ts'
import { NatsCarrier } from './nats-carrier.ts'
import type { NatsServers } from './nats-carrier.ts'
import { NodeBus } from './node-bus.ts'
import type { NodeBusParts } from './node-bus.ts'

/** What the option `--bus` says. */
export interface BusOptions extends NatsServers {
  /** Separates deployments that share a server. */
  readonly deployment: string
}

/** What every driver needs. */
export type BusParts = Omit<NodeBusParts, 'hints' | 'frames' | 'deployment'>

/**
 * The bus over NATS.
 *
 * @throws {@link StartError} no server takes the connections, or it is not set up for the service.
 */
export async function openNatsBus(parts: BusParts, options: BusOptions): Promise<Bus> {
  const inbox = `duolog.${options.deployment}.inbox.${parts.node}`
  let hints: NatsCarrier | null = null
  try {
    hints = await NatsCarrier.open(options, inbox)
    const frames = await NatsCarrier.open(options, inbox)
    return await NodeBus.open({ ...parts, deployment: options.deployment, hints, frames })
  } catch (cause) {
    await hints?.close()
    throw new StartError(`unable to use the bus at ${options.servers.join(', ')}; ${messageOf(cause)}`, {
      cause,
      isPassing: true,
    })
  }
}
