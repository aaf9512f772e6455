import { ContactError, isAllowedType, safeFileName } from '../../../protocol/index.ts'
import type { Calls } from '../../../protocol/index.ts'
import type { ServiceClock } from '../clock/clock.ts'
import { randomId } from '../clock/random.ts'
import type { Random } from '../clock/random.ts'
import { hasLeft } from '../contacts/index.ts'
import type { ContactChange, ContactStore } from '../contacts/index.ts'
import { RateError } from '../limits/rate-limits.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import type { Writer } from '../log/entry-insert.ts'
import type { AttachmentRow } from '../store/tables.ts'
import { findByRequest, sizesOf } from './attachment-rows.ts'
import type { FileOptions } from './file-options.ts'
import type { Reader } from './signed-links.ts'

export interface AnnouncingParts {
  readonly change: ContactStore['change']
  readonly clock: ServiceClock
  readonly random: Random
  readonly rates: RateLimits
  readonly options: FileOptions
}

/** What a party says of the file that it is going to send. */
export type UploadRequest = Omit<Calls['attachment.open']['args'], 'contact' | 'session'>

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** Until an upload of the last hour may have become older. */
const RECENT_RETRY_MS = 360_000
const OPEN_LIMIT = 20

/** Who announces a file, and the digest of the token of their connection; null: it has no id. */
export interface Announcer extends Writer {
  readonly token: string | null
}

/**
 * Notes a file that a party is going to send, or finds the one that the same request noted.
 *
 * @throws {@link ContactError} `not_supported`, `too_large`, `rate_limited`, `left`
 */
export function announce(
  parts: AnnouncingParts,
  writer: Announcer,
  asked: UploadRequest,
): Promise<AttachmentRow> {
  const { contact, slot, principal } = writer
  checkFile(parts.options, asked)
  if (slot === 'visitor') parts.rates.take('uploads', principal)
  const work = (change: ContactChange): Promise<AttachmentRow> =>
    change.serialize(async () => {
      const known = await findByRequest(change.trx, { contact, principal, request: asked.request })
      if (known) return known
      if (isOver(change.row, writer)) throw hasLeft()
      await checkQuotas(parts, change, { ...writer, size: asked.size })
      const row = rowOf(parts, writer, asked)
      await change.trx.insertInto('attachments').values(row).execute()
      return row
    })
  return parts.change(contact, work, { lockKey: principal })
}

/** The contact has ended, or is not with this party any more. */
export const isOver = (
  { life, agent }: { readonly life: string; readonly agent: string | null },
  { slot, principal }: Pick<Reader, 'slot' | 'principal'>,
): boolean => life === 'cleared' || life === 'transferred' || (slot === 'agent' && agent !== principal)

function checkFile({ maxBytes, types }: FileOptions, { mimetype, size }: UploadRequest): void {
  if (maxBytes === 0 || !isAllowedType(types, mimetype.toLowerCase()))
    throw new ContactError('not_supported', 'unable to take the file; files of this type may not be sent')
  if (size > maxBytes)
    throw new ContactError('too_large', `unable to take the file; it is larger than ${maxBytes} bytes`)
}

async function checkQuotas(
  { options: { contactBytes, visitorBytes }, clock, rates }: AnnouncingParts,
  { trx, row }: ContactChange,
  { slot, principal, size }: Pick<AttachmentRow, 'slot' | 'principal' | 'size'>,
): Promise<void> {
  if (slot === 'visitor')
    await trx.selectFrom('visitors').select('id').where('id', '=', principal).forUpdate().execute()
  const { ofContact, ofParty, open, recent } = await sizesOf(trx, {
    ...{ contact: row.id, principal },
    ...{ since: clock.now() - DAY_MS, hour: clock.now() - HOUR_MS },
  })
  // Announced at any node: no more than the rate lets pass at one of them.
  if (slot === 'visitor' && recent >= (rates.mostIn('uploads', HOUR_MS) ?? Number.POSITIVE_INFINITY))
    throw new RateError(RECENT_RETRY_MS)
  if (open >= OPEN_LIMIT)
    throw new ContactError(
      'rate_limited',
      'unable to take the file; too many uploads of this party are under way',
    )
  if (ofContact + size > contactBytes)
    throw new ContactError(
      'too_large',
      `unable to take the file; the files of a contact may have ${contactBytes} bytes together`,
    )
  if (slot === 'visitor' && ofParty + size > visitorBytes)
    throw new ContactError(
      'too_large',
      `unable to take the file; a visitor may send ${visitorBytes} bytes in a day`,
    )
}

function rowOf(
  { clock, random }: AnnouncingParts,
  { contact, slot, principal, nick, token }: Announcer,
  { request, name, mimetype, size, desc, referenceId }: UploadRequest,
): AttachmentRow {
  const now = clock.now()
  return {
    ...{ id: randomId(random, 'f-'), contact, request, slot, principal, nick, size },
    ...{ name: safeFileName(name), mimetype: mimetype.toLowerCase(), created: now, touched: now },
    ...{ description: desc ?? null, reference: referenceId ?? null, tokens: token === null ? [] : [token] },
    ...{ seq: null, sha256: null, width: null, height: null },
  }
}
