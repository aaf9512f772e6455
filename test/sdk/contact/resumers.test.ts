import { describe, expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import type { CallName, Connection, ErrorCode, Transport } from '../../../protocol/index.ts'
import { AgentImpl } from '../../../sdk/agent/create-agent.ts'
import { VisitorClient } from '../../../sdk/client/create-client.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { settled } from '../../../testing/index.ts'
import type { Party } from '../../../testing/index.ts'
import { testEnvironment } from '../../../testing/test-contact.ts'
import { record, watch } from '../../support/contacts.ts'
import { World, fakes } from '../../support/world.ts'

const SERVICE = 'http://localhost'
const AGENT: Party = { slot: 'agent', id: 'agent-1', nick: 'Ada' }
const VISITOR: Party = { slot: 'visitor', id: 'visitor-1' }

/** A service that answers some calls with a code. */
class Refusing {
  readonly world = new World()
  readonly codes = new Map<CallName, ErrorCode>()
  /** The contact whose calls are refused; all without. */
  only: string | undefined
  /** Calls that were refused. */
  readonly refused: CallName[] = []

  transport(party: Party): Transport {
    const inner = this.world.link.transport(party)
    return {
      connect: (onEvent) => {
        const connection = inner.connect(onEvent)
        const call = ((name: CallName, args: never) => {
          const code = this.codes.get(name)
          const isMeant =
            (this.only ?? (args as { contact?: unknown }).contact) === (args as { contact?: unknown }).contact
          if (code === undefined || !isMeant) return connection.call(name, args)
          this.refused.push(name)
          return Promise.reject(new ContactError(code, `unable to carry out ${name}`))
        }) as Connection['call']
        return { call, close: () => connection.close() }
      },
    }
  }

  agent(): AgentImpl {
    const options = { service: SERVICE, token: 'memory', transport: this.transport(AGENT) }
    return new AgentImpl(options, testEnvironment(this.world.clock, fakes))
  }

  visitor(tab = memoryStore()): VisitorClient {
    const environment = { ...testEnvironment(this.world.clock, fakes), store: this.world.store, tab }
    return new VisitorClient({ service: SERVICE, transport: this.transport(VISITOR) }, environment)
  }
}

describe('what the service refuses of one thing when a page is back takes the connection from nothing else', () => {
  it.each(['internal', 'rate_limited', 'invalid_argument', 'forbidden'] as const)(
    'SND-302 SND-25 an agent’s presence: %s is told once, and tried again until it is taken',
    async (code) => {
      const service = new Refusing()
      const { world } = service
      const visitor = await service.visitor().createContact()
      const agent = service.agent()
      await agent.ready({ capacity: 3 })
      const contact = await agent.accept(visitor.id)
      await contact.join()
      await settled()
      const states: string[] = []
      const errors: string[] = []
      agent.on('connection', ({ state }) => void states.push(state))
      agent.on('error', (error) => void errors.push(error.code))
      service.codes.set('agent.presence', code)
      world.link.cut('agent')
      await world.clock.advance(20_000)
      const sending = watch(contact.sendText('are you there?'))
      await settled()
      expect(sending.result).toHaveProperty('value')
      expect([states, errors]).toEqual([['offline', 'connecting', 'online'], [code]])
      const before = service.refused.length
      expect(before).toBeGreaterThan(5)
      service.codes.clear()
      const offered: string[] = []
      agent.on('distribution', ({ id }) => void offered.push(id))
      await world.clock.advance(2_000)
      const other = await service.visitor().createContact()
      await world.clock.advance(10_000)
      expect([offered, service.refused.length]).toEqual([[other.id], before])
    },
  )

  it('SND-302 SND-25 nothing is tried again once the page is closed', async () => {
    const service = new Refusing()
    const agent = service.agent()
    await agent.ready()
    service.codes.set('agent.presence', 'internal')
    service.world.link.cut('agent')
    await service.world.clock.advance(5_000)
    await agent.close()
    expect(service.world.clock.pending).toBe(0)
  })

  it.each([
    ['the leave', 'contact.leave'],
    ['the contact’s record after it', 'contact.read'],
  ] as const)(
    'SND-302 SND-21 a leave that the service has not heard of: %s is refused for a while',
    async (_name, call) => {
      const service = new Refusing()
      const { world } = service
      const tab = memoryStore()
      const first = service.visitor(tab)
      const contact = await first.createContact()
      const agent = await world.agent().client.accept(contact.id)
      await agent.join()
      await settled()
      world.link.faults = { onConnect: ({ slot }) => (slot === 'visitor' ? 'drop' : 'pass') }
      world.link.cut('visitor')
      const leaving = watch(contact.leave())
      await world.clock.advance(16_000)
      expect(leaving.result).toEqual({ value: undefined })
      await first.close()
      world.link.faults = {}
      service.codes.set(call, 'internal')
      service.only = contact.id
      const told = record(agent, 'left')
      const next = service.visitor(tab)
      expect(await next.resumeContact()).toEqual({ contact: null, resumed: false })
      const own = await next.createContact()
      expect(service.refused.length).toBeGreaterThan(1)
      service.codes.clear()
      await world.clock.advance(5_000)
      expect(told).toMatchObject([['left', { vvcu: 'visitor-1' }]])
      expect(own.id).not.toBe(contact.id)
      await own.leave()
      expect(world.store.getItem(`duolog:${SERVICE}:visitor`)).toBe(null)
    },
  )
})
