import { describe, expect, it, vi } from 'vitest'
import { settled } from '../../../testing/index.ts'
import { joined, record } from '../../support/contacts.ts'

const vera = () => joined({ nick: 'Vera' })

describe('messages', () => {
  it('MSG-11 handlers come and go, also those for one event', async () => {
    const { visitor, agent } = await vera()
    const heard: string[] = []
    const always = ({ text }: { text: string }): void => void heard.push(`always ${text}`)
    const once = ({ text }: { text: string }): void => void heard.push(`once ${text}`)
    const never = (): void => void heard.push('never')
    agent.on('text', always)
    agent.once('text', once)
    agent.once('text', never)
    agent.off('text', never)
    await visitor.sendText('1')
    await visitor.sendText('2')
    await settled()
    agent.off('text', always)
    await visitor.sendText('3')
    agent.on('text', always)
    agent.once('text', once)
    agent.off('text')
    await visitor.sendText('4')
    await settled()
    expect(heard).toEqual(['always 1', 'once 1', 'always 2'])
  })

  it('MSG-11 a handler that throws disturbs neither the others nor what follows', async () => {
    const reported = vi.fn()
    vi.stubGlobal('reportError', reported)
    const { visitor, agent } = await vera()
    const thrown = new Error('in a handler')
    agent.on('text', () => {
      throw thrown
    })
    const there = record(agent, 'text')
    const here = record(visitor, 'ack')
    await visitor.sendText('1')
    await visitor.sendText('2')
    await settled()
    vi.unstubAllGlobals()
    expect(there.length).toBe(2)
    expect(here.length).toBe(2)
    expect(reported.mock.calls).toEqual([[thrown], [thrown]])
  })

  it('MSG-11 a handler that sends in its turn keeps the order of events', async () => {
    const { visitor, agent } = await vera()
    const heard: string[] = []
    agent.on('text', ({ text }) => {
      heard.push(`begin ${text}`)
      visitor.sendIsWriting()
      heard.push(`end ${text}`)
    })
    await Promise.all([visitor.sendText('1'), visitor.sendText('2')])
    await settled()
    expect(heard).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2'])
  })
})
