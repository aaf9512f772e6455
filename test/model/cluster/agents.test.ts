/**
 * Offers to an agent, and the matching, at two nodes under faults: with the given ones at any moments no law is
 * broken, and each rule that is taken out breaks one.
 */
import { describe, expect, it } from 'vitest'
import { canBeAsked, offerOutcome } from '../../../service/src/cluster/work-rules.ts'
import { searchAgents } from './agents-search.ts'
import { AGENT_FAULTS, AGENT_RULES } from './agents.ts'
import type { AgentFault, AgentRules } from './agents.ts'

const LIMIT_MS = 120_000

describe('an agent and a contact that waits, at two nodes', () => {
  it.each([
    [2, AGENT_FAULTS],
    [3, ['stop', 'hint']],
  ] as const)(
    'CLU-111 with %i of the faults %s no law is broken, and the agent has the offer in the end',
    (faults, kinds) => {
      expect(searchAgents(faults, kinds, AGENT_RULES)).toMatchObject({ broken: null })
    },
    LIMIT_MS,
  )

  it.each<[string, Partial<AgentRules>, readonly AgentFault[], RegExp]>([
    ['an offer is seen when it is pushed', { seenByEvidence: false }, ['gone'], /^P/],
    [
      'every offer whose time is over pauses',
      { offerOutcome: (offer, now) => (now >= offer.due ? 'pause' : offerOutcome(offer, now)) },
      ['gone'],
      /^P/,
    ],
    [
      'an offer that nobody was told stands',
      { offerOutcome: (offer, now) => offerOutcome({ ...offer, told: true }, now) },
      ['hint'],
      /^E/,
    ],
    [
      'agents are asked wherever they are connected',
      { canBeAsked: (at, nodes) => canBeAsked(at, nodes) || at.length > 0 },
      ['drain', 'kill'],
      /^D/,
    ],
    ['a round writes what it has found, whatever the job is at', { comparesRound: false }, ['stop'], /^O/],
    ['nobody takes the matching over', { mayTakeJob: () => false }, ['kill'], /^not reached/],
  ])(
    'CLU-112 %s: a law breaks',
    (_what, changed, kinds, law) => {
      const { broken, way } = searchAgents(2, kinds, { ...AGENT_RULES, ...changed })
      expect({ broken, way }).toEqual({ broken: expect.stringMatching(law), way })
    },
    LIMIT_MS,
  )
})
