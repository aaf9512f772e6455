import type { PhoneEnd } from '../../../protocol/index.ts'
import type { PhoneCall, PhoneEvents, TelephonyGateway } from '../../../service/src/telephony/index.ts'

interface Dialled extends PhoneCall {
  readonly events: PhoneEvents
}

/** A telephone network that a test answers, or does not. */
export class PhoneNetwork implements TelephonyGateway {
  readonly dialled: Dialled[] = []
  readonly hungUp: string[] = []
  resets = 0
  /** What a telephone does when it rings. */
  onRing: (call: Dialled) => void = () => {}

  /** As if nobody had called yet. */
  renew(onRing: PhoneNetwork['onRing']): void {
    this.dialled.length = this.hungUp.length = 0
    this.onRing = onRing
  }

  dial(call: PhoneCall, events: PhoneEvents): void {
    const dialled = { ...call, events }
    this.dialled.push(dialled)
    this.onRing(dialled)
  }

  hangUp(id: string): void {
    this.hungUp.push(id)
  }

  reset(): void {
    this.resets++
  }

  answer(): void {
    this.dialled.at(-1)?.events.answered()
  }

  end(reason: PhoneEnd): void {
    this.dialled.at(-1)?.events.ended(reason)
  }
}
