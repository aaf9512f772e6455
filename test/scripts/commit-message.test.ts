import { describe, expect, it } from 'vitest'
import { messageProblem } from '../../scripts/commit-message.mjs'

describe('messageProblem', () => {
  it.each([
    'feat: offer media',
    'fix(engines): restart ICE',
    'refactor(sdk/link)!: drop a call',
    'docs: x\n\nWhy.\n',
    'Merge branch x',
    'feat: x\n# Please enter\n# a message',
  ])('accepts %j', (message) => {
    expect(messageProblem(message)).toBeNull()
  })

  it.each([
    ['offer media', 'the subject must be'],
    ['feature: offer media', 'the subject must be'],
    ['feat:offer media', 'the subject must be'],
    ['feat(SDK): offer media', 'the subject must be'],
    ['', 'the subject must be'],
    ['feat: offer media.', 'full stop'],
    [`feat: ${'x'.repeat(120)}`, '126 characters'],
    ['feat: offer media\nbecause', 'the second line'],
  ])('refuses %j: %s', (message, problem) => {
    expect(messageProblem(message)).toContain(problem)
  })
})
