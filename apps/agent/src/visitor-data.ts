import { LitElement, css, html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import { keyed } from 'lit/directives/keyed.js'
import { base, define, linkTo, showHidden } from '../../ui/src/index.ts'
import type { ContactSession, Words } from '../../ui/src/index.ts'
import type { ContactData, Rating } from 'duolog'
import type { Edit } from './field-element.ts'
import './field-element.ts'
import { languageName, momentOf } from './field-value.ts'
import type { Field } from './field-value.ts'

type Form = ContactData['data'][number]

/** What is known of the visitor. What is editable can be changed while the contact lasts. */
class VisitorData extends LitElement {
  static override properties = {
    session: { attribute: false },
    data: { attribute: false },
    rating: { attribute: false },
    words: { attribute: false },
  }
  static override styles = [
    base,
    css`
      :host {
        display: block;
        padding: 16px;
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
      /* Of several lines, and all of it is clicked. */
      a {
        display: inline-block;
        color: var(--p-accent);
      }
    `,
  ]

  declare session: ContactSession | undefined
  declare data: ContactData | undefined
  /** As this page was told; null where it was not. */
  declare rating: Rating | null
  declare words: Words | undefined

  override render(): TemplateResult | typeof nothing {
    const { session, data, words } = this
    if (!session || !data || !words) return nothing
    const { contact } = session
    const { visitor, visit } = data
    const { rating } = this
    const rows: readonly (readonly [string, unknown])[] = [
      [words.t('dataNick'), visitor.nick && showHidden(visitor.nick)],
      [words.t('dataEmail'), visitor.email && showHidden(visitor.email)],
      [words.t('dataLang'), languageName(visitor.lang ?? visit.lang, words)],
      [words.t('dataPage'), visit.page && linkTo(visit.page.url, visit.page.title)],
      [words.t('dataReferrer'), visit.referrer && linkTo(visit.referrer)],
      [words.t('dataTags'), data.tags.map(showHidden).join(', ')],
      [words.t('dataSince'), momentOf(Date.parse(data.created), words)],
      [words.t('dataEncrypted'), words.t(data.secure ? 'encrypted' : 'notEncrypted')],
      [words.t('dataRating'), rating && ratingText(rating, words)],
    ]
    return html`
      <h2>${words.t('visitorData')}</h2>
      ${list(rows)}
      ${keyed(
        contact.id,
        data.data.map((form) => this.#form(form, words)),
      )}
    `
  }

  #form({ name, desc, data: fields }: Form, words: Words): TemplateResult {
    const { contact, state } = this.session ?? {}
    const { agent } = this.data ?? {}
    const edit = (field: Field): Edit | undefined =>
      contact && state?.stage === 'talking' ? (value) => contact.editData(name, field.name, value) : undefined
    return html`<h3 dir="auto">${showHidden(desc || name)}</h3>
      ${fields.map(
        (field) =>
          html`<duolog-field
            data-testid="field"
            data-name=${field.name}
            .field=${field}
            .words=${words}
            .edit=${edit(field)}
            .agent=${field.editedBy !== undefined && field.editedBy === agent?.user ? agent.nick : ''}
          ></duolog-field>`,
      )}`
  }
}

const ratingText = ({ score, comment }: Rating, words: Words): TemplateResult =>
  html`${words.t('ratingScore', { n: score })}${comment ? html`<br />${showHidden(comment)}` : nothing}`

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

define('duolog-visitor-data', VisitorData)
