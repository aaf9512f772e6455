import type { MediaEngine } from '../../engines/eager.ts'
import { ContactError } from '../../protocol/index.ts'
import type { MediaCapabilities, UnsentEntry } from '../../protocol/index.ts'
import type { AttachHost } from '../attachments/attach-host.ts'
import { actorOptions } from '../client/clock.ts'
import type { Encryption } from '../crypto/interface.ts'
import { DataChannels } from '../data-channels/data-channels.ts'
import type { EditHost } from '../forms/edit-host.ts'
import { publishMembership } from '../log/membership-events.ts'
import { Outbox } from '../log/outbox.ts'
import { Capabilities } from '../media/capabilities.ts'
import { ContactMedia } from '../media/contact-media.ts'
import { LateRelay } from '../relay/late-relay.ts'
import { RemoteCalls } from '../rpc/remote-calls.ts'
import { hasLeft } from './contact-closed.ts'
import { ConnectionEvent } from './connection-event.ts'
import { ContactSession } from './contact-session.ts'
import { ContactImpl } from './contact.ts'
import type { ContactPartsOptions } from './contact-parts-options.ts'
import type { EncryptionParts } from './encryption-parts.ts'
import { Delivery } from './event-queue.ts'
import type { TranscriptHost } from '../transcript/transcript.ts'
import { Incoming } from './incoming.ts'
import { Membership } from './membership.ts'
import { Messages } from './messages.ts'
import { seenKey } from './saved-state.ts'
import type { SessionState } from './session-state.ts'

/**
 * Makes the parts of one contact and connects them: the link's entries feed the fold, the fold's facts the
 * machines, the machines the outbox, the engines and the application. Only `open-contact.ts` imports it.
 */
export class ContactParts {
  readonly contact: ContactImpl
  readonly capabilities: Capabilities
  readonly #delivery: Delivery
  readonly #media: ContactMedia
  readonly #options: ContactPartsOptions
  readonly #encryption: Encryption | null
  readonly #relay: LateRelay
  readonly #channels: DataChannels
  readonly #outbox: Outbox
  readonly #membership: Membership
  readonly #calls: RemoteCalls
  readonly #session: ContactSession
  readonly #incoming: Incoming
  readonly #connection: ConnectionEvent
  readonly #ending = new AbortController()
  readonly #stops: (() => void)[] = []
  readonly #host: AttachHost & EditHost & TranscriptHost

