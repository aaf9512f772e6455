/** Two parties who talk: through the service, or through a relay that does nothing else. */
import { randomUUID } from 'node:crypto'
import { io } from 'socket.io-client'
import type { Socket } from 'socket.io-client'
import type { Pushes, Reply } from '../../protocol/index.ts'
import { joinBoth } from '../../test/support/parties.ts'
import type { Ground } from './ground.ts'
import type { Relay } from './relay.ts'

export interface Pair {
  /** Resolves when the message is confirmed. */
  send(text: string): Promise<void>
  /** Hears every text that reaches the other one. */
  onText: (text: string) => void
  close(): void
}

/** As long as a sentence of a chat, with the time of its sending in front. */
export const sentence = (): string => `${performance.now()} ${'x'.repeat(180)}`

export const sentAt = (text: string): number => Number.parseFloat(text)

export async function servicePair(ground: Pick<Ground, 'visitor' | 'agent'>): Promise<Pair> {
  const { visitor, agent, id } = await joinBoth(ground)
  await agent.client.call('agent.presence', { state: 'paused' })
  const { session } = visitor
  const from = visitor.client.socket.offAny()
  const to = agent.client.socket.offAny()
  const pair: Pair = {
    send: (text) => {
      session.counter += 1
      const draft = {
        id: randomUUID(),
        session: session.id,
        counter: session.counter,
        type: 'text',
        body: { text },
      }
      return confirmed(from, 'log.append', { contact: id, session: session.id, drafts: [draft] })
    },
    onText: () => {},
    close: () => [from, to].map((socket) => socket.close()),
  }
  to.on('log.entries', ({ entries }: Pushes['log.entries']) => {
    for (const entry of entries) if (entry.type === 'text') pair.onText(entry.body.text)
  })
  return pair
}

export async function relayPair(relay: Relay): Promise<Pair> {
  const name = randomUUID()
  const [from, to] = [await join(relay, name), await join(relay, name)]
  const pair: Pair = {
    send: (text) => confirmed(from, 'text', { contact: name, id: randomUUID(), text }),
    onText: () => {},
    close: () => [from, to].map((socket) => socket.close()),
  }
  to.on('text', ({ text }: { text: string }) => pair.onText(text))
  return pair
}

async function join({ url }: Relay, pair: string): Promise<Socket> {
  const socket = io(url, {
    path: '/v1/link',
    auth: { pair },
    transports: ['websocket'],
    reconnection: false,
    forceNew: true,
  })
  await new Promise<void>((settle) => socket.once('connect', settle))
  return socket
}

function confirmed(socket: Socket, name: string, body: unknown): Promise<void> {
  return new Promise((settle, fail) => {
    socket.emit(name, body, (reply: Reply<unknown>) =>
      reply.ok ? settle() : fail(new Error(`${name}: ${reply.error.code}`)),
    )
  })
}

export async function many<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = []
  while (made.length < count) made.push(await make())
  return made
}
