import { html } from 'lit'
import type { TemplateResult } from 'lit'
import { markedParts } from '../marked-text.ts'
import { linkTo, outsideLink } from '../outside-link.ts'
import { linkify, showHidden, webUrl } from '../safe-text.ts'
import type { Body } from '../transcript.ts'

/** What a text or a link says. */
export function messageBody(
  message: Exclude<Body, { readonly type: 'file' }>,
  { hasPictures }: { readonly hasPictures: boolean },
): unknown {
  if (message.type === 'text' && message.card) {
    void import('./card-element.ts').catch(() => {})
    return html`<duolog-card
      .card=${message.card}
      .text=${message.text}
      .hasPictures=${hasPictures}
    ></duolog-card>`
  }
  if (message.type === 'text') return linkify(message.text).map(textPart)
  const url = webUrl(message.url)
  if (!url) return html`${showHidden(message.desc ?? '')} ${showHidden(message.url)}`
  if (!message.desc) return linkTo(message.url)
  return html`${linkTo(message.url, message.desc)} <small>${url.host}</small>`
}

/** An address stays whole, whatever stands in it; marks are looked for between addresses. */
const textPart = (part: ReturnType<typeof linkify>[number]): unknown =>
  part.kind === 'link'
    ? outsideLink(part.href, part.text)
    : markedParts(part.text).map(({ mark, text }) => {
        if (mark === 'strong') return html`<strong>${text}</strong>`
        if (mark === 'em') return html`<em>${text}</em>`
        if (mark === 's') return html`<s>${text}</s>`
        return mark === 'code' ? html`<code>${text}</code>` : text
      })

/** Answers that one click sends. */
export const quickRepliesOf = (replies: readonly string[], send: (text: string) => void): TemplateResult =>
  html`<div class="replies">
    ${replies.map((text) => html`<button data-testid="quick-reply" dir="auto" @click=${() => send(text)}>${showHidden(text)}</button>`)}
  </div>`
