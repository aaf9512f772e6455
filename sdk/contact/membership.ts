import { createActor, fromPromise } from 'xstate'
import { membershipMachine } from '../../machines/eager.ts'
import type { MembershipActor, MembershipSnapshot } from '../../machines/eager.ts'
import { ContactError, LIMITS, deferred } from '../../protocol/index.ts'
import type { ContactLife, Deferred, Slot } from '../../protocol/index.ts'
import type { actorOptions } from '../client/clock.ts'
import { until } from '../async/until.ts'
import { requireText } from '../values/arguments.ts'
import { isContactClosed } from './contact-closed.ts'

/**
 * How a page's part in a contact ends. `over`: for the party; `left`: another page of the party goes on;
 * `dropped`: it can be taken up again.
 */
export type End = 'over' | 'left' | 'dropped'

export interface MembershipOptions {
  readonly role: Slot
  /** How the contact stands now. */
  readonly life: ContactLife
  readonly actor: ReturnType<typeof actorOptions> & { readonly id: string }
  /**
   * Opens the channel, replays the log and announces this session; tells how the contact stands then. Null:
   * it was given up meanwhile.
   */
  readonly enter: (signal: AbortSignal) => Promise<ContactLife | null>
  /** Tells the service, and stops the media. */
  readonly leave: (reason: string | undefined) => Promise<void>
  /** This page is in, or will never be: the application may hear of it. */
  readonly onDecided: () => void
  /** This page has no part in the contact any more. `dropped`: the contact goes on elsewhere. */
  readonly onEnd: (how: 'over' | 'dropped') => void
}

/** A page's part in a contact: how it comes in, and how that ends. */
export class Membership {
  readonly actor: MembershipActor
  readonly #options: MembershipOptions
  #entering: Deferred | null = null
  /** Why this page trusts nothing of the contact any more. */
  #fault: ContactError | null = null
  readonly #failing = deferred()

