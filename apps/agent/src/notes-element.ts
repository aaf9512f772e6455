import { LitElement, html, nothing } from 'lit'
import type { PropertyValues, TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import { repeat } from 'lit/directives/repeat.js'
import type { Agent, ContactNote } from 'duolog/agent'
import type { ErrorCode } from 'duolog'
import { base, codeOf, define, showHidden } from '../../ui/src/index.ts'
import type { DeskWords } from '../../ui/src/index.ts'
import { deskIcons } from './desk-icons.ts'
import { noteStyle } from './desk-style.ts'

/** Characters of a note, as the service takes it. */
const MOST_CHARACTERS = 2_048

/** Notes that are not saved yet. */
const drafts = new WeakMap<object, string>()

/** What agents wrote about a contact. Everything in it is marked as not seen by the visitor. */
export class NotesElement extends LitElement {
  static override properties = {
    agent: { attribute: false },
    contact: {},
    draftOf: { attribute: false },
    words: { attribute: false },
    isSecure: { attribute: false },
    isOver: { attribute: false },
    notes: { state: true },
    failure: { state: true },
    isBusy: { state: true },
    isSaved: { state: true },
  }
  static override styles = [base, noteStyle]

  declare agent: Pick<Agent, 'on' | 'note' | 'notes'> | null
  declare contact: string
  /** Whose draft it is: it stays while another contact is shown. */
  declare draftOf: object | undefined
  declare words: DeskWords | undefined
  /** A note of a secure contact would not be encrypted: none is written. */
  declare isSecure: boolean
  /** The contact has ended: it is read, and not added to. */
  declare isOver: boolean
  declare notes: readonly ContactNote[]
  declare failure: ErrorCode | 'read' | null
  declare isBusy: boolean
  declare isSaved: boolean
  /** Aborted when another contact is shown. */
  #shown = new AbortController()

  constructor() {
    super()
    this.agent = null
    this.contact = ''
    this.isSecure = this.isOver = this.isBusy = this.isSaved = false
    this.notes = []
    this.failure = null
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#shown.abort()
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('agent') || changed.has('contact')) this.#watch()
  }

  override render(): TemplateResult | typeof nothing {
    const { words } = this
    if (!words) return nothing
    return html`<section aria-labelledby="heading" aria-describedby="hint" data-testid="notes">
      <h2 id="heading">${deskIcons.hidden}<span>${words.t('notes')}</span></h2>
      <p id="hint" class="hint" data-testid="notes-hint">
        ${words.t(this.isSecure ? 'notesSecure' : 'notesHint')}
      </p>
      ${this.#list(words)}
      <p class="failure" role="alert" data-testid="note-failure">${this.#failureText(words)}</p>
      ${this.isSecure || this.isOver ? nothing : this.#form(words)}
      <p class="hidden-text" role="status" data-testid="note-status">
        ${this.isSaved ? words.t('noteSaved') : ''}
      </p>
    </section>`
  }

  #list(words: DeskWords): TemplateResult | typeof nothing {
    // Whether there are notes is not known where they could not be read.
    if (this.isSecure || (this.failure === 'read' && this.notes.length === 0)) return nothing
    if (this.notes.length === 0) return html`<p class="none">${words.t('notesNone')}</p>`
    return html`<ul tabindex="0" aria-labelledby="heading">
      ${repeat(
        this.notes,
        ({ id }) => id,
        ({ nick, text, time }) =>
          html`<li data-testid="note">
            <p class="by" dir="auto">
              ${words.t('noteOf', { nick: showHidden(nick), time: words.moment(Date.parse(time)) })}
            </p>
            <p class="text" dir="auto">${showHidden(text)}</p>
          </li>`,
      )}
    </ul>`
  }

  #form(words: DeskWords): TemplateResult {
    return html`<form @submit=${this.#submit} @keydown=${this.#key}>
      <label for="text">${words.t('noteLabel')}</label>
      <textarea
        id="text"
        rows="3"
        dir="auto"
        maxlength=${MOST_CHARACTERS}
        data-testid="note-text"
        aria-describedby="hint keys"
        .value=${live(this.#draft)}
        @input=${this.#typed}
      ></textarea>
      <p id="keys" class="keys">${words.t('noteHint')}</p>
      <button data-testid="note-save" aria-disabled=${String(this.isBusy)}>
        ${words.t(this.isBusy ? 'noteSaving' : 'noteSave')}
      </button>
    </form>`
  }

  get #draft(): string {
    return (this.draftOf && drafts.get(this.draftOf)) ?? ''
  }

  #keep(text: string): void {
    if (this.draftOf) drafts.set(this.draftOf, text)
  }

  readonly #typed = (event: Event): void => {
    if (event.target instanceof HTMLTextAreaElement) this.#keep(event.target.value)
    this.isSaved = false
  }

  #failureText({ t, words }: DeskWords): string {
    if (this.failure === null) return ''
    return this.failure === 'read' ? t('notesFailed') : words.error(this.failure)
  }

  /** Reads the notes of the contact, again with each connection, and hears of those that other pages write. */
  #watch(): void {
    this.#shown.abort()
    this.#shown = new AbortController()
    this.notes = []
    this.failure = null
    const { agent, contact } = this
    const { signal } = this.#shown
    if (!agent || contact === '' || this.isSecure) return
    agent.on('note', ({ id, note }) => id === contact && this.#add(note), { signal })
    agent.on('connection', ({ state }) => state === 'online' && void this.#read(), { signal })
    void this.#read()
  }

  async #read(): Promise<void> {
    const { signal } = this.#shown
    try {
      const notes = (await this.agent?.notes(this.contact)) ?? []
      if (signal.aborted) return
      const known = new Set(notes.map(({ id }) => id))
      this.notes = [...notes, ...this.notes.filter(({ id }) => !known.has(id))]
      if (this.failure === 'read') this.failure = null
    } catch (thrown) {
      // Who has ended the contact, or handed it on, keeps what was read.
      const code = codeOf(thrown)
      if (!signal.aborted && code !== 'left' && code !== 'not_assigned') this.failure = 'read'
    }
  }

  #add(note: ContactNote): void {
    if (!this.notes.some(({ id }) => id === note.id)) this.notes = [...this.notes, note]
  }

  readonly #key = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.isComposing) return
    event.preventDefault()
    void this.#save()
  }

  readonly #submit = (event: Event): void => {
    event.preventDefault()
    void this.#save()
  }

  async #save(): Promise<void> {
    const field = this.renderRoot.querySelector('textarea')
    const text = field?.value.trim() ?? ''
    const { signal } = this.#shown
    if (!field || !this.agent || text === '' || this.isBusy) return field?.focus()
    this.isBusy = true
    this.failure = null
    try {
      const note = await this.agent.note(this.contact, text)
      this.#keep('')
      if (signal.aborted) return
      this.#add(note)
      this.isSaved = true
    } catch (thrown) {
      if (!signal.aborted) this.failure = codeOf(thrown)
    } finally {
      this.isBusy = false
      if (!signal.aborted) field.focus()
    }
  }
}

define('duolog-notes', NotesElement)
