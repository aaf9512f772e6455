/** All nodes of a deployment are started anew, one after the other, while contacts talk and a call goes on. */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createAgent } from '../../sdk/agent/index.ts'
import { createClient } from '../../sdk/index.ts'
import type { Contact } from '../../sdk/index.ts'
import { Deployment } from '../../test/deployment/deployment.ts'
import { bundleForPage, launchChromium, servePage } from '../../test/support/chromium.ts'
import { freePort } from '../../test/support/free-port.ts'
import { serviceProgram } from '../../test/support/service-process.ts'
import { signInAgent } from '../../test/support/service.ts'
import { temporaryData } from '../../test/support/temporary-data.ts'
import { atMost, percentile } from '../figures.ts'
import type { Figure } from '../figures.ts'
import type { Heard } from '../rolling-page.ts'

const NODES = 3
const PAIRS = 20
const EVERY_MS = 500
const BEFORE_MS = 10_000
const AFTER_MS = 5_000
/** On their way at a look: each direction has 50 a second. */
const ON_THE_WAY = 10
const NONE = 0

/** What the calls of all pages came to. */
class Calls {
  readonly tookMs: number[] = []
  readonly failed: string[] = []

  async make(name: string, call: () => Promise<unknown>): Promise<void> {
    const start = performance.now()
    try {
      await call()
      this.tookMs.push(performance.now() - start)
    } catch (thrown) {
      this.failed.push(`${name}: ${String(thrown)}`)
    }
  }
}

export async function rolling(): Promise<readonly Figure[]> {
  const data = temporaryData()
  const all = await Deployment.start({
    folder: data.folder,
    service: await serviceProgram(),
    nodes: NODES,
    port: await freePort(),
  })
  const site = await servePage(
    await bundleForPage(join(process.env['DUOLOG_ROOT'] ?? '.', 'bench', 'rolling-page.ts')),
  )
  const browser = await launchChromium()
  try {
    const { token } = await signInAgent(all.url, 'Caller')
    const tab = await browser.newPage(site.url)
    await tab.evaluate(`startCall('${all.url}', '${token}')`)
    const look = (): Promise<Heard> => tab.evaluate<Heard>('lookAtCall()')
    return await measure(all, look)
  } finally {
    await browser.close()
    await site.close()
    await all.stop()
    data.remove()
  }
}

async function measure(all: Deployment, look: () => Promise<Heard>): Promise<readonly Figure[]> {
  const pairs: Pair[] = []
  while (pairs.length < PAIRS) pairs.push(await pairAt(all.url, pairs.length))
  const [before, during] = [new Calls(), new Calls()]
  const start = await look()
  await talk(pairs, before, () => delay(BEFORE_MS))
  const middle = await look()
  const at = performance.now()
  await talk(pairs, during, async () => {
    for (const node of all.nodes) {
      await node.program.end('SIGTERM')
      await all.startNode(node)
    }
    await delay(AFTER_MS)
  })
  const [end, tookMs] = [await look(), performance.now() - at]
  for (const failure of during.failed) process.stderr.write(`${failure}\n`)
  for (const { close } of pairs) await close()
  return figures({ before, during, start, middle, end, tookMs })
}

interface Measured {
  readonly before: Calls
  readonly during: Calls
  readonly start: Heard
  readonly middle: Heard
  readonly end: Heard
  readonly tookMs: number
}

function figures({ before, during, start, middle, end, tookMs }: Measured): readonly Figure[] {
  const rate = (middle.packets - start.packets) / BEFORE_MS
  const kept = (end.packets - middle.packets) / tookMs / rate
  const missing = end.sent - middle.sent - (end.packets - middle.packets)
  const count = (name: string, value: number) => ({ name, value, unit: '' })
  const ms = (name: string, value: number) => ({ name, value, unit: 'ms' })
  return [
    ms('all nodes started anew in', tookMs),
    count('calls meanwhile', during.tookMs.length + during.failed.length),
    atMost(count('of them failed', during.failed.length), NONE),
    ms('a call before, p95', percentile(before.tookMs, 0.95)),
    ms('a call meanwhile, p95', percentile(during.tookMs, 0.95)),
    ms('a call meanwhile, longest', percentile(during.tookMs, 1)),
    atMost(count('mediachange events meanwhile', end.mediachanges - middle.mediachanges), NONE),
    atMost(count('media connections made anew', end.connections - middle.connections), NONE),
    atMost(count('packets of sound lost', end.lost - middle.lost), NONE),
    atMost(count('packets of sound sent, less those that came', missing), ON_THE_WAY),
    count('packets of sound a second / before (a busy machine makes fewer)', kept),
  ]
}

interface Pair {
  readonly visitor: Contact
  readonly agent: Contact
  readonly close: () => Promise<void>
}

async function pairAt(service: string, number: number): Promise<Pair> {
  const { token } = await signInAgent(service, `Agent ${number}`)
  const desk = createAgent({ service, token })
  const taken = new Promise<Contact>((resolve, reject) =>
    desk.on('distribution', ({ id }) => void desk.accept(id).then(resolve, reject)),
  )
  const client = createClient({ service })
  const visitor = await client.createContact({ nick: `Visitor ${number}` })
  const joined = new Promise((resolve) => visitor.on('joined', resolve))
  await desk.ready({ capacity: 1 })
  const agent = await taken
  await agent.join()
  await joined
  await desk.pause()
  for (const contact of [visitor, agent]) contact.on('Add', (value, callback) => callback(null, value))
  const close = async (): Promise<void> => {
    await Promise.all([client.close(), desk.close()])
  }
  return { visitor, agent, close }
}

/** Texts, requests to the other party and reading of the log, until `work` is done. */
async function talk(pairs: readonly Pair[], calls: Calls, work: () => Promise<unknown>): Promise<void> {
  const over = new AbortController()
  const act = async (contact: Contact): Promise<void> => {
    for (let turn = 0; !over.signal.aborted; turn += 1) {
      await calls.make('sendText', () => contact.sendText(`text ${turn}`))
      await calls.make('request', () => contact.request('Add', turn))
      await calls.make('transcript', () => contact.transcript()[Symbol.asyncIterator]().next())
      await delay(EVERY_MS * (0.5 + Math.random()))
    }
  }
  const acting = pairs.flatMap(({ visitor, agent }) => [act(visitor), act(agent)])
  await work()
  over.abort()
  await Promise.all(acting)
}
