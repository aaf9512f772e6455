/** The console's column beside the conversation: the agent, presence, offered contacts and own contacts. */
import { html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import {
  avatarPicture,
  avatarUrl,
  bodyText,
  icons,
  initials,
  isRinging,
  offerText,
  peerName,
  showHidden,
  statusText,
} from '../../ui/src/index.ts'
import type { ContactSession, Conversation, DeskWords, Words } from '../../ui/src/index.ts'
import type { AlertSettings } from './alert-settings.ts'
import { alertSwitches } from './alert-switches.ts'
import type { ConsoleModel } from './console-model.ts'
import { deskIcons } from './desk-icons.ts'
import { failureText } from './failure-words.ts'
import './incoming-list.ts'

/** More than fits in the list; a whole message may be 8 KiB, and each change lays it out again. */
const PREVIEW_CHARACTERS = 200

interface Side {
  readonly model: ConsoleModel
  readonly words: Words
  readonly onSelect: (id: string) => void
  readonly tools: Tools
}

/** What agents look up beside their contacts. */
export interface Tools {
  readonly desk: DeskWords
  readonly alerts: AlertSettings
  readonly view: DeskView | null
  readonly onView: (view: DeskView) => void
  readonly onReplies: () => void
}

/** What is shown in place of a conversation. */
export type DeskView = 'past' | 'overview'

export function sideView(side: Side): TemplateResult {
  const { model, words } = side
  const { alerts, desk } = side.tools
  return html`
    ${me(side)} ${presence(side)} ${tools(side)} ${alertSwitches(alerts, desk)}
    <h2>${words.t('incoming')}</h2>
    <duolog-incoming
      .model=${model}
      .words=${words}
      .incoming=${model.incoming}
      .isReady=${model.isReady}
    ></duolog-incoming>
    <h2>${words.t('contacts')}</h2>
    ${model.sessions.length === 0 ? html`<p class="none">${words.t('contactsNone')}</p>` : nothing}
    <div class="hidden-text" role="status" data-testid="news">${newsText(side)}</div>
    <ul class="contacts">
      ${repeat(
        model.sessions,
        ({ contact }) => contact.id,
        (session) => entry(session, side),
      )}
    </ul>
  `
}

function me({ model, words }: Side): TemplateResult {
  const { identity } = model
  const picture = avatarUrl(identity?.agent.avatar, 80)
  const nick = showHidden(identity?.agent.nick ?? '')
  return html`<header class="me">
    <span class="avatar" aria-hidden="true">${avatarPicture(nick, picture)}</span>
    <div class="names">
      <p class="name" dir="auto" data-testid="agent-nick">${nick}</p>
      <p class="id" data-testid="agent-id">${identity?.agent.id ?? ''}</p>
    </div>
    <button
      class="icon flips"
      data-testid="sign-out"
      aria-label=${words.t('signOut')}
      title=${words.t('signOut')}
      @click=${() => void model.signOut()}
    >
      ${icons.exit}
    </button>
  </header>`
}

/** The overview is for those whose token says so; the service checks it. */
function tools({ model, tools: { desk, view, onView, onReplies } }: Side): TemplateResult {
  const look = (name: DeskView, text: string): TemplateResult =>
    html`<button
      class="tool"
      data-testid="view-${name}"
      aria-pressed=${String(view === name)}
      @click=${() => onView(name)}
    >
      ${deskIcons[name]}<span>${text}</span>
    </button>`
  return html`<div class="tools">
    ${look('past', desk.t('past'))}
    <button class="tool" aria-haspopup="dialog" data-testid="show-replies" @click=${onReplies}>
      ${deskIcons.replies}<span>${desk.t('replies')}</span>
    </button>
    ${model.identity?.agent.rights?.includes('supervise') === true ? look('overview', desk.t('overview')) : nothing}
  </div>`
}

function presence({ model, words }: Side): TemplateResult {
  const { isReady, connection } = model
  return html`
    <div>
      <button
        class="ready"
        role="switch"
        aria-checked=${String(isReady)}
        data-testid="ready-switch"
        @click=${() => void model.setReady(!isReady)}
      >
        <span class="track" aria-hidden="true"><span class="thumb"></span></span>${words.t('ready')}
      </button>
      <div role="status" data-testid="console-connection" data-connection=${connection}>
        ${
          connection === 'online'
            ? nothing
            : html`<p class="note">${icons.offline}<span>${words.t('connecting')}</span></p>`
        }
      </div>
      <div role="alert">${failure(model, words)}</div>
    </div>
  `
}

function failure(model: ConsoleModel, words: Words): TemplateResult | typeof nothing {
  if (!model.failure) return nothing
  return html`<p class="failure" data-testid="console-failure" data-code=${model.failure}>
    <span>${failureText(model, words)}</span>
    <button
      class="icon"
      aria-label=${words.t('dismiss')}
      title=${words.t('dismiss')}
      @click=${() => model.dismissFailure()}
    >
      ${icons.close}
    </button>
  </p>`
}

function entry(session: ContactSession, { model, words, onSelect }: Side): TemplateResult {
  const { state, contact } = session
  const nick = peerName(state, words)
  return html`
    <li>
      <button
        class="contact"
        data-testid="contact-item"
        data-id=${contact.id}
        data-stage=${state.stage}
        aria-current=${model.selected === session ? 'true' : 'false'}
        @click=${() => onSelect(contact.id)}
      >
        <span class="avatar" aria-hidden="true">${initials(nick)}</span>
        <span class="names"
          ><span class="name" dir="auto">${showHidden(nick)}</span
          ><span class="preview" dir="auto">${showHidden(previewText(state, words))}</span></span
        >
        ${
          state.unread > 0
            ? html`<span class="badge" data-testid="unread"
                >${state.unread}<span class="hidden-text"> ${words.count('unread', state.unread)}</span></span
              >`
            : nothing
        }
        ${state.offer ? html`<span class="badge call">${icons.phone}</span>` : nothing}
      </button>
    </li>
  `
}

/** An offer, else the last message, else where the conversation is. */
function previewText(state: Conversation, words: Words): string {
  if (state.offer) return words.t('call')
  const last = state.transcript.items.findLast((item) => item.kind !== 'notice')
  return last?.kind === 'remote' || last?.kind === 'own'
    ? bodyText(last.body).slice(0, PREVIEW_CHARACTERS)
    : statusText(state, words)
}

/** Calls and unread messages of the conversations that are not shown, for a screen reader. */
const newsText = ({ model, words }: Side): string =>
  model.sessions
    .flatMap(({ state }) => [
      ...(isRinging(state) && !state.isAttended ? [showHidden(offerText(state, words))] : []),
      ...(state.unread > 0
        ? [`${showHidden(peerName(state, words))}: ${words.count('unread', state.unread)}`]
        : []),
    ])
    .join('. ')
