/**
 * Key changes in the search over the transport: whole pages of both parties, with the production encryption, write
 * to each other while a page is loaded anew, or the contact is transferred, at every step, and while calls are lost,
 * connections cut, and pushes repeated or swapped. Each text is read once, in the order written.
 *
 * Bounds: one key change, three texts of the visitor and two of the agent, one lost call or one order of pushes.
 * `DUOLOG_STEPS=60` tries so many steps in CI's place.
 */
import { describe, expect, it } from 'vitest'
import type { Contact } from '../../sdk/index.ts'
import { memoryStore } from '../../sdk/client/page-storage.ts'
import { otherSlot } from '../../protocol/index.ts'
import type { Slot, Transport } from '../../protocol/index.ts'
import { settled } from '../../testing/index.ts'
import type { Loss } from '../../testing/memory-faults.ts'
import { textsOf } from '../support/contacts.ts'
import { World } from '../support/world.ts'

const CHANGES = ['agent', 'visitor', 'both', 'transfer'] as const
type Change = (typeof CHANGES)[number]

/** Turns of the event loop between the texts and the key change. */
const STEPS = process.env['DUOLOG_STEPS']
  ? Array.from({ length: Number(process.env['DUOLOG_STEPS']) }, (_, at) => at)
  : [0, 8]

/** What goes wrong besides. */
type Fault = 'nothing' | 'cut' | 'repeated' | 'swapped' | Loss
const LOSSES = (['visitor', 'agent'] as const).flatMap((slot) =>
  [false, true].map((answerOnly): Loss => ({ name: 'log.append', slot, answerOnly })),
)
const FAULTS: readonly Fault[] = ['nothing', 'cut', 'repeated', 'swapped', ...LOSSES]

/** Pushes of the log come twice, or two and two in another order. */
function disordering(transport: Transport, faultNow: () => Fault, ends: (() => void)[]): Transport {
  return {
    connect(onEvent) {
      let held: (() => void) | null = null
      ends.push(() => held?.())
      return transport.connect((event) => {
        const pass = (): void => onEvent(event)
        const fault = faultNow()
        if (event.type !== 'push' || event.push.name !== 'log.entries') return pass()
        if (fault === 'swapped' && !held) {
          held = pass
          return
        }
        pass()
        if (held) held()
        else if (fault === 'repeated') pass()
        held = null
      })
    },
  }
}

/** What an application asks again where the service cannot be reached. */
async function insisted<T>(ask: () => T | Promise<T>): Promise<T> {
  for (let times = 0; ; times++)
    try {
      return await ask()
    } catch (thrown) {
      if (times === 20) throw thrown
      await settled()
    }
}

interface Read {
  /** Texts of the other party, of all pages of a party. */
  readonly visitor: readonly string[]
  readonly agent: readonly string[]
  /** Messages as the service counts them, of the last contact. */
  readonly counted: number
  readonly isSecured: boolean
}

class Play {
  readonly #world = new World()
  readonly #tabs = { visitor: memoryStore(), agent: memoryStore() }
  readonly #texts: Record<Slot, string[][]> = { visitor: [], agent: [] }
  #fault: Fault = 'nothing'
  /** What is held back goes on. */
  readonly #ends: (() => void)[] = []

