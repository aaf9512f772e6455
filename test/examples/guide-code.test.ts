/** The code of the guides, run. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { openParties } from '../../docs/.vitepress/theme/parties.ts'
import type { PartyView } from '../../docs/.vitepress/theme/parties.ts'
import { scenarios } from '../../docs/.vitepress/theme/scenarios.ts'
import { createClient } from '../../sdk/index.ts'
import type { ClientOptions } from '../../sdk/index.ts'
import { createAgent } from '../../sdk/agent/index.ts'
import { openDesk } from '../../examples/guides/agent-desk.ts'
import { MemoryService, TestClock } from '../../testing/index.ts'
import { identityCheck } from '../../service/src/auth/identities.ts'
import { defaultSettings, settingProperties } from '../../apps/visitor/src/widget-settings.ts'
import { en } from '../../apps/ui/src/messages/en.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const CUSTOMER = { id: 'c-17', name: 'Mia Rossi' }
/** The code of the SDK is loaded. */
const SOON = { timeout: 8_000, interval: 10 }
const SECRET = 'a secret of the shop and the service'

/** What a scenario says, in its order. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  'answer-a-call': [
    'agent: calls',
    'visitor: it rings',
    'visitor: speaks: true, sends a picture: false',
    'agent: the call was answered: true',
    'visitor: speaks: false, sends a picture: false',
    'agent: has hung up',
  ],
  files: ['visitor: order.txt, own: true', 'agent: order.txt, own: false', 'visitor: sent'],
  forms: [
    'agent: Order number: "A-4711"',
    'agent: Telephone: "+39000"',
    'visitor: phone is now +390000000000',
  ],
  'own-engine': ['agent: may draw: true', 'visitor: sees {"from":[0,0],"to":[10,10]}'],
  'agent-desk': ['agent: Robin asks', 'agent: Good morning', 'visitor: Hello Robin', 'agent: over: user'],
}

afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

describe('the code of the guides', () => {
  it.each(Object.keys(scenarios))('PRD-143 %s runs on two parties in memory', async (name) => {
    const said: string[] = []
    const { run } = (await scenarios[name]?.()) ?? {}
    await run?.((who, line) => said.push(`${who}: ${line}`))
    expect(said).toEqual(EXPECTED[name])
  })

  it('PRD-144 two parties side by side write, lose the network, call and send files', async () => {
    const view = (): PartyView => ({ lines: [], answer: null, isTalking: false, isOnline: true })
    const views = { visitor: view(), agent: view() }
    const parties = await openParties(views)
    const seen = async (slot: 'visitor' | 'agent', line: string): Promise<void> => {
      await expect.poll(() => views[slot].lines, SOON).toContain(line)
    }
    parties.say('visitor', 'Good morning')
    await seen('agent', 'Robin: Good morning')
    parties.setOnline('agent', false)
    await seen('agent', 'connecting')
    parties.say('visitor', 'Are you there?')
    parties.setOnline('agent', true)
    await seen('agent', 'Robin: Are you there?')
    parties.call('agent')
    await expect.poll(() => views.visitor.answer, SOON).not.toBeNull()
    views.visitor.answer?.(true)
    await seen('agent', 'The call is on')
    parties.hangUp('visitor')
    await seen('agent', 'The call is over')
    parties.sendFile('visitor')
    await seen('agent', 'You received order.txt')
    parties.stop()
  })

  it('PRD-145 the chat without a framework writes to an agent and shows what both say', async () => {
    const memory = new MemoryService(new TestClock())
    const page = { service: 'http://localhost', clock: new TestClock() }
    const agent = createAgent({
      ...page,
      token: 'in memory',
      transport: memory.transport({ slot: 'agent', id: 'agent-1', nick: 'Ada' }),
    })
    openDesk(agent, {
      offer: () => Promise.resolve(true),
      open: (contact) => contact.on('text', () => void contact.sendText('Hello Robin')),
      close: () => {},
    })
    await agent.ready({ capacity: 1 })
    const lines: string[] = []
    const form = {
      elements: { text: { value: 'Good morning' } },
      reset: () => {},
      onsubmit: (_event: { preventDefault(): void }): Promise<void> => Promise.reject(new Error('not set')),
    }
    vi.stubGlobal('form', form)
    vi.stubGlobal('log', { append: ({ textContent }: { textContent: string }) => lines.push(textContent) })
    vi.stubGlobal('document', { createElement: () => ({}) })
    vi.stubGlobal('createClient', ({ service }: ClientOptions) =>
      createClient({
        ...page,
        service,
        storage: { getItem: () => null, setItem: () => {}, removeItem: () => {} },
        transport: memory.transport({ slot: 'visitor', id: 'visitor-1' }),
      }),
    )
    const html = readFileSync(`${root}examples/guides/plain-chat.html`, 'utf8')
    const [, code = ''] = /<script type="module">([\s\S]*?)<\/script>/.exec(html) ?? []
    const [, ...rest] = code.trim().split('\n')
    await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(rest.join('\n'))}`)
    await form.onsubmit({ preventDefault: () => {} })
    await expect.poll(() => lines, SOON).toEqual(['You: Good morning', 'Ada: Hello Robin'])
    await agent.close()
  })

  it('PRD-145 the identity that the back end signs is one that the service takes', async () => {
    vi.stubEnv('VISITOR_SECRET', SECRET)
    const { identityOf } = await import('../../examples/guides/identity.mjs')
    const options = { keys: { secret: SECRET }, issuer: 'https://www.example.org', audience: null }
    const check = identityCheck(options, { now: () => Date.now() } as Parameters<typeof identityCheck>[1])
    expect(await check(await identityOf(CUSTOMER))).toMatchObject({ id: 'i-c-17', nick: 'Mia Rossi' })
  })

  it('PRD-145 the health check tells a service that works from one that stops', async () => {
    const { healthOf } = await import('../../examples/guides/health.mjs')
    let isReady = true
    const server = createServer(({ url, headers }, response) => {
      if (url === '/readyz') response.writeHead(isReady ? 200 : 503).end()
      else if (headers.authorization === 'Bearer secret')
        response.end('# HELP\nduolog_queue_length 3\nduolog_timer_lag_seconds 0.25\n')
      else response.writeHead(401).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const service = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    expect(await healthOf(service, 'secret')).toEqual({ isReady: true, queue: 3, timerLagSeconds: 0.25 })
    isReady = false
    expect(await healthOf(service)).toEqual({
      isReady: false,
      queue: Number.NaN,
      timerLagSeconds: Number.NaN,
    })
    await new Promise((resolve) => server.close(resolve))
  })

  it('PRD-145 the themed page sets what the widget has', () => {
    const page = readFileSync(`${root}examples/guides/theming.html`, 'utf8')
    const docs = readFileSync(`${root}docs/widget.md`, 'utf8')
    const properties = [...page.matchAll(/--p-[a-z-]+/g)].map(String)
    expect(properties.filter((property) => !docs.includes(`\`${property}\``))).toEqual([])
    const [, tag = ''] = /<duolog-widget\s([^>]*)>/.exec(page) ?? []
    const known = Object.entries(settingProperties).map(([key, { attribute }]) => attribute ?? key)
    const attributes = [...tag.matchAll(/([a-z-]+)="/g)].map(([, attribute = '']) => attribute)
    expect(attributes.filter((attribute) => !known.includes(attribute))).toEqual([])
    const [, words = ''] = /messages: \{([^}]*)\}/.exec(page) ?? []
    const keys = [...words.matchAll(/(\w+): '/g)].map(([, key = '']) => key)
    expect([keys.length, keys.filter((key) => !(key in en))]).toEqual([2, []])
    expect('ownWords' in defaultSettings).toBe(true)
  })
})
