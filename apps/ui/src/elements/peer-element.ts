import { LitElement, css, html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import type { ContactSession } from '../contact-session.ts'
import type { Conversation } from '../conversation.ts'
import { avatarPicture } from '../avatar-picture.ts'
import { avatarUrl } from '../avatar.ts'
import { icons } from '../icons.ts'
import { avatarStyle, base } from '../styles.ts'
import { peerName, statusText } from '../status.ts'
import { showHidden } from '../safe-text.ts'
import type { Words } from '../words.ts'
import { define } from './define.ts'
import './security-element.ts'

const AVATAR_PX = 80

/** Who one talks to, and where the conversation is. */
class PeerElement extends LitElement {
  static override properties = {
    session: { attribute: false },
    state: { attribute: false },
    words: { attribute: false },
  }
  static override styles = [
    base,
    avatarStyle,
    css`
      :host {
        display: flex;
        align-items: center;
        gap: 12px;
        min-inline-size: 0;
      }
      .names {
        min-inline-size: 0;
      }
      .name {
        font-size: inherit;
        font-weight: 700;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .status {
        font-size: 13px;
        line-height: 1.3;
        color: var(--p-muted);
        overflow-wrap: anywhere;
      }
    `,
  ]

  declare session: ContactSession | undefined
  declare state: Conversation | undefined
  declare words: Words | undefined

  override render(): TemplateResult | typeof nothing {
    const { state, words } = this
    if (!state || !words) return nothing
    const nick = state.peer || state.role === 'agent' ? peerName(state, words) : ''
    const picture = avatarUrl(state.peer?.avatar, AVATAR_PX)
    return html`
      <span class="avatar" part="avatar" aria-hidden="true">
        ${nick ? avatarPicture(nick, picture) : icons.chat}
      </span>
      <div class="names">
        <h2 class="name" dir="auto" data-testid="peer-name">
          ${nick ? showHidden(nick) : words.t('openChat')}
        </h2>
        <p class="status" role="status" data-testid="conversation-status" data-stage=${state.stage}>
          ${statusText(state, words)}
        </p>
        <duolog-security .session=${this.session} .words=${words}></duolog-security>
      </div>
    `
  }
}

define('duolog-peer', PeerElement)
