import { algebra, countChannels, emailIn, nickIn, visibleToAgent } from '../../../protocol/index.ts'
import type { ContactData, ContactRequest, ContactState, Slot } from '../../../protocol/index.ts'
import { IDENTIFIED } from '../auth/identities.ts'
import type { ContactRow } from '../store/tables.ts'

/** The visitor's display name: given as such, or in the first field that is one. */
export const nickOf = (details: ContactRequest): string | undefined =>
  details.nick ?? nickIn(details.data ?? [])

/** Whether there is nothing that an agent could answer: no message, no form, no conversation of before. */
export function isEmpty({ messages, transferred_from: from, details }: ContactRow): boolean {
  return messages === 0 && from === null && !(JSON.parse(details) as ContactRequest).data?.length
}

/** The record of a contact as one party may see it. */
export function recordOf(row: ContactRow, state: ContactState, reader: Slot): ContactData {
  const details = JSON.parse(row.details) as ContactRequest
  const data = details.data ?? []
  const nick = nickOf(details)
  const email = emailIn(data)
  return {
    id: row.id,
    // The log of a contact that has gone on says so by its last entry; it does not fold into a life.
    state: row.life === 'transferred' ? row.life : state.life,
    created: new Date(row.created).toISOString(),
    visit: details.visit ?? {},
    visitor: {
      id: row.visitor,
      ...(row.visitor.startsWith(IDENTIFIED) && { identified: true }),
      ...(nick === undefined ? {} : { nick }),
      ...(email === undefined ? {} : { email }),
      ...(details.lang === undefined ? {} : { lang: details.lang }),
    },
    ...(state.agent === null ? {} : { agent: state.agent }),
    tags: row.tags,
    data: reader === 'agent' ? visibleToAgent(data) : data,
    ...(details.initialOffer === undefined ? {} : { initialOffer: details.initialOffer }),
    mediaState: reader === 'visitor' ? state.shared.media : algebra.swap(state.shared.media),
    secure: details.secure ?? false,
    ...(details.later === true && { later: true }),
    transcript: {
      messages: row.messages - (state.repeated ?? 0),
      ...(row.last_message === null ? {} : { last: new Date(row.last_message).toISOString() }),
    },
    ...(row.transferred_from === null ? {} : { transferredFrom: row.transferred_from }),
    channels: countChannels(state.channels),
    ...(state.reason === null ? {} : { reason: state.reason }),
  }
}

/**
 * What is kept beside the whole request, which may have large forms: all that matching and agents need before
 * one of them accepts.
 */
export const distributionColumn = ({ lang, initialOffer, secure, later }: ContactRequest): string =>
  JSON.stringify({ lang, initialOffer, secure, later })
