import { LitElement, html, nothing } from 'lit'
import type { PropertyValues, TemplateResult } from 'lit'
import type { ContactSession } from '../contact-session.ts'
import type { Conversation, Problem } from '../conversation.ts'
import { icons } from '../icons.ts'
import { CALL_MEDIA, isOn } from '../media-plan.ts'
import { ObserverController } from '../observable.ts'
import { isMild, mayWorkWithoutCamera } from '../problems.ts'
import { connectionOf, endingText, hasVisitorLeft, isRinging, peerName, queueText } from '../status.ts'
import { base } from '../styles.ts'
import type { Words } from '../words.ts'
import { conversationStyle } from './conversation-style.ts'
import { define } from './define.ts'
import { CallBarElement } from './call-bar-element.ts'
import './call-element.ts'
import './composer-element.ts'
import './key-notice.ts'
import './messages-element.ts'
import './offer-element.ts'

/** Parts of a conversation whose controls are of a call, and single controls that begin one or bring it here. */
const OF_CALL =
  'duolog-call-bar, duolog-call, duolog-offer, [data-testid=call-without-camera], [data-testid=move-here]'
const DECLINE = '[data-testid=decline-offer]'

/** One conversation: messages, calls, and the field for new messages. */
export class ConversationElement extends LitElement {
  static override properties = {
    session: { attribute: false },
    words: { attribute: false },
    isDropping: { state: true },
  }
  static override styles = [base, conversationStyle]

  declare session: ContactSession | undefined
  declare words: Words | undefined
  /** Files are held over the conversation. */
  declare isDropping: boolean
  readonly #watching = new ObserverController(this)

