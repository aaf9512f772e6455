/**
 * A hostile service as pages see it: a proxy of HTTP and Socket.IO before the real one, which reads and changes
 * the packets of a WebSocket. It knows the wire from docs/protocol.md, section 2.
 */
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocket, WebSocketServer } from 'ws'
import type { CallName, Push, Slot } from '../../protocol/index.ts'
import type { Attack, Raw } from './hostile-service.ts'

/** What a page was told, and when. */
export interface Shown {
  readonly at: number
  /** Type of an entry, or name of an answered call. */
  readonly what: string
}

export interface HostileProxy {
  readonly url: string
  /** Entries and answers that the page was told, in order. */
  readonly shown: readonly Shown[]
  /** Breaks every connection. */
  cut(): void
  close(): Promise<void>
}

type Members = Readonly<Record<string, unknown>>

/** The packets of one connection, as they are passed on. */
class Packets {
  /** Names of calls, by their number. */
  readonly #calls = new Map<string, CallName>()
  readonly #slot: Slot
  readonly #attack: Attack
  readonly #shown: Shown[]

  constructor(slot: Slot, attack: Attack, shown: Shown[]) {
    this.#slot = slot
    this.#attack = attack
    this.#shown = shown
  }

  asked(packet: string): string {
    const [, id = '', text] = /^42(\d+)(\[.*\])$/s.exec(packet) ?? []
    if (text === undefined) return packet
    const [name, args] = JSON.parse(text) as [CallName, Members]
    this.#calls.set(id, name)
    return `42${id}${JSON.stringify([name, this.#attack.ask?.(name, args as never, this.#slot) ?? args])}`
  }

  told(packet: string): string {
    const [, kind, id = '', text] = /^4([23])(\d*)(\[.*\])$/s.exec(packet) ?? []
    if (text === undefined) return packet
    if (kind === '2')
      return `42${id}${JSON.stringify(this.#pushed(...(JSON.parse(text) as [string, Members])))}`
    const [reply] = JSON.parse(text) as [{ readonly ok: boolean; readonly value: Members }]
    const name = this.#calls.get(id)
    if (!name || !reply.ok) return packet
    const { value } = reply
    const entries = name === 'log.read' && { entries: this.#entries(value['entries'] as readonly Raw[]) }
    const result = { ...value, ...entries }
    const answer = this.#attack.answer?.(name, result as never, this.#slot) ?? result
    this.#shown.push({ at: Date.now(), what: name })
    return `43${id}${JSON.stringify([{ ok: true, value: answer }])}`
  }

  /** Nobody knows a push of the name `nothing`, so it says nothing. */
  #pushed(name: string, body: Members): readonly unknown[] {
    if (name === 'log.entries') {
      const entries = this.#entries(body['entries'] as readonly Raw[])
      return entries.length > 0 ? [name, { ...body, entries }] : ['nothing', {}]
    }
    const push = { name, body } as unknown as Push
    const changed = this.#attack.push ? this.#attack.push(push, this.#slot) : push
    return changed ? [changed.name, changed.body] : ['nothing', {}]
  }

  #entries(entries: readonly Raw[]): readonly Raw[] {
    const told = this.#attack.entries?.(entries, this.#slot) ?? entries
    this.#shown.push(...told.map(({ type: what }) => ({ at: Date.now(), what })))
    return told
  }
}

/** The way of one party's pages to a service, with `attack` in between. */
export async function hostileProxy(target: string, slot: Slot, attack: Attack): Promise<HostileProxy> {
  const shown: Shown[] = []
  const server = createServer((asked, answer) => {
    const { method, url = '/', headers } = asked
    const onward = request(new URL(url, target), { method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    asked.pipe(onward)
  })
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (asked, socket, head) =>
    sockets.handleUpgrade(asked, socket, head, (near) => {
      const { origin = '' } = asked.headers
      const far = new WebSocket(new URL(asked.url ?? '/', target.replace('http', 'ws')), {
        headers: { origin },
      })
      const packets = new Packets(slot, attack, shown)
      const early: string[] = []
      near.on('message', (data) => {
        const packet = packets.asked((data as Buffer).toString())
        if (far.readyState === WebSocket.OPEN) far.send(packet)
        else early.push(packet)
      })
      far.on('open', () => early.splice(0).forEach((packet) => far.send(packet)))
      far.on('message', (data) => near.send(packets.told((data as Buffer).toString())))
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const)
        one.on('error', () => {}).on('close', () => other.close())
    }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = (): void => {
    for (const near of sockets.clients) near.terminate()
  }
  const close = async (): Promise<void> => {
    cut()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, shown, cut, close }
}
