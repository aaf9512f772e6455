/** How far an own message has come, or why it has not been sent. */
import { html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import type { ContactSession } from '../contact-session.ts'
import { icons } from '../icons.ts'
import type { ErrorCode } from '../sdk.ts'
import { hasVisitorLeft } from '../status.ts'
import type { Delivery, OwnMessage } from '../transcript.ts'
import type { Words } from '../words.ts'

const MARKS: Readonly<Record<Delivery, TemplateResult | typeof nothing>> = {
  sending: icons.clock,
  stored: nothing,
  sent: icons.check,
  delivered: icons.checks,
  read: icons.eye,
  failed: icons.alert,
}

/** It is there from the start: what is added to the list later is read out as news. */
export function deliveryMark(delivery: Delivery, words: Words): TemplateResult {
  const text = delivery === 'stored' ? '' : words.t(delivery)
  return html`<span class="mark" title=${text}
    >${MARKS[delivery]}<span class="hidden-text">${text}</span></span
  >`
}

/** Failures after which the same cannot succeed. */
const IN_VAIN: ReadonlySet<ErrorCode> = new Set([
  'withdrawn',
  'too_large',
  'not_supported',
  'invalid_argument',
  'forbidden',
])

/** Why, and what can be done. */
export function deliveryFailure(
  item: OwnMessage,
  session: ContactSession | undefined,
  words: Words,
): TemplateResult | typeof nothing {
  if (item.delivery !== 'failed') return nothing
  const { key, failure } = item
  return html`<div class="failure" role="alert" data-testid="send-failure">
    <p>${words.t('failed')} ${reasonOf(item, session?.state.local?.Media.Sharing?.MaxFileSize, words)}</p>
    <button
      class="plain"
      data-testid="retry-send"
      ?hidden=${(failure && IN_VAIN.has(failure)) || (session && hasVisitorLeft(session.state))}
      @click=${() => session?.retry(key)}
    >
      ${words.t('retry')}
    </button>
    <button class="plain" data-testid="discard" @click=${() => session?.discard(key)}>
      ${words.t('discard')}
    </button>
  </div>`
}

/** `most`: bytes of the largest file that may be sent. */
function reasonOf({ failure, body }: OwnMessage, most: number | undefined, words: Words): string {
  if (!failure) return ''
  if (body.type !== 'file') return words.error(failure)
  if (failure === 'too_large')
    return most !== undefined && body.size > most
      ? words.t('fileTooLarge', { size: words.size(most) })
      : words.t('fileNoRoom')
  if (failure === 'withdrawn') return words.t('fileInterrupted')
  return failure === 'not_supported' ? words.t('fileNotAllowed') : words.error(failure)
}
