import * as v from '../checks.ts'
import { LIMITS } from '../limits.ts'
import { shown } from '../value-schema.ts'
import type { EntryDefinition, ServiceEvents } from './definition.ts'
import { stampOf } from './stamp.ts'
import type { Stamp } from './stamp.ts'

/** The event of a message of the service. */
export interface NoticeEvents {
  /**
   * The service wrote a message to both parties, as the organisation's back end asked for it. `from_nick`: the
   * name that the back end gave; `from_id` and `agent` are missing, since neither party wrote it.
   */
  notice: {
    readonly text: string
    readonly lang?: string
    readonly from_nick?: string
    readonly from_id?: undefined
    readonly agent?: undefined
  } & Stamp
}

/** What the organisation's back end may write. */
const body = v.object({
  text: v.pipe(v.string(), v.minLength(1), v.maxBytes(LIMITS.textBytes)),
  lang: v.exactOptional(shown(LIMITS.lang)),
  nick: v.exactOptional(shown(LIMITS.nick)),
})

const events: ServiceEvents<typeof body, NoticeEvents> = {
  notice(entry) {
    const { nick, ...said } = entry.body
    return { ...said, ...(nick !== undefined && { from_nick: nick }), ...stampOf(entry) }
  },
}

/** A message of the service to both parties. Not in a secure contact: it would not be encrypted. */
export const notice = { body, events, isMessage: true } as const satisfies EntryDefinition
