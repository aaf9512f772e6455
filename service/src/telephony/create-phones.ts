import type { Kysely } from 'kysely'
import type { OwnNode } from '../cluster/own-node.ts'
import type { Tables } from '../store/tables.ts'
import { PhoneCalls } from './phone-calls.ts'
import type { PhoneParts } from './phone-calls.ts'
import { PhoneRows } from './phone-rows.ts'
import type { TelephonyGateway } from './telephony-gateway.ts'

interface CreationParts extends Omit<PhoneParts, 'gateway' | 'rows' | 'takesCalls'> {
  readonly db: Kysely<Tables>
  readonly node: OwnNode
}

/** The telephone calls of this node; null without a gateway. */
export function createPhones(
  gateway: TelephonyGateway | null,
  { db, node, ...parts }: CreationParts,
): PhoneCalls | null {
  const rows = new PhoneRows(db, () => node.id)
  return gateway && new PhoneCalls({ gateway, rows, takesCalls: () => node.takesWork, ...parts })
}
