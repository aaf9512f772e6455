import { LitElement, css, html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import type { ContactData, DataField } from 'parley-sdk'
import { base, define, showHidden, shownUrl, webUrl } from '../../ui/src/index.ts'
import type { Words } from '../../ui/src/index.ts'

/** What is known of the visitor. */
class VisitorData extends LitElement {
  static override properties = { data: { attribute: false }, words: { attribute: false } }
  static override styles = [
    base,
    css`
      :host {
        display: block;
        padding: 16px;
        overflow-y: auto;
      }
      h2 {
        font-size: 16px;
        margin-block-end: 10px;
      }
      h3 {
        font-size: 14px;
        margin-block: 18px 6px;
        overflow-wrap: anywhere;
      }
      dt {
        font-size: 13px;
        color: var(--p-muted);
      }
      dd {
        margin-block-end: 8px;
        overflow-wrap: anywhere;
      }
      a {
        color: var(--p-accent);
      }
    `,
  ]

  declare data: ContactData | undefined
  declare words: Words | undefined

  override render(): TemplateResult | typeof nothing {
    const { data, words } = this
    if (!data || !words) return nothing
    const { visitor, visit } = data
    const rows: readonly (readonly [string, unknown])[] = [
      [words.t('dataNick'), visitor.nick && showHidden(visitor.nick)],
      [words.t('dataEmail'), visitor.email && showHidden(visitor.email)],
      [words.t('dataLang'), languageName(visitor.lang ?? visit.lang, words.lang)],
      [words.t('dataPage'), visit.page && address(visit.page.url, visit.page.title)],
      [words.t('dataReferrer'), visit.referrer && address(visit.referrer)],
      [words.t('dataTags'), data.tags.map(showHidden).join(', ')],
      [words.t('dataSince'), words.time(Date.parse(data.created))],
      [words.t('dataEncrypted'), words.t(data.secure ? 'encrypted' : 'notEncrypted')],
    ]
    return html`
      <h2>${words.t('visitorData')}</h2>
      ${list(rows)}
      ${data.data.map(
        (form) =>
          html`<h3 dir="auto">${showHidden(form.desc || form.name)}</h3>
            ${list(form.data.map((field) => [showHidden(field.desc || field.name), value(field, words)]))}`,
      )}
    `
  }
}

const list = (rows: readonly (readonly [string, unknown])[]): TemplateResult =>
  html`<dl>
    ${rows
      .filter(([, shown]) => shown)
      .map(
        ([name, shown]) =>
          html`<dt dir="auto">${name}</dt>
            <dd dir="auto">${shown}</dd>`,
      )}
  </dl>`

function value({ type, value: given, checked }: DataField, words: Words): unknown {
  if (type === 'checkbox') return words.t(checked ? 'yes' : 'no')
  if (given === undefined || given === null || given === '') return words.t('unknown')
  const text = typeof given === 'string' ? given : JSON.stringify(given)
  return type === 'link' ? address(text) : showHidden(text)
}

/** An address that may be opened, else its text. */
function address(typed: string, title?: string): unknown {
  const url = webUrl(typed)
  const text = showHidden(title || (url ? shownUrl(typed, url) : typed))
  return url ? html`<a href=${url.href} target="_blank" rel="noopener noreferrer nofollow">${text}</a>` : text
}

function languageName(lang: string | undefined, inLanguage: string): string | undefined {
  try {
    return lang && new Intl.DisplayNames([inLanguage], { type: 'language' }).of(lang)
  } catch {
    return lang && showHidden(lang)
  }
}

define('parley-visitor-data', VisitorData)
