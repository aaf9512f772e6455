import { setTimeout as delay } from 'node:timers/promises'
import { createAgent } from '../../sdk/agent/index.ts'
import type { Agent } from '../../sdk/agent/index.ts'
import type { Contact } from '../../sdk/index.ts'
import { codeOf } from './notes.ts'
import { pick } from './random.ts'
import { Talker } from './talker.ts'
import type { PartyParts } from './visitor-tab.ts'

const AGAIN_MS = 1_000
const DECLINES = 0.05
/** Until the answer to an offer, at most. */
const THINKS_MS = 1_500

/** An agent who takes contacts, hands some on, pauses, goes and comes back. */
export class AgentDesk {
  readonly #parts: PartyParts
  #agent: Agent
  #talkers: Talker[] = []
  /** Whether nothing new is begun: a text of a new page could come between what is compared in the end. */
  #rests = false

  constructor(parts: PartyParts) {
    this.#parts = parts
    this.#agent = this.#desk()
  }

  async run(rest: AbortSignal): Promise<void> {
    const { random, task } = this.#parts
    rest.addEventListener('abort', () => (this.#rests = true))
    while (!rest.aborted && !(await this.#try('come', () => this.#come())));
    while (!rest.aborted) {
      this.#talkers = this.#talkers.filter(({ isOver }) => !isOver)
      const pages = Math.max(1, this.#talkers.length)
      const wait = (-Math.log(1 - random()) * task.everyMs) / pages
      await delay(wait, undefined, { signal: rest }).catch(() => {})
      if (!rest.aborted) await this.#try('act', () => this.#act())
    }
  }

  async answered(): Promise<void> {
    await Promise.all(this.#talkers.map((talker) => talker.answered()))
  }

  async hasRead(last: Readonly<Record<string, string>>): Promise<void> {
    await Promise.all(this.#talkers.map((talker) => talker.hasRead(last)))
  }

  async conclude(): Promise<void> {
    await Promise.all(this.#talkers.map((talker) => talker.conclude()))
  }

  async end(): Promise<void> {
    await this.#agent.close()
  }

  async #act(): Promise<void> {
    const { random } = this.#parts
    const talker = pick(
      random,
      this.#talkers.filter(({ hasEntered }) => hasEntered),
    )
    const dice = random()
    if (dice < 0.0005) {
      for (const each of this.#talkers) each.close()
      this.#talkers = []
      await this.#agent.close()
      this.#agent = this.#desk()
      while (!(await this.#try('come', () => this.#come())));
    } else if (dice < 0.001) {
      await this.#agent.pause()
      await delay(AGAIN_MS)
      await this.#ready()
    } else if (dice < 0.002 && talker) {
      await this.#agent.transfer(talker.contact.id, { toTags: [] })
    } else talker?.act()
  }

  /** Takes up what it had, and says that it is there. */
  async #come(): Promise<void> {
    await this.#ready()
    for (const contact of await this.#agent.contacts()) await this.#join(contact)
  }

  #ready(): Promise<void> {
    return this.#agent.ready({ capacity: this.#parts.task.capacity })
  }

  #desk(): Agent {
    const { task, name, notes } = this.#parts
    const agent = createAgent({ service: task.url, token: () => signIn(task.url, name) })
    const page = `${task.process}/0`
    agent.on('distribution', ({ id, expiresInMs }) => {
      notes.note(page, { what: 'offered', contact: id, agent: name, expiresInMs })
      void this.#try('offer', () => this.#answer(agent, id))
    })
    agent.on('withdrawn', ({ id }) => notes.note(page, { what: 'withdrawn', contact: id, agent: name }))
    agent.on('paused', () => void this.#try('ready', () => this.#ready()))
    return agent
  }

  async #answer(agent: Agent, id: string): Promise<void> {
    const { notes, task, name, random } = this.#parts
    const page = `${task.process}/0`
    await delay(random() * THINKS_MS)
    if (this.#rests) return
    notes.note(page, { what: 'answers', contact: id, agent: name })
    if (random() < DECLINES) {
      await agent.decline(id)
      return notes.note(page, { what: 'declined', contact: id, agent: name })
    }
    const contact = await agent.accept(id)
    notes.note(page, { what: 'accepted', contact: id, agent: name })
    await this.#join(contact)
  }

  async #join(contact: Contact): Promise<void> {
    const { notes, random } = this.#parts
    // It is one page of the contact, whether it was accepted or taken up.
    if (this.#talkers.some((each) => each.contact === contact && !each.isOver)) return
    const talker = new Talker(contact, notes, random)
    this.#talkers.push(talker)
    await contact.join()
    talker.say()
  }

  /** Whether it has worked. */
  async #try(doing: string, work: () => Promise<void>): Promise<boolean> {
    const { notes, task } = this.#parts
    try {
      await work()
      return true
    } catch (thrown) {
      notes.note(`${task.process}/0`, { what: 'failed', doing, code: codeOf(thrown) })
      await delay(AGAIN_MS)
      return false
    }
  }
}

/** Local sign-in: the same name is the same agent. */
async function signIn(url: string, nick: string): Promise<string> {
  const response = await fetch(`${url}/v1/dev/agents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ nick }),
  })
  if (!response.ok) throw new Error(`sign-in was answered with ${response.status}`)
  const { token } = (await response.json()) as { token: string }
  return token
}
