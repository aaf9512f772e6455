import type { CallHost } from './call-host.ts'
import { carrierOf, operationOf } from './engine-operations.ts'
import { problemOf } from './problems.ts'
import type { Contact, ContactEvents } from './sdk.ts'

export type MuteKind = 'audio' | 'video'

const MUTE = {
  audio: { medium: 'Voice', methods: ['muteLocalAudio', 'unmuteLocalAudio'] },
  video: { medium: 'Video', methods: ['muteLocalVideo', 'unmuteLocalVideo'] },
} as const
const KINDS = ['audio', 'video'] as const

/** Microphone and camera of one contact that are not to be heard or seen for a while. */
export class MuteController {
  readonly #contact: Contact
  readonly #host: CallHost
  /** The engines that have muted something. */
  readonly #mutedBy = new Map<MuteKind, string>()

  constructor(contact: Contact, host: CallHost) {
    this.#contact = contact
    this.#host = host
  }

  /** Whether the engine that carries it, or will, can mute. */
  can(kind: MuteKind): boolean {
    return MUTE[kind].methods.every((name) => operationOf(this.#contact, this.#carrier(kind), name))
  }

  toggle(kind: MuteKind): void {
    this.set(kind, !this.#host.state().muted[kind])
  }

  set(kind: MuteKind, on: boolean): void {
    this.#set(kind, on, this.#carrier(kind))
  }

  /** A call that a page load had cut is back, muted as the contact has left it. */
  restored({ muted }: ContactEvents['restored']): void {
    for (const kind of KINDS) this.#host.tell({ type: 'muted', kind, on: muted.includes(MUTE[kind].medium) })
  }

  /**
   * A call that was hung up here begins unmuted the next time. One that was cut may come back by itself, and
   * stays muted.
   */
  callEnded(): void {
    const { muted, media } = this.#host.state()
    for (const kind of KINDS)
      if (muted[kind] && media[MUTE[kind].medium]?.tx !== true)
        this.#set(kind, false, this.#mutedBy.get(kind) ?? this.#carrier(kind))
  }

  #carrier(kind: MuteKind): string {
    return carrierOf(this.#host.state().media, MUTE[kind].medium)
  }

  #set(kind: MuteKind, on: boolean, engine: string): void {
    const method = operationOf(this.#contact, engine, MUTE[kind].methods[on ? 0 : 1])
    if (!method) return
    try {
      method()
      if (on) this.#mutedBy.set(kind, engine)
      else this.#mutedBy.delete(kind)
      this.#host.tell({ type: 'muted', kind, on })
    } catch (error) {
      this.#host.tell({ type: 'problem', problem: problemOf(error, 'change') })
    }
  }
}
