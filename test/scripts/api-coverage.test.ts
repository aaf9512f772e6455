import { describe, expect, it } from 'vitest'
import { coverage, proofsIn } from '../../scripts/api-coverage.mjs'

const SOURCE = `
const helper = async (contact) => contact.sendLink('https://example.org')
it.each(rows)('MSG-1 MSG-7 a text', async () => {
  await visitor.sendText('hello')
  agent.on('text', () => {})
  await expect(helper(agent)).rejects.toMatchObject({ code: 'left' })
})
`

describe('the coverage of the Contact interface', () => {
  it('a test uses what it and its helpers call, and names strings', () => {
    const [proof, ...others] = proofsIn('test/sdk/x.test.ts', SOURCE)
    expect(others).toEqual([])
    expect(proof?.ids).toEqual(['MSG-1', 'MSG-7'])
    expect(['sendText', 'sendLink', 'on'].filter((name) => !proof?.used.has(name))).toEqual([])
    expect(['text', 'left'].filter((name) => !proof?.named.has(name))).toEqual([])
  })

  it('what no test uses is missing', () => {
    const { missing, page } = coverage(proofsIn('test/sdk/x.test.ts', SOURCE))
    expect(page).toContain('| `sendText` | MSG-1 MSG-7 | [sdk/x.test.ts](sdk/x.test.ts) |')
    expect(missing).toContain('Operations offerMedia')
    expect(missing).toContain('Error codes glare')
    expect(missing).not.toContain('Events text')
  })
})
