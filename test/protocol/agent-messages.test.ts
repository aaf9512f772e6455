import { describe, expect, it } from 'vitest'
import { ContactError, agentMessages, visitorMessages } from '../../protocol/index.ts'

const PAUSED = ['agent.paused', { reason: 'expired' }] as const
const COLLEAGUES = { ok: true, value: { colleagues: [] } }

describe('what the service sends to one party', () => {
  it('PKG-19 an agent reads what both parties get, and what only agents do', () => {
    expect(agentMessages.parsePush(...PAUSED)).toEqual({ name: PAUSED[0], body: PAUSED[1] })
    expect(agentMessages.parsePush('link.arriving', {})).toEqual({ name: 'link.arriving', body: {} })
    expect(agentMessages.parseReply('agent.colleagues', COLLEAGUES)).toEqual({ colleagues: [] })
    expect(agentMessages.parseReply('contact.leave', { ok: true, value: { head: 1 } })).toEqual({ head: 1 })
  })

  it('PKG-19 a visitor passes over a push for agents, and refuses an answer for them', () => {
    expect(visitorMessages.parsePush(...PAUSED)).toBeNull()
    expect(() => visitorMessages.parseReply('agent.colleagues', COLLEAGUES)).toThrow(
      new ContactError(
        'protocol',
        'unable to read the answer to agent.colleagues; the message must be unknown',
      ),
    )
  })
})
