import type { Agent } from 'duolog/agent'
import { keepReady, wasReady } from './identity.ts'

/** Whether the agent takes contacts: as the service has it, and while it is asked, as the agent wants it. */
export class Presence {
  #isReady = false
  #asked: { readonly isReady: boolean } | null = null

  get isReady(): boolean {
    return this.#asked?.isReady ?? this.#isReady
  }

  /** Rejects where the service does not take it; all is as before then. */
  async ask(agent: Agent, isReady: boolean): Promise<void> {
    const asked = { isReady }
    this.#asked = asked
    try {
      await (isReady ? agent.ready() : agent.pause())
      if (this.#asked === asked) this.is(isReady)
    } finally {
      if (this.#asked === asked) this.#asked = null
    }
  }

  /** As an earlier page of this tab had it. */
  async restore(agent: Agent): Promise<void> {
    if (wasReady() && !this.#asked && !this.#isReady) await this.ask(agent, true)
  }

  /** The service has it so, and the next page of this tab will. */
  is(isReady: boolean): void {
    this.#asked = null
    this.#isReady = isReady
    keepReady(isReady)
  }
}
