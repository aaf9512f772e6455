/** One contact of the service in memory: its log, and the rules by which the service writes into it. */
import { algebra, countChannels, foldContact, initialContactState, otherSlot, parseDraft } from '../protocol/index.ts'
import type { Appended, ContactData, ContactRequest, ContactState, Draft, EndReason, Entry, ServiceBodies, ServiceEntryType, Slot } from '../protocol/index.ts'
import { ContactError } from '../protocol/index.ts'

/** Who acts: a party with its id and name. */
export interface Party {
  readonly slot: Slot
  readonly id: string
  readonly nick?: string
}

const ABANDON_AFTER_MS = 10_000

export class MemoryContact {
  readonly id: string
  readonly entries: Entry[] = []
  readonly visitor: Party
  agent: Party | null = null
  readonly #request: ContactRequest
  readonly #now: () => number
  readonly #created: number
  readonly #counters = new Map<string, number>()
  readonly #seqs = new Map<string, number>()
  state: ContactState

  constructor(id: string, visitor: Party, request: ContactRequest, now: () => number) {
    this.id = id
    this.visitor = visitor
    this.#request = request
    this.#now = now
    this.#created = now()
    this.state = initialContactState('visitor', request.initialOffer)
  }

  /** The record as `reader` may see it. */
  record(reader: Slot): ContactData {
    const { nick, lang, tags, data, initialOffer, secure, visit } = this.#request
    const { life, agent, channels, shared } = this.state
    return {
      id: this.id,
      state: life,
      created: new Date(this.#created).toISOString(),
      visit: visit ?? {},
      visitor: { id: this.visitor.id, ...(nick !== undefined && { nick }), ...(lang !== undefined && { lang }) },
      ...(agent && { agent }),
      tags: tags ?? [],
      data: data ?? [],
      ...(initialOffer && { initialOffer }),
      mediaState: reader === 'visitor' ? shared.media : algebra.swap(shared.media),
      secure: secure ?? false,
      transcript: { messages: this.entries.filter(({ type }) => type === 'text' || type === 'link' || type === 'action').length },
      channels: countChannels(channels),
    }
  }

  counterOf = (session: string): number => this.#counters.get(session) ?? 0

  announce(session: string): void {
    if (!this.#counters.has(session)) this.#counters.set(session, 0)
  }

  append(party: Party, session: string, drafts: readonly unknown[]): Appended[] {
    return drafts.map((draft) => this.#appendOne(party, session, draft))
  }

  #appendOne(party: Party, session: string, raw: unknown): Appended {
    const id = String((raw as { readonly id?: unknown } | null)?.id)
    const known = this.#seqs.get(id)
    if (known !== undefined) return { id, seq: known }
    try {
      const counter = Number((raw as { readonly counter?: unknown } | null)?.counter)
      if (!this.#counters.has(session)) throw new ContactError('forbidden', 'unable to append; the session was not announced')
      if (counter !== this.counterOf(session) + 1) throw new ContactError('invalid_argument', 'unable to append; the counter does not follow')
      this.#counters.set(session, counter)
      const draft = parseDraft(raw)
      if (draft.session !== session) throw new ContactError('forbidden', 'unable to append; another session cannot be written for')
      if (this.state.life === 'cleared') throw new ContactError('left', 'unable to append; the contact is over')
      return { id, seq: this.#store(party, draft) }
    } catch (thrown) {
      const error = thrown as ContactError
      return { id, error: { code: error.code, message: error.message } }
    }
  }

  #store(party: Party, draft: Draft): number {
    const { id, nick } = party
    const seq = this.#push({ ...draft, seq: this.entries.length + 1, slot: party.slot, time: this.#now(), from: { id, ...(nick !== undefined && { nick }) } } as Entry)
    if (draft.type === 'present' && party.slot === 'agent' && this.state.life === 'assigned') this.writeByService('joined', { user: id, nick: nick ?? id })
    return seq
  }

  writeByService<T extends ServiceEntryType>(type: T, body: ServiceBodies[T]): void {
    const seq = this.entries.length + 1
    this.#push({ seq, id: `service.${seq}`, time: this.#now(), slot: 'service', type, body } as Entry)
  }

  assign(agent: Party): void {
    this.agent = agent
    this.writeByService('assigned', { user: agent.id, nick: agent.nick ?? agent.id })
  }

  /** A session ends: by leaving, or because nothing was heard of it. */
  end(session: string, slot: Slot, how: 'leave' | 'timeout'): void {
    if (this.state.life === 'cleared') return
    const reason: EndReason = how === 'timeout' ? 'timeout' : slot === 'agent' ? 'user' : this.#visitorReason()
    const remaining = this.state.channels[slot].filter((one) => one !== session)
    const channels = countChannels({ ...this.state.channels, [slot]: remaining } as ContactState['channels'])
    const party = slot === 'visitor' ? { vvcu: this.visitor.id } : { user: this.agent?.id ?? '' }
    this.writeByService('left', { session, slot, ...party, reason, channels })
    if (reason === 'cancel' || reason === 'abandon') this.writeByService('cleared', { reason })
    if (reason === 'user') this.writeByService('cleared', { reason: 'user' })
  }

  #visitorReason(): EndReason {
    if (this.state.life === 'joined') return 'vvcu'
    return this.#now() - this.#created < ABANDON_AFTER_MS ? 'cancel' : 'abandon'
  }

  #push(entry: Entry): number {
    this.entries.push(entry)
    this.#seqs.set(entry.id, entry.seq)
    this.state = foldContact(this.state, entry).state
    return entry.seq
  }

  /** The session that may be spoken to from `slot`. */
  peerOf = (slot: Slot): string | null => this.state.shared.session[otherSlot(slot)]
}
