import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { StartError, messageOf } from '../start-error.ts'
import type { TelephonyGateway } from './telephony-gateway.ts'

/** The gateway of a module. @throws {@link StartError} one line that says why there is none. */
export async function loadGateway(path: string): Promise<TelephonyGateway> {
  try {
    const loaded = (await import(pathToFileURL(resolve(path)).href)) as {
      readonly createTelephonyGateway?: unknown
    }
    if (typeof loaded.createTelephonyGateway !== 'function')
      throw new TypeError('it exports no createTelephonyGateway')
    return (await loaded.createTelephonyGateway()) as TelephonyGateway
  } catch (cause) {
    throw new StartError(`unable to load the telephony gateway ${path}; ${messageOf(cause)}`, { cause })
  }
}
