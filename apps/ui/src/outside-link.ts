import { html } from 'lit'
import type { TemplateResult } from 'lit'
import { showHidden, shownUrl, webUrl } from './safe-text.ts'

/** A link to a page of somebody else's, which learns nothing of this one. */
export const outsideLink = (href: string, text: string): TemplateResult =>
  html`<a href=${href} target="_blank" rel="noopener noreferrer nofollow">${text}</a>`

/** An address as a link where it may be opened, else as text. */
export function linkTo(typed: string, title?: string): TemplateResult | string {
  const url = webUrl(typed)
  const text = showHidden(title || (url ? shownUrl(typed, url) : typed))
  return url ? outsideLink(url.href, text) : text
}
