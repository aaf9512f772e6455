import type { Agent } from 'duolog/agent'
import { keepReady, wasReady } from './identity.ts'

/** Whether the agent takes contacts: as the service has it, and while it is asked, as the agent wants it. */
export class Presence {
  readonly #onChange: () => void
  #isReady = false
  #asked: { readonly isReady: boolean } | null = null

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  get isReady(): boolean {
    return this.#asked?.isReady ?? this.#isReady
  }

  /** Rejects where the service does not take it; it is as before then. */
  async ask(agent: Agent, isReady: boolean): Promise<void> {
    const asked = { isReady }
    this.#asked = asked
    try {
      await (isReady ? agent.ready() : agent.pause())
      if (this.#asked === asked) this.#is(isReady)
    } finally {
      if (this.#asked === asked) this.#asked = null
    }
  }

  /** As an earlier page of this tab had it. */
  async restore(agent: Agent): Promise<void> {
    if (wasReady() && !this.#asked && !this.#isReady) await this.ask(agent, true)
  }

  /** Hears until `signal` is aborted what any page of the agent has changed. What this page asks now is newer. */
  follow(agent: Agent, signal: AbortSignal): void {
    agent.on('presence', ({ state }) => this.#is(state === 'ready'), { signal })
  }

  /** The service has paused the agent. An answer that comes after this is newer: both use one connection. */
  paused(): void {
    this.#is(false)
  }

  /** The agent has signed out: an answer that is still to come is ignored. */
  forget(): void {
    this.#asked = null
    this.#is(false)
  }

  /** Keeps it for the next page of this tab, too. */
  #is(isReady: boolean): void {
    this.#isReady = isReady
    keepReady(isReady)
    this.#onChange()
  }
}
