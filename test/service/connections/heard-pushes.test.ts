import { describe, expect, it } from 'vitest'
import { compareOffers } from '../../../service/src/connections/offer-comparison.ts'
import { OfferPushes } from '../../../service/src/connections/offer-pushes.ts'
import type { Distribution } from '../../../protocol/index.ts'
import { fakeConnection } from '../../support/fake-connection.ts'

const turn = () => new Promise((settle) => setImmediate(settle))
const offer = (id: string): Distribution => ({ id, tags: [], secure: false, expiresInMs: 1 })

describe('a push of which the service wants to know that it was read', () => {
  const heardOf = () => {
    const connection = fakeConnection()
    const heard: string[] = []
    const push = (id: string): void =>
      connection.sink.pushHeard('agent.distribution', offer(id), () => void heard.push(id))
    return { ...connection, heard, push }
  }

  it('CLU-89 the acknowledgement says so, once', () => {
    const { push, heard, acknowledge, ping, pong } = heardOf()
    push('one')
    push('two')
    acknowledge[1]?.()
    expect(heard).toEqual(['two'])
    acknowledge[0]?.()
    acknowledge[0]?.()
    ping()
    pong()
    expect(heard).toEqual(['two', 'one'])
  })

  it('CLU-89 so does the answer to a ping that was sent after it, and not that to one before', () => {
    const { push, heard, ping, pong } = heardOf()
    ping()
    push('one')
    ping()
    push('two')
    pong()
    expect(heard).toEqual([])
    pong()
    expect(heard).toEqual(['one'])
    ping()
    pong()
    expect(heard).toEqual(['one', 'two'])
  })
})

describe('what an agent was told, compared with the store', () => {
  /** Connections of one agent, and what each was told. */
  function agentWith(count: number, standing: readonly string[]) {
    const told: string[][] = []
    const connections = Array.from({ length: count }, (_, index) => {
      const own: string[] = []
      told[index] = own
      return new OfferPushes({
        sink: {
          push: (name: string, body: object) =>
            void own.push(`${name.split('.')[1]} ${(body as { id: string }).id}`),
          pushHeard: () => {},
          isFull: () => false,
          isOpen: () => true,
          drained: () => Promise.resolve(),
          close: () => {},
        },
        standing: async (id) => (standing.includes(id) ? offer(id) : null),
        evidence: null,
        onFault: () => {},
      })
    })
    const compare = (meanwhile = (): void => {}) =>
      compareOffers(new Map([['ada', connections]]), async () => {
        meanwhile()
        return standing.map((contact) => ({ contact, agent: 'ada' }))
      })
    return { connections, told, compare }
  }
  const push = (offers: OfferPushes | undefined, id: string): void =>
    offers?.push({ name: 'agent.distribution', body: offer(id) })

  it('CLU-89 each connection is told the offers that it was not told, and that others are over', async () => {
    const { connections, told, compare } = agentWith(2, ['here', 'lost'])
    push(connections[0], 'here')
    push(connections[0], 'over')
    push(connections[1], 'lost')
    await compare()
    await turn()
    expect(told).toEqual([
      ['distribution here', 'distribution over', 'withdrawn over', 'distribution lost'],
      ['distribution lost', 'distribution here'],
    ])
    await compare()
    await turn()
    expect(told.flat()).toHaveLength(6)
  })

  it('CLU-89 what is told while the store answers stands, also where it was told before', async () => {
    const { connections, told, compare } = agentWith(1, [])
    push(connections[0], 'again')
    await compare(() => {
      connections[0]?.push({ name: 'agent.withdrawn', body: { id: 'again', reason: 'taken' } })
      push(connections[0], 'again')
      push(connections[0], 'new')
    })
    expect(told[0]?.slice(1)).toEqual(['withdrawn again', 'distribution again', 'distribution new'])
  })

  it('CLU-89 who has answered an offer is not told that it is over', async () => {
    const { connections, told, compare } = agentWith(2, [])
    for (const each of connections) push(each, 'taken')
    connections[0]?.settled('taken')
    await compare()
    expect(told).toEqual([['distribution taken'], ['distribution taken', 'withdrawn taken']])
  })
})