  constructor(options: MembershipOptions) {
    const { role, life, actor, leave } = options
    this.#options = options
    const actors = {
      enter: fromPromise<void>(({ signal }) => this.#comeIn(signal)),
      leave: fromPromise<void, { readonly reason: string | undefined }>(({ input }) => leave(input.reason)),
    }
    this.actor = createActor(membershipMachine.provide({ actors }), { ...actor, input: { role, life } })
    this.actor.on('entered', () => this.#decided())
    this.actor.on('notEntered', ({ error }) =>
      this.#decided(
        error ?? new ContactError('offline', 'unable to enter the contact; the service did not answer'),
      ),
    )
    const watching = this.actor.subscribe(() => {
      if (!this.hasEnded()) return
      watching.unsubscribe()
      this.#decided(new ContactError('left', 'unable to enter the contact; it is over for this page'))
      options.onEnd(this.#is('dropped') ? 'dropped' : 'over')
    })
  }

  #is = (state: Parameters<MembershipSnapshot['matches']>[0]): boolean =>
    this.actor.getSnapshot().matches(state)

  /** Whether this page has entered the contact and not left it. */
  isInside = (): boolean => this.#is('inside')

  /** Whether it is about to enter, for the first time: the application has been told nothing of it yet. */
  isEntering = (): boolean => this.#is('entering')

  /** Whether it has neither entered the contact nor tries to. */
  isOutside = (): boolean => this.#is('outside')

  /** Whether it goes on under another id, and is not there yet. */
  isMoving = (): boolean => this.#is('moving')

  /** Whether it waits for the connection to go there. */
  isStranded = (): boolean => this.#is({ moving: 'waiting' })

  /**
   * Fails where nothing but leaving can be done with the contact on this page any more.
   * @throws {@link ContactError} `left`, `tampered`
   */
  requireOpen(operation: string): void {
    if (this.isOver()) throw isOverFor(operation)
    if (this.#fault) throw this.#fault
  }

  /**
   * Fails unless this page has entered the contact, or is about to.
   * @throws {@link ContactError} `left`, `tampered`, `not_joined`
   */
  requirePart(operation: string): void {
    this.requireOpen(operation)
    if (this.isOutside()) throw notEntered(operation)
  }

  /** Fails unless this page has entered the contact. @throws {@link ContactError} `left`, `tampered`, `not_joined` */
  requireInside(operation: string): void {
    this.requireOpen(operation)
    if (!this.isInside()) throw notEntered(operation)
  }

  /** Whether nothing can be done with the contact on this page any more. */
  isOver = (): boolean => this.hasEnded() || this.#is('leaving')

  /** Whether it is over, and all is done. */
  hasEnded = (): boolean => (['left', 'cleared', 'dropped'] as const).some(this.#is)

  /**
   * Enters the contact: resolves when the own `present` has been read back.
   * @throws {@link ContactError} `offline`, `not_found`, `left`
   */
  enter(): Promise<void> {
    if (this.isInside()) return Promise.resolve()
    if (this.isOver()) return Promise.reject(isOverFor('enter the contact'))
    this.#entering ??= deferred()
    this.actor.send({ type: 'contact.enter' })
    return this.#entering.promise
  }

  /**
   * Enters the contact as the application asks. `isLocked`: it is secure, and encryption is not there. A
   * contact that is over for this party is given back.
   * @throws {@link ContactError} as `enter`; `no_crypto`, `not_assigned`
   */
  async join({ force, isLocked }: { readonly force: boolean; readonly isLocked: boolean }): Promise<void> {
    if (this.isOver()) throw isOverFor('join the contact')
    if (isLocked || this.#fault) throw noCrypto(this.#fault)
    if (this.actor.getSnapshot().context.life === 'queued' && !force)
      throw new ContactError('not_assigned', 'unable to join the contact; it is not assigned')
    await this.enter().catch((thrown: unknown) => {
      // `forbidden` concerns the right to join, or the `present`: both may be given later.
      if (isContactClosed(thrown) && thrown.code !== 'forbidden') this.drop()
      throw thrown === this.#fault ? noCrypto(thrown) : thrown
    })
  }

  /**
   * Leaves for good: resolves when everything is done.
   * @throws {@link ContactError} `invalid_argument`, `too_large` — of `reason`
   */
  async leave(reason?: string): Promise<void> {
    if (reason !== undefined && reason !== null)
      requireText('leave the contact', reason, { name: 'reason', bytes: LIMITS.desc })
    this.actor.send({ type: 'contact.leave', ...(reason && { reason }) })
    await until(this.actor, () => this.hasEnded())
  }

  /** Gives this page's part back; the contact goes on and can be resumed. */
  drop = (): void => this.actor.send({ type: 'contact.drop' })

  /** This page trusts nothing of the contact any more: it can only leave. Where it is about to enter, it does not. */
  fail(error: ContactError): void {
    this.#fault = error
    if (this.isEntering()) this.#failing.reject(error)
  }

  /** The service says that this party has no part in the contact any more. */
  end = (): void => this.actor.send({ type: 'contact.gone' })

  async #comeIn(signal: AbortSignal): Promise<void> {
    const life = await Promise.race([this.#options.enter(signal), this.#failing.promise])
    if (life) this.actor.send({ type: 'log.entered', life })
  }

  #decided(error?: unknown): void {
    const entering = this.#entering
    this.#entering = null
    if (error === undefined) entering?.resolve()
    else entering?.reject(error)
    if (error === undefined || error === this.#fault || this.isOver()) this.#options.onDecided()
  }
}

const noCrypto = (cause?: unknown): ContactError =>
  new ContactError('no_crypto', 'unable to join the contact; encryption is not available', { cause })

const isOverFor = (operation: string): ContactError =>
  new ContactError('left', `unable to ${operation}; the contact is over for this page`)

const notEntered = (operation: string): ContactError =>
  new ContactError('not_joined', `unable to ${operation}; this page has not entered the contact`)