  constructor(options: ContactPartsOptions) {
    this.#options = options
    const delivery = (this.#delivery = new Delivery(options.log))
    const membership = (this.#membership = this.#makeMembership())
    const encryption = (this.#encryption = options.encrypt?.(this.#encryptionParts()) ?? null)
    const relay = (this.#relay = this.#makeRelay())
    const outbox = (this.#outbox = this.#makeOutbox())
    this.#connection = new ConnectionEvent({ ...options, delivery, membership, outbox })
    const channels = (this.#channels = new DataChannels({ ...options, relay, delivery, membership }))
    const capabilities = (this.capabilities = this.#makeCapabilities())
    const media = (this.#media = this.#makeMedia())
    const session = (this.#session = this.#makeSession())
    const incoming = (this.#incoming = new Incoming({
      ...{ ...options, delivery, membership, relay, outbox, capabilities, media, session, encryption },
    }))
    const calls = (this.#calls = new RemoteCalls({
      ...{ ...options, relay, delivery, membership, over: this.#ending.signal },
      seenKey: () => seenKey(options.service, this.#state.id),
      holdsSlot: () => this.#state.holdsSlot,
    }))
    const messages = new Messages({ ...options, session, membership, outbox, relay, delivery })
    const host = (this.#host = this.#makeHost())
    const toldId = publishMembership({ ...options, delivery, membership, contact: () => this.#state.id })
    this.contact = new ContactImpl({
      ...{ ...options, session, membership, delivery, messages, channels, calls, capabilities, media },
      ...{ host, toldId, follow: incoming.follow, encryption },
      editField: (edit) => options.editField(host, edit),
    })
    this.#listen()
    membership.actor.start()
  }

  /** Hands an entry to the log. `onRefused`: the service will never take it. */
  write = (
    entry: UnsentEntry,
    onRefused: (error: ContactError) => void = () => {},
    onId?: (id: string) => void,
  ): void => {
    this.#outbox.add(entry, { onId }).catch((error: ContactError) => {
      if (error.code === 'left') return
      this.#options.log.warn('an entry was refused', { type: entry.type, code: error.code })
      if (error.code !== 'tampered') this.#delivery.emit('error', error)
      onRefused(error)
    })
  }

  /** Adds an engine to the contact. One that fails is left out, and the application is told. */
  async addEngine(engine: MediaEngine): Promise<void> {
    await this.#media.addEngine(engine).catch((cause: unknown) => {
      const reason = `unable to use the engine ${engine.id}; it failed`
      this.#delivery.emit('error', new ContactError('engine_failed', reason, { cause }))
    })
  }

  enter = (): Promise<void> => this.#membership.enter()

  get #state(): SessionState {
    return this.#session.state
  }

  /** Options of an actor of this contact. */
  #actor(machine: string, contact: string) {
    return { id: `${machine} ${contact}`, ...actorOptions(this.#options) }
  }

  #makeMembership(): Membership {
    const { role, record } = this.#options
    return new Membership({
      ...{
        role,
        life: record.state === 'transferred' ? 'queued' : record.state,
        actor: this.#actor('membership', record.id),
      },
      enter: (signal) => this.#session.enter(signal),
      leave: (reason) => this.#leave(reason),
      onDecided: () => {
        if (this.#membership.isInside()) for (const part of [this.capabilities, this.#session]) part.entered()
        setTimeout(this.#delivery.start)
      },
      onEnd: (how) => this.#end(how),
    })
  }

  #encryptionParts(): EncryptionParts {
    return {
      ...{ delivery: this.#delivery, write: this.write, place: () => this.#state, host: () => this.#host },
      actor: this.#actor('encryption', this.#options.record.id),
      onBroken: (error) => this.#break(error),
      parts: () => ({ encryption: this.#encryption, relay: this.#relay, outbox: this.#outbox }),
    }
  }

  #makeRelay(): LateRelay {
    const { link, clock, log } = this.#options
    return new LateRelay({
      ...{ clock, log, sealing: this.#encryption, over: this.#ending.signal },
      send: (to, frame) => {
        const { id, session } = this.#state
        return link.callHere('relay.send', { contact: id, session, to, frame })
      },
      onLost: (kinds) => {
        log.warn('frames were lost', { kinds })
        if (kinds.includes('data')) this.#channels.relayLost()
      },
    })
  }

  #makeOutbox(): Outbox {
    const { record, clock, inspect } = this.#options
    return new Outbox({
      ...{ contact: record.id, clock, inspect },
      session: () => this.#state.session,
      append: (drafts) => this.#session.append(drafts),
      count: () => this.#session.open(),
      sealing: this.#encryption,
      keep: (entries) => this.#state.saved.saveUnsent(entries),
    })
  }

  #makeCapabilities(): Capabilities {
    const { capabilities, ...options } = this.#options
    const host = {
      ...{ ...options, delivery: this.#delivery, outbox: this.#outbox, membership: this.#membership },
      contact: () => this.#state.id,
      state: () => this.#state.log.state,
      holdsSlot: () => this.#state.holdsSlot,
      onSet: (set: MediaCapabilities) => this.#media.capabilitiesSet(set),
    }
    return new Capabilities(host, capabilities)
  }

  #makeMedia(): ContactMedia {
    return new ContactMedia({
      ...{ ...this.#options, delivery: this.#delivery, relay: this.#relay, over: this.#ending.signal },
      contact: () => this.#state.id,
      ...{ capabilities: this.capabilities, encryption: this.#encryption, write: this.write },
      actor: () => this.#actor('media', this.#state.id),
      ...{ membership: this.#membership, shared: () => this.#state.log.state.shared },
      holdsSlot: () => this.#state.holdsSlot,
      onNotAnnounced: () => this.#session.waitForOthers(),
    })
  }

  /** Id and session are those of now. */
  #makeHost(): AttachHost & EditHost & TranscriptHost {
    const [session, encryption, { secure }] = [this.#session, this.#encryption, this.#options.record]
    return {
      ...{ ...this.#options, membership: this.#membership, capabilities: this.capabilities },
      ...{ secure, encryption, files: encryption?.files ?? null },
      ...{ outbox: this.#outbox, over: this.#ending.signal },
      get id() {
        return session.state.id
      },
      get session() {
        return session.state.session
      },
    }
  }

  #makeSession(): ContactSession {
    return new ContactSession({
      ...{ ...this.#options, delivery: this.#delivery, media: this.#media, membership: this.#membership },
      encryption: this.#encryption,
      onEntry: (read) => this.#incoming.read(read),
      onOpen: (counter) => {
        this.#outbox.resume(counter)
        this.#relay.resume()
        this.#connection.look()
      },
      onNext: () => {
        this.#outbox.startAnew()
        this.#encryption?.begin()
      },
    })
  }

  #listen(): void {
    const { link } = this.#options
    this.#stops.push(
      link.onPush((push) => this.#incoming.pushed(push)),
      link.onPage((isHere) => this.#state.page(isHere)),
      link.onState((state) => {
        if (state !== 'online') this.#outbox.suspend()
        this.#connection.look()
        if (link.refusal) this.#refused(link.refusal)
      }),
    )
  }

  /** The service refuses this party: what is pending settles. The page may connect again. */
  #refused(error: ContactError): void {
    this.#delivery.emit('error', error)
    this.#outbox.refuse(error)
    this.#channels.end(error)
    this.#calls.refuse(error.code)
  }

  /** Nothing that is read can be trusted: only leaving works. */
  #break(error: ContactError): void {
    this.#state.log.stop()
    this.#refused(error)
    for (const part of [this.#outbox, this.#relay]) part.close(error)
    this.#media.leave()
    this.#membership.fail(error)
  }

  /** What was sent before goes first. */
  async #leave(reason: string | undefined): Promise<void> {
    this.#media.leave()
    this.#encryption?.leave()
    this.#channels.end(hasLeft())
    await Promise.all([this.#media.stopEngines(), this.#session.leave(reason, this.#outbox.drained())])
  }

  /** Gives back all that this page holds; nothing is sent or emitted after it. */
  #end(how: 'over' | 'dropped'): void {
    const left = hasLeft()
    this.#media.leave()
    this.#outbox.close(left)
    this.#channels.end(left)
    this.capabilities.end(left)
    this.#ending.abort(left)
    this.#calls.end()
    this.#relay.bind(null)
    for (const stop of this.#stops.splice(0)) stop()
    if (how === 'dropped') this.#delivery.stop()
    this.#session.end(how)
    this.#encryption?.end(how === 'over')
    // Nobody goes on with a contact that is broken: what its log says of other pages counts for nothing.
    const goesOn = !this.contact.isLocked && this.#state.isElsewhere
    this.#options.onEnd(how === 'over' && goesOn ? 'left' : how)
  }
}
