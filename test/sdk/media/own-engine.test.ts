import { describe, expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import type { JsonValue } from '../../../protocol/index.ts'
import type { EngineHost, EngineTransition, MediaEngine } from '../../../sdk/index.ts'
import { createTestContact, settled } from '../../../testing/index.ts'
import { mediaOf, offering, on, START } from '../../support/contacts.ts'

/**
 * What somebody else would write: carries Whiteboard and Voice over the local network, as signals, and
 * nothing of ours is in it but the types.
 */
class LanEngine implements MediaEngine {
  readonly id = 'Lan'
  readonly drawn: JsonValue[] = []
  readonly calls: string[] = []
  #host: EngineHost | null = null
  #on: Readonly<Record<string, { readonly tx: boolean; readonly rx: boolean }>> = {}

  async capabilities(): Promise<Readonly<Record<string, { readonly via: string }>>> {
    return { Whiteboard: { via: 'lan' }, Voice: { via: 'lan' } }
  }

  attach(host: EngineHost): void {
    this.#host = host
  }

  async prepare(_media: EngineTransition['to'], agreed?: boolean): Promise<void> {
    this.calls.push(`prepare${agreed ? ' what is agreed' : ''}`)
  }

  async transit({ to, signal }: EngineTransition): Promise<void> {
    if (signal.aborted) throw new ContactError('left', 'no longer wanted')
    this.calls.push(`transit ${Object.keys(to).join()}`)
    this.#on = Object.fromEntries(
      Object.entries(to).map(([medium, details]) => [
        medium,
        { tx: details?.tx === true, rx: details?.rx === true },
      ]),
    )
  }

  async undo(to: EngineTransition['to']): Promise<void> {
    this.calls.push(`undo ${Object.keys(to).join()}`)
    this.#on = Object.fromEntries(
      Object.entries(to).map(([medium, details]) => [
        medium,
        { tx: details?.tx === true, rx: details?.rx === true },
      ]),
    )
  }

  receive(data: JsonValue): void {
    if (this.#on['Whiteboard']?.rx) this.drawn.push(data)
  }

  data(): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
    return Object.fromEntries(
      Object.keys(this.#on).map((medium) => [medium, { cable: `${medium} ${this.#host?.slot}` }]),
    )
  }

  async stop(): Promise<void> {
    this.calls.push('stop')
    this.#on = {}
  }

  draw(line: JsonValue): void {
    if (this.#on['Whiteboard']?.tx) this.#host?.signal(line)
  }
}

const LAN = (tx: boolean, rx: boolean) => on(tx, rx, 'Lan', 'lan')

describe('an engine that somebody else has written', () => {
  it('ENG-1 CAP-3 ENG-2 ENG-26 works from end to end on both sides: capabilities, negotiation, one direction alone, what it carries, and the end', async () => {
    const { visitor, agent } = await createTestContact()
    const engines = { visitor: new LanEngine(), agent: new LanEngine() }
    const capabilities = await visitor.registerMediaEngine(engines.visitor)
    await agent.registerMediaEngine(engines.agent)
    await settled()
    expect([capabilities.Media['Whiteboard'], capabilities.Media.Voice]).toEqual([
      { Engines: { Lan: true } },
      { Engines: { WebRTC: true, Lan: true } },
    ])
    expect((await visitor.getRemoteCapabilities()).Media['Whiteboard']).toEqual({ Engines: { Lan: true } })

    const offers: unknown[] = []
    const changes: unknown[] = []
    visitor.on('mediaoffer', ({ offer, callback }) => {
      offers.push(offer['Whiteboard'], offer.Voice)
      callback(null, {
        Chat: { tx: true, rx: true },
        Whiteboard: { tx: false, rx: true },
        Voice: { tx: true, rx: true },
      })
    })
    visitor.on('mediachange', ({ diff, newMedia }) =>
      changes.push([diff.added.engine, diff.removed.engine, newMedia['Whiteboard']?.data]),
    )
    const voice = { tx: 'required', rx: 'required', via: 'lan', engine: 'Lan' } as const
    const answer = await agent.offerMedia(
      offering({ Whiteboard: { tx: 'required', rx: 'off' }, Voice: voice }),
    )
    await settled()
    expect(offers).toEqual([{ tx: 'off', rx: 'required', via: 'lan', engine: 'Lan' }, voice])
    expect(answer).toEqual({ ...START, Whiteboard: LAN(true, false), Voice: LAN(true, true) })
    expect(mediaOf({ visitor, agent })).toEqual({
      visitor: { ...START, Whiteboard: LAN(false, true), Voice: LAN(true, true) },
      agent: { ...START, Whiteboard: LAN(true, false), Voice: LAN(true, true) },
    })

    for (const { calls } of Object.values(engines)) expect(calls[0]).toBe('prepare what is agreed')

    engines.agent.draw([1, 2])
    engines.visitor.draw('not allowed')
    await settled()
    expect([engines.visitor.drawn, engines.agent.drawn]).toEqual([[[1, 2]], []])

    await visitor.mergeAndTransitMedia({ Whiteboard: { tx: false, rx: false } })
    await settled()
    engines.agent.draw([3, 4])
    await settled()
    expect(engines.visitor.drawn).toEqual([[1, 2]])
    expect(changes).toEqual([
      [{ Lan: ['Whiteboard', 'Voice'] }, {}, { cable: 'Whiteboard visitor' }],
      [{}, { Lan: ['Whiteboard'] }, undefined],
    ])

    await visitor.leave()
    await agent.leave()
    expect([engines.visitor.calls.at(-1), engines.agent.calls.at(-1)]).toEqual(['stop', 'stop'])
  })
})