  constructor() {
    const { link } = this.#world
    const sound = link.transport.bind(link)
    link.transport = (party) => ({
      connect: (onEvent) => disordering(sound(party), () => this.#fault, this.#ends).connect(onEvent),
    })
  }

  async run(change: Change, step: number, fault: Fault): Promise<Read> {
    const world = this.#world
    let visitorPage = world.visitor({ tab: this.#tabs.visitor })
    let visitor = await visitorPage.client.createContact({ secure: true })
    this.#hear('visitor', visitor)
    await settled()
    let agentPage = world.agent({}, this.#tabs.agent)
    let agent = await agentPage.client.accept(visitor.id)
    this.#hear('agent', agent)
    await agent.join()
    await settled()
    this.#fault = fault
    if (typeof fault === 'object') world.link.lose(fault)
    const said = [
      ...['one', 'two', 'three'].map((text) => visitor.sendText(text)),
      ...['yes', 'no'].map((text) => agent.sendText(text)),
    ]
    for (const promise of said) promise.catch(() => {})
    for (let turn = 0; turn < step; turn++) await Promise.resolve()
    if (fault === 'cut') for (const slot of ['visitor', 'agent'] as const) world.link.cut(slot)
    const changed = (async () => {
      if (change === 'transfer') {
        const [page, next] = [agentPage, world.agent({ id: 'agent-2', nick: 'Bob' })]
        const { id } = visitor
        await insisted<unknown>(
          () => world.link.contacts.size > 1 || page.client.transfer(id, { toTags: [] }),
        )
        const to = [...world.link.contacts.keys()].at(-1) ?? ''
        agent = await insisted(() => next.client.accept(to))
        agentPage = next
        this.#hear('agent', agent)
        return agent.join()
      }
      if (change !== 'agent') {
        await visitorPage.client.close()
        visitorPage = world.visitor({ tab: this.#tabs.visitor })
        const { contact } = await visitorPage.client.resumeContact()
        if (!contact) throw new Error('nothing was resumed')
        visitor = contact
        this.#hear('visitor', visitor)
      }
      if (change === 'visitor') return
      await agentPage.client.close()
      agentPage = world.agent({}, this.#tabs.agent)
      const [again] = await agentPage.client.contacts()
      if (!again) throw new Error('the agent has no contact')
      agent = again
      this.#hear('agent', agent)
      await agent.join()
    })()
    let isChanged = false
    const noted = changed.finally(() => (isChanged = true))
    noted.catch(() => {})
    await this.#until(() => isChanged)
    await noted
    this.#fault = 'nothing'
    for (const end of this.#ends) end()
    await settled()
    let left = 2
    for (const [contact, text] of [
      [visitor, 'last'],
      [agent, 'bye'],
    ] as const)
      contact.sendText(text).then(
        () => (left -= 1),
        () => {},
      )
    await this.#until(() => left === 0)
    await settled()
    const own = (slot: Slot): readonly string[] =>
      this.#texts[slot].flat().filter((text) => !text.startsWith('own '))
    return {
      ...{ visitor: own('visitor'), agent: own('agent') },
      counted: visitor.data().transcript.messages,
      isSecured: [visitor, agent].every(({ verification }) => verification?.state === 'unverified'),
    }
  }

  /** Time passes until something is so, at most a minute. */
  async #until(isSo: () => boolean): Promise<void> {
    await settled()
    for (let step = 0; step < 60 && !isSo(); step++) await this.#world.clock.advance(1_000)
  }

  #hear(slot: Slot, contact: Contact): void {
    this.#texts[slot].push(textsOf(contact))
  }
}

const SAID = { visitor: ['yes', 'no', 'bye'], agent: ['one', 'two', 'three', 'last'] } as const

/** Whether these are some of those, in their order, each once. */
const isPart = (some: readonly string[], all: readonly string[]): boolean =>
  some.join() === all.filter((text) => some.includes(text)).join()

/** What is wrong with what was read; null: nothing. */
function faultOf(change: Change, { isSecured, ...read }: Read): string | null {
  if (!isSecured) return 'no key is agreed on in the end'
  for (const slot of ['visitor', 'agent'] as const) {
    // What an agent has not read before it gives the contact away stays unread, and is neither lost nor told twice.
    const isWhole = change !== 'transfer' && read[slot].length === SAID[slot].length
    if (!isPart(read[slot], SAID[slot]) || (change !== 'transfer' && !isWhole))
      return `the ${slot} has read ${read[slot].join()} of the ${otherSlot(slot)}`
    if (!read[slot].includes(SAID[slot].at(-1) as string)) return `the ${slot} does not read the last text`
  }
  return null
}

const nameOf = (fault: Fault): string => (typeof fault === 'string' ? fault : JSON.stringify(fault))

describe('between two pages and the log while their keys change', () => {
  it.each(CHANGES)(
    'ENC-622 ENC-623 %s: each text is read once, in order, whatever is lost, cut, repeated or swapped',
    { timeout: 120_000 },
    async (change) => {
      const wrong: string[] = []
      let runs = 0
      for (const fault of FAULTS)
        for (const step of STEPS) {
          runs += 1
          const found = await new Play().run(change, step, fault).then(
            (read) => faultOf(change, read),
            (thrown: unknown) => String(thrown),
          )
          if (found) wrong.push(`${change}, step ${step}, ${nameOf(fault)}: ${found}`)
        }
      process.stdout.write(`key changes, ${change}: ${runs} runs\n`)
      expect(wrong).toEqual([])
    },
  )
})
