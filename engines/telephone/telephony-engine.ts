import { ContactError } from '../../protocol/index.ts'
import type { PartialMediaState, ServiceBodies } from '../../protocol/index.ts'
import type { EngineHost, EngineTransition } from '../media-engine.ts'
import { NativeEngine, notWanted } from '../native/native-engine.ts'

type PhoneNews = ServiceBodies['telephone']

const hasVoice = ({ Voice }: PartialMediaState): boolean => Boolean(Voice?.tx || Voice?.rx)
const endError = (reason = 'failed'): ContactError =>
  new ContactError('engine_failed', `unable to carry Voice; telephone: ${reason}`)

/**
 * The Native engine where the service has a telephony gateway: Voice `via: 'pstn'` as well. Turning it on
 * waits until the telephone is answered, and fails with `engine_failed` where it is not; a call that ends
 * makes the engine give Voice up. The devices of the page are not used.
 */
export class TelephonyEngine extends NativeEngine {
  #host: EngineHost | undefined
  #call: PhoneNews | null = null
  /** Settles the transition that waits for the call; `isOver`: it is no longer wanted. */
  #settle: ((isOver: boolean) => void) | null = null
  protected override readonly vias = { Sharing: 'net', Chat: 'net', Voice: 'pstn' }

  /** {@inheritDoc MediaEngine.attach} */
  override attach(host?: EngineHost): void {
    this.#host = host
  }

  /**
   * What the service tells of the call; null: a change of media begins. `isOn`: Voice is among the contact's
   * media. Without `call`: as told before.
   */
  told(isOn: boolean, call = this.#call): void {
    this.#call = call
    if (this.#settle) return this.#settle(false)
    if (isOn && call?.state === 'ended')
      this.#host?.report({ type: 'broke', media: ['Voice'], error: endError(call.reason) })
  }

  /** {@inheritDoc MediaEngine.transit} */
  override async transit(transition: EngineTransition): Promise<void> {
    await super.transit(transition)
    const { from, to, signal } = transition
    if (hasVoice(to) && !hasVoice(from)) await this.#answered(signal)
  }

  /** {@inheritDoc MediaEngine.stop} */
  override async stop(): Promise<void> {
    this.#settle?.(true)
  }

  #answered(signal: AbortSignal): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const settle = (isOver: boolean): void => {
        const { state, reason } = this.#call ?? {}
        if (isOver) reject(notWanted())
        else if (state === 'ended') reject(endError(reason))
        else if (state === 'answered') resolve()
        else return
        this.#settle = null
      }
      this.#settle = settle
      signal.addEventListener('abort', () => this.#settle === settle && settle(true))
      settle(false)
    })
  }
}
