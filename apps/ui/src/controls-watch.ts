import type { CallHost } from './call-host.ts'
import { operationOf } from './engine-operations.ts'
import { ENGINE } from './media-plan.ts'
import type { Contact } from './sdk.ts'

/** What is muted or on hold in the pages' engine is shown, whoever has done it: the site may have buttons. */
export class ControlsWatch {
  readonly #contact: Contact
  readonly #host: CallHost
  #engine: object | undefined
  #stop: unknown
  #isClosed = false

  constructor(contact: Contact, host: CallHost) {
    this.#contact = contact
    this.#host = host
  }

  /** Follows the engine that is registered now. */
  look(): void {
    const engine = this.#contact.getMediaEngine(ENGINE)
    if (engine === this.#engine || this.#isClosed) return
    this.#leave()
    this.#engine = engine
    this.#stop = operationOf(this.#contact, ENGINE, 'onControls')?.(() => this.#read())
    this.#read()
  }

  close(): void {
    this.#isClosed = true
    this.#leave()
  }

  #leave(): void {
    if (typeof this.#stop === 'function') this.#stop()
    this.#stop = undefined
  }

  #read(): void {
    const controls = this.#contact.getMediaEngine(ENGINE)?.controls?.()
    if (!controls || this.#isClosed) return
    const { muted, isHeld } = this.#host.state()
    const [audio, video] = [controls.muted.includes('Voice'), controls.muted.includes('Video')]
    if (audio !== muted.audio) this.#host.tell({ type: 'muted', kind: 'audio', on: audio })
    if (video !== muted.video) this.#host.tell({ type: 'muted', kind: 'video', on: video })
    if (controls.held !== isHeld) this.#host.tell({ type: 'held', on: controls.held })
  }
}