  constructor() {
    super()
    this.isDropping = false
    this.addEventListener('dragover', this.#dragged)
    this.addEventListener('dragleave', this.#dragged)
    this.addEventListener('drop', this.#dragged)
  }

  readonly #dragged = (event: DragEvent): void => {
    const { session } = this
    if (!session || isClosed(session.state) || !event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    this.isDropping = event.type === 'dragover'
    if (event.type === 'drop') session.files.send(event.dataTransfer.files)
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('session')) this.#watching.watch(this.session)
  }

  override render(): TemplateResult | typeof nothing {
    const { session, words } = this
    if (!session || !words) return nothing
    const { state } = session
    const nick = peerName(state, words)
    return html`
      ${this.isDropping ? html`<p class="drop" aria-hidden="true">${words.t('dropFiles')}</p>` : nothing}
      <div class="banners">
        ${banner(state, words, () => session.takeOver())} ${this.#problem(state.problem, nick, words)}
      </div>
      <duolog-call
        class=${hasPictures(state) ? 'pictures' : ''}
        .session=${session}
        .state=${state}
        .words=${words}
      ></duolog-call>
      ${state.role === 'visitor' && state.stage === 'waiting' ? waiting(state, words) : nothing}
      <duolog-messages
        .session=${session}
        .items=${state.transcript.items}
        .words=${words}
        .nick=${nick}
        ?waits=${waitsForKey(state)}
      ></duolog-messages>
      <p class="typing" role="status" data-testid="typing" data-on=${String(state.isPeerTyping)}>
        ${state.isPeerTyping ? words.t('typing', { nick }) : ''}
      </p>
      <duolog-offer .session=${session} .state=${state} .words=${words}></duolog-offer>
      ${state.stage === 'ended' ? ending(state, words) : foot(session, words)}
    `
  }

  /** Focuses the call that asks for an answer, else the field for messages, or the reason of the end. */
  override focus(): void {
    const place = this.session && isRinging(this.session.state) ? 'duolog-offer' : 'duolog-composer, .ending'
    this.renderRoot.querySelector<HTMLElement>(place)?.focus()
  }

  /** Focuses what is used next when a control is gone that had the focus. `path`: it, and the elements around it. */
  focusAfter(path: readonly Element[]): void {
    const bar = this.renderRoot.querySelector('duolog-call-bar')
    const isOfCall = path.some((element) => element.matches(OF_CALL)) && !path[0]?.matches(DECLINE)
    if (isOfCall && bar instanceof CallBarElement && bar.focusEnd()) return
    if (isOfCall && this.session?.state.offer)
      this.renderRoot.querySelector<HTMLElement>('duolog-offer')?.focus()
    else this.focus()
  }

  #problem(problem: Problem | null, nick: string, words: Words): TemplateResult {
    const withoutCamera = problem?.what === 'call' && mayWorkWithoutCamera(problem)
    return html`<div role="alert">
      ${
        problem
          ? html`<div
              class="problem ${isMild(problem) || problem.code === 'withdrawn' ? 'mild' : ''}"
              data-testid="problem"
              data-code=${problem.code}
            >
              ${icons.alert}
              <div class="words">
                <p>${problemText(problem, nick, words)}</p>
                ${
                  withoutCamera
                    ? html`<button
                        class="plain"
                        data-testid="call-without-camera"
                        @click=${() => this.session?.calls.call('voice')}
                      >
                        ${words.t('callVoice')}
                      </button>`
                    : nothing
                }
              </div>
              <button
                class="icon"
                data-testid="dismiss-problem"
                aria-label=${words.t('dismiss')}
                title=${words.t('dismiss')}
                @click=${() => this.session?.dismissProblem()}
              >
                ${icons.close}
              </button>
            </div>`
          : nothing
      }
    </div>`
  }
}

const waiting = ({ queue, isForLater }: Conversation, words: Words): TemplateResult =>
  html`<p class="waiting" data-testid="waiting">
    ${words.t(isForLater ? 'laterText' : 'waitingText')}
    ${queue && !isForLater ? html`<strong role="status" data-testid="queue">${queueText(queue, words)}</strong>` : nothing}
  </p>`

const ending = (state: Conversation, words: Words): TemplateResult =>
  html`<p class="ending" role="status" tabindex="-1" data-testid="ending" data-reason=${state.ending ?? ''}>
    ${endingText(state, words)}
  </p>`

/** Where nothing can be said or called any more, only the notice is left. */
const foot = (session: ContactSession, words: Words): TemplateResult =>
  html`<div class="foot">
    <duolog-key-notice .session=${session} .state=${session.state} .words=${words}></duolog-key-notice>
    ${session.state.verification?.state === 'broken' ? nothing : controls(session, words)}
  </div>`

/** A call that the visitor has left behind can still be hung up. */
const controls = (session: ContactSession, words: Words): TemplateResult =>
  html`<duolog-call-bar .session=${session} .state=${session.state} .words=${words}></duolog-call-bar>
    ${hasVisitorLeft(session.state) ? visitorGone(session.state, words) : composer(session, words)}`

const visitorGone = (state: Conversation, words: Words): TemplateResult =>
  html`<p class="ending" role="status" tabindex="-1" data-testid="visitor-gone">
    ${words.t('visitorGone', { nick: peerName(state, words) })}
  </p>`

const composer = (session: ContactSession, words: Words): TemplateResult =>
  html`<duolog-composer
    .session=${session}
    .words=${words}
    .inCall=${session.state.callSince !== null}
    .files=${session.state.local?.Media.Sharing?.FileTransfer !== false}
  ></duolog-composer>`

/** Nothing can be sent. */
const isClosed = (state: Conversation): boolean => state.stage === 'ended' || hasVisitorLeft(state)

const waitsForKey = ({ verification }: Conversation): boolean =>
  verification?.state === 'agreeing' || verification?.state === 'changed'

function problemText({ what, code }: Problem, nick: string, words: Words): string {
  if (what === 'answer' && code === 'withdrawn') return words.t('offerOver', { nick })
  if (what !== 'restore') return words.error(code)
  return code === 'rejected' ? words.t('notRestored') : `${words.t('notRestored')} ${words.error(code)}`
}

function banner(state: Conversation, words: Words, takeOver: () => void): TemplateResult {
  const { stage, isElsewhere, callSince } = state
  const connection = connectionOf(state)
  const text = (): string => {
    if (stage === 'ended') return ''
    if (connection === 'offline') return words.t('offline')
    return isElsewhere ? words.t('elsewhere') : ''
  }
  const shown = text()
  const move = isElsewhere && stage !== 'ended' && connection !== 'offline'
  const icon = connection === 'offline' ? icons.offline : icons.alert
  return html`<div role="status" data-testid="banner" data-connection=${connection}>
    ${
      shown
        ? html`<div class="note">
            ${icon}
            <div class="words">
              <p>${shown}</p>
              ${
                move
                  ? html`<button class="plain" data-testid="move-here" @click=${takeOver}>
                      ${words.t(callSince === null ? 'callHere' : 'moveHere')}
                    </button>`
                  : nothing
              }
            </div>
          </div>`
        : nothing
    }
  </div>`
}

/** Whether a call shows a picture, for a larger layout. */
export const hasPictures = ({ media, isElsewhere, stopping }: Conversation): boolean =>
  !isElsewhere && !stopping?.isCall && CALL_MEDIA.some((medium) => medium !== 'Voice' && isOn(media[medium]))

define('duolog-conversation', ConversationElement)
