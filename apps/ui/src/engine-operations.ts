import { ENGINE, isOn } from './media-plan.ts'
import type { CallMedium } from './media-plan.ts'
import type { Contact, MediaState } from './sdk.ts'

/** The engine that carries a medium; what is off will be carried by the pages' own. */
export const carrierOf = (media: MediaState, medium: CallMedium): string =>
  (isOn(media[medium]) ? media[medium]?.engine : undefined) ?? ENGINE

/** An operation of an engine of a contact, which not every engine has. */
export function operationOf(
  contact: Contact,
  engine: string,
  name: string,
): ((...args: readonly unknown[]) => unknown) | undefined {
  const found: object | undefined = contact.getMediaEngine(engine)
  const operation: unknown = found && Reflect.get(found, name)
  return found && typeof operation === 'function'
    ? (...args) => Reflect.apply(operation, found, args) as unknown
    : undefined
}
