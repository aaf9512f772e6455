import { LitElement, css, html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import type { Card } from '../cards.ts'
import { outsideLink } from '../outside-link.ts'
import { showHidden } from '../safe-text.ts'
import { base } from '../styles.ts'
import { define } from './define.ts'

/** A card: a title with a picture, a description and links. Loaded with the first one. */
class CardElement extends LitElement {
  static override properties = {
    card: { attribute: false },
    text: {},
    hasPictures: { attribute: false },
    isBroken: { state: true },
  }
  static override styles = [
    base,
    css`
      :host {
        display: block;
        white-space: normal;
        inline-size: 240px;
        max-inline-size: 100%;
      }
      img {
        display: block;
        inline-size: 100%;
        aspect-ratio: 16 / 9;
        object-fit: cover;
        border-radius: 8px;
        margin-block-end: 6px;
      }
      strong {
        display: block;
        overflow-wrap: anywhere;
      }
      p {
        margin: 2px 0 0;
        overflow-wrap: anywhere;
      }
      ul {
        list-style: none;
        margin: 6px 0 0;
        padding: 0;
        display: grid;
        gap: 4px;
      }
      a {
        color: inherit;
        font-weight: 600;
      }
    `,
  ]

  declare card: Card | undefined
  /** What a page shows that does not know cards: read to who cannot see where the title says less. */
  declare text: string
  /** A picture is asked of the address that the sender has given, who then sees the reader's network. */
  declare hasPictures: boolean
  declare isBroken: boolean

  constructor() {
    super()
    this.text = ''
    this.hasPictures = false
    this.isBroken = false
  }

  override render(): TemplateResult | typeof nothing {
    const { card } = this
    if (!card) return nothing
    const { title, description, image, links } = card
    return html`
      ${
        image && this.hasPictures && !this.isBroken
          ? html`<img
              src=${image.url}
              alt=${showHidden(image.alt)}
              loading="lazy"
              referrerpolicy="no-referrer"
              data-testid="card-picture"
              @error=${() => (this.isBroken = true)}
            />`
          : nothing
      }
      <strong dir="auto" data-testid="card-title">${showHidden(title)}</strong>
      <p dir="auto">${showHidden(description ?? this.text)}</p>
      ${
        links.length > 0
          ? html`<ul>
              ${links.map(({ text, url }) => html`<li dir="auto">${outsideLink(url, showHidden(text))} <small>${new URL(url).host}</small></li>`)}
            </ul>`
          : nothing
      }
    `
  }
}

define('duolog-card', CardElement)
