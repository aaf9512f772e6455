import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createAgent } from '../../../sdk/agent/index.ts'
import { createClient } from '../../../sdk/index.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { next } from '../../support/next-event.ts'
import { ServiceProcess, postmasterOf } from '../../support/service-process.ts'
import { preparedData } from '../../support/prepared-store.ts'
import { signInAgent } from '../../support/service.ts'
import { announceNew, sendFile, tus } from '../../support/tus.ts'
import { WireClient, WireSession } from '../../support/wire-client.ts'

const adminToken = 'canary-administration-token'
const data = preparedData()
let service: ServiceProcess
let url: string

beforeAll(async () => {
  const turn = ['--turn', 'turn:turn.example', '--turn-secret', 'canary-turn-secret']
  ;({ service, url } = await ServiceProcess.startIn(
    data.folder,
    '--log-level',
    'debug',
    '--admin-token',
    adminToken,
    ...turn,
  ))
})
afterAll(() => data.remove())

/** Everything that a console could show of this process. */
function watchConsole(): string[] {
  const lines: string[] = []
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const)
    vi.spyOn(console, method).mockImplementation((...line) => void lines.push(line.map(String).join(' ')))
  return lines
}

/** Sends files, and asks for what is refused, with contents in it. */
async function provoke(token: string, contact: string): Promise<void> {
  const client = await WireClient.connect(url, token)
  const session = new WireSession(client, contact)
  await session.open()
  const file = await sendFile(url, { client, session }, Buffer.from('canary-bytes'), {
    name: 'canary-file.txt',
    desc: 'canary-description',
  })
  await fetch(`${url}/v1/attachments/${file}?until=1&party=canary&mac=canary`)
  const place = await announceNew({ client, session }, { size: 100, name: 'canary-half' })
  await tus(url, place, { body: 'canary', offset: 7 })
  await tus(url, place, { body: 'canary', token: 'canary-upload-token' })
  const wrong: readonly (readonly [string, unknown])[] = [
    [
      'contact.create',
      { request: 'canary request', contact: { nick: 'canary\r\n{"level":50,"msg":"canary-forged"}' } },
    ],
    ['log.append', { contact: 'c-canary', session: 's', drafts: [{ canary: true }] }],
    ['link.renew', { token: 'canary.renewal.token' }],
    ['attachment.url', { contact: 'c-canary', id: 'canary-file' }],
  ]
  for (const [name, args] of wrong) await client.ask(name, args)
  client.socket.emit('canary-event', 'canary')
  client.close()
  await expect(WireClient.connect(url, 'canary.bad.token')).rejects.toMatchObject({ code: 'unauthorized' })
  const headers = { 'content-type': 'application/json' }
  await fetch(`${url}/v1/visitors/refresh`, { method: 'POST', headers, body: '{"refresh":"canary-refresh"}' })
  await fetch(`${url}/v1/visitors/refresh?canary`, { method: 'POST', headers, body: '{canary' })
  await fetch(`${url}/metrics`, { headers: { authorization: 'Bearer canary-wrong' } })
  await fetch(`${url}/canary`)
}

it(
  'SEC-8 neither the logs of the service nor those of the SDK hold what was written, tokens or keys, and a console is left alone',
  { timeout: 60_000 },
  async () => {
    const shown = watchConsole()
    const logged: string[] = []
    const note = (message: string, details?: unknown): void =>
      void logged.push(JSON.stringify([message, details]))
    const common = { service: url, log: { debug: note, warn: note } }
    const [kept, { token }] = [memoryStore(), await signInAgent(url, 'Canary-Agent')]
    const agent = createAgent({ ...common, token })
    const client = createClient({ ...common, storage: kept })
    const offered = new Promise((settle) => agent.once('distribution', settle))
    const field = {
      name: 'canary-field',
      desc: 'canary',
      type: 'email',
      value: 'canary@example.org',
      visible: true,
      editable: true,
    } as const
    const visitor = await client.createContact({
      nick: 'Canary-Nick',
      tags: ['canary-tag'],
      data: [{ name: 'f', desc: 'canary-form', data: [field] }],
    })
    await agent.ready()
    await offered
    const contact = await agent.accept(visitor.id)
    contact.on('CanaryAction', (asked, answer) =>
      answer(new Error(`canary-failure ${JSON.stringify(asked)}`)),
    )
    contact.on('text', () => {
      throw new Error('canary-handler')
    })
    const joined = next(visitor, 'joined')
    await contact.join()
    await joined
    await visitor.sendText('canary-text +49 30 123456')
    await visitor.sendLink('https://canary.example/path', 'canary-desc')
    await visitor.sendAction('canary-action', 'canary-args')
    await contact.editData('f', 'canary-field', 'canary-edited@example.org')
    await expect(visitor.request('CanaryAction', { canary: 1 }, 5_000)).rejects.toBeDefined()
    await expect(visitor.request('CanaryUnknown', { canary: 1 }, 5_000)).rejects.toBeDefined()
    await visitor.sendData('canary-channel', { canary: 'data' }, 'canary-topic', 'sio')
    await expect(
      visitor.offerMedia({ Voice: { tx: 'required', rx: 'required', via: 'net', engine: 'WebRTC' } }),
    ).rejects.toBeDefined()
    await provoke(token, visitor.id)
    const metrics = async (): Promise<string> =>
      (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${adminToken}` } })).text()
    let numbers = ''
    let killed = 0
    while (!service.errors.includes('the service is out of touch with the store')) {
      const postmaster = postmasterOf(data.folder)
      if (postmaster !== killed) process.kill(postmaster, 'SIGKILL')
      killed = postmaster
      await visitor.sendText('canary-while-the-store-is-out')
      numbers = await metrics()
    }
    await visitor.leave('canary-reason')
    const secrets = [
      token,
      ...(kept.getItem(`duolog:${url}:visitor`) ?? '').split('"').filter((part) => part.length > 30),
    ]
    await Promise.all([client.close(), agent.close()])
    const { stdout, stderr } = await service.stop()
    vi.restoreAllMocks()
    expect(logged.length).toBeGreaterThan(0)
    expect(stderr).toContain('"msg":"the service is out of touch with the store"')
    expect(shown).toEqual([])
    for (const text of [stdout, stderr, logged.join('\n'), numbers]) {
      expect(text).not.toMatch(/canary/i)
      for (const secret of secrets) expect(text).not.toContain(secret)
    }
  },
)
