/** Everything that can happen next in a world. */
import type { Entry, Letter, MediaOffer, MediaState, PartialMediaState } from '../../protocol/index.ts'
import { openPage, ownTransmissions, pageAt, publicState, send, withPage } from './world.ts'
import type { Budget, Page, Production, Step, World } from './world.ts'

const VOICE = { via: 'net', engine: 'WebRTC' } as const
const ON: MediaOffer = { Chat: { tx: 'required', rx: 'required', via: 'net', engine: 'Native' }, Voice: { tx: 'required', rx: 'required', ...VOICE } }

export function stepsOf(production: Production, world: World): Step[] {
  const steps = world.pages.flatMap((page, index) => (page.alive ? livePage(production, world, page, index) : deadPage(production, world, page, index)))
  if (!steps.some(({ progress }) => progress)) steps.push(...timersOf(production, world, true))
  else if (world.budget.hurries > 0) steps.push(...timersOf(production, spend(world, 'hurries'), false))
  if (world.budget.faults > 0) steps.push(...serviceFaults(production, world))
  return steps
}

const spend = (world: World, kind: keyof Budget): World => ({ ...world, budget: { ...world.budget, [kind]: world.budget[kind] - 1 } })

function livePage(production: Production, world: World, page: Page, index: number): Step[] {
  return [...appendNext(production, world, page, index, true), ...readNext(production, world, page, index), ...engine(production, world, page, index), ...application(production, world, page, index), ...faults(production, world, page, index)]
}

/** What a page that is gone had written may still come, from the front, or never. */
function deadPage(production: Production, world: World, page: Page, index: number): Step[] {
  if (page.outbox.length === 0) return []
  return [...appendNext(production, world, page, index, false), { name: `${page.session} what it wrote is lost`, world: withPage(world, index, { outbox: [] }), progress: false }]
}

function appendNext(production: Production, world: World, page: Page, index: number, progress: boolean): Step[] {
  const [letter, ...rest] = page.outbox
  if (!letter) return []
  return [{ name: `${page.session} → log: ${letter.type}`, world: appended(production, withPage(world, index, { outbox: rest }), wire(production, page, letter, world.log.length + 1)), progress }]
}

/** As the outbox sends it: media relative to the other side. */
function wire({ protocol: { algebra } }: Production, page: Page, letter: Letter, seq: number): Entry {
  const entry = { ...letter, seq, time: 0, slot: page.slot, session: page.session, counter: 1, from: { id: page.session } }
  if (entry.type === 'offer') return { ...entry, body: { ...entry.body, offer: algebra.swapOffer(entry.body.offer) } } as Entry
  if (entry.type === 'direct') return { ...entry, body: { ...entry.body, target: algebra.swap(entry.body.target) } } as Entry
  if (entry.type === 'answer') return { ...entry, body: { ...entry.body, answer: algebra.swap(entry.body.answer) } } as Entry
  return entry as Entry
}

export function appended({ protocol }: Production, world: World, entry: Entry): World {
  const head = { visitor: protocol.fold(world.head.visitor, entry).state, agent: protocol.fold(world.head.agent, entry).state }
  return { ...world, log: [...world.log, entry], head }
}

function readNext(production: Production, world: World, page: Page, index: number): Step[] {
  const entry = world.log[page.read]
  if (!entry) return []
  const { state, fact } = production.protocol.fold(page.shared, entry)
  const news = production.machines.mediaFact(page.shared, entry, fact, state, page)
  const cut = news?.type === 'log.partyChanged' ? ownTransmissions(production, page.shared.media).filter((one) => !ownTransmissions(production, state.media).includes(one)) : []
  const reading = withPage(world, index, { read: page.read + 1, shared: state, window: [...new Set([...page.window, ...cut])], asked: state.phase.name === 'offered' ? page.asked : null })
  const next = news ? send(production, reading, index, news) : reading
  return [{ name: `${page.session} reads ${entry.seq} ${entry.type} of ${entry.slot === 'service' ? 'service' : entry.session}${fact.kind === 'void' ? ' (void)' : ''}`, world: forget(production, next, index), progress: true }]
}

/** What is agreed to shrinks when a page is idle: to what runs, and what an absence has cut. */
function forget(production: Production, world: World, index: number): World {
  const page = pageAt(world, index)
  if (publicState(page) !== 'idle') return world
  const running = ownTransmissions(production, page.shared.media)
  return withPage(world, index, { agreed: page.agreed.filter((one) => running.includes(one) || page.window.includes(one)) })
}

function engine(production: Production, world: World, page: Page, index: number): Step[] {
  const { operation } = page
  if (!operation) return []
  const idle = { operation: null }
  const does = (name: string, change: Partial<Page>, event: Parameters<typeof send>[3], progress: boolean, from = world): Step => ({
    name: `${page.session} engine ${name}`,
    world: forget(production, send(production, withPage(from, index, change), index, event), index),
    progress,
  })
  const costly = world.budget.faults > 0 ? spend(world, 'faults') : null
  switch (operation.kind) {
    case 'prepare':
      return [does('prepared', idle, { type: 'engine.prepared' }, true), ...(costly ? [does('denied', idle, { type: 'engine.unprepared', code: 'media_denied', reason: '' } as never, false, costly)] : [])]
    case 'work':
      return [
        does('works', { ...idle, carried: operation.to }, { type: 'engine.worked', ref: operation.ref } as never, true),
        ...(costly ? [does('fails', idle, { type: 'engine.failed', ref: operation.ref, code: 'engine_failed', reason: '' } as never, false, costly), { name: `${page.session} engine hangs`, world: withPage(costly, index, idle), progress: false }] : []),
      ]
    case 'undo':
      return [does('undone', { ...idle, carried: operation.to }, { type: 'engine.undone', media: operation.to } as never, true), ...(costly ? [broken(production, costly, index, 'cannot undo')] : [])]
  }
}

function broken(production: Production, world: World, index: number, name: string): Step {
  const page = pageAt(world, index)
  const media = production.protocol.algebra.nativeOnly(page.carried)
  return { name: `${page.session} engine ${name}`, world: send(production, withPage(world, index, { operation: null, carried: media }), index, { type: 'engine.broke', media, reason: '' } as never), progress: false }
}

function application(production: Production, world: World, page: Page, index: number): Step[] {
  const steps: Step[] = []
  if (page.asked !== null && publicState(page) === 'offered') steps.push(...answers(production, world, page, index))
  if (world.budget.commands === 0) return steps
  const less = spend(world, 'commands')
  const id = `${page.session}#${world.budget.commands}`.replace(/^/, 'app ')
  if (publicState(page) === 'idle') {
    const media = page.snapshot.context.shared.media
    const target = production.protocol.algebra.nativeOnly(media)
    const offering = agree(withPage(less, index, { pending: [...page.pending, id], window: keep(page, ['Voice']) }), index, ['Voice'])
    steps.push({ name: `${page.session} app offers Voice`, world: send(production, offering, index, { type: 'media.offer', id, offer: ON, restore: false }), progress: false })
    if (page.window.length > 0) steps.push({ name: `${page.session} app offers to restore`, world: send(production, agree(withPage(less, index, { pending: [...page.pending, id] }), index, ['Voice']), index, { type: 'media.offer', id, offer: ON, restore: true }), progress: false })
    if (production.protocol.algebra.mediaOn(media).includes('Voice')) {
      const stopping = withPage(less, index, { pending: [...page.pending, id], window: keep(page, []) })
      steps.push({ name: `${page.session} app turns Voice off`, world: send(production, stopping, index, { type: 'media.transit', id, target, restore: false }), progress: false })
      const mute: MediaState = { ...media, Voice: { tx: false, rx: true, ...VOICE } }
      steps.push({ name: `${page.session} app stops sending Voice`, world: send(production, stopping, index, { type: 'media.transit', id, target: mute, restore: false }), progress: false })
    }
  }
  if (publicState(page) === 'offering') steps.push({ name: `${page.session} app withdraws`, world: send(production, less, index, { type: 'media.withdraw' }), progress: false })
  return steps
}

const keep = (page: Page, media: readonly string[]): string[] => page.window.filter((one) => media.includes(one))

const agree = (world: World, index: number, media: readonly string[]): World => withPage(world, index, { agreed: [...new Set([...pageAt(world, index).agreed, ...media])] })

function answers(production: Production, world: World, page: Page, index: number): Step[] {
  const ref = page.asked ?? 0
  const { phase } = page.shared
  const offer = phase.name === 'offered' ? phase.offer : {}
  const most = production.protocol.algebra.mostOf(offer)
  const none: PartialMediaState = {}
  const done = withPage(world, index, { asked: null })
  const answer = (from: World, name: string, given: PartialMediaState): Step => ({ name: `${page.session} app answers ${name}`, world: send(production, from, index, { type: 'media.answer', ref, answer: given }), progress: false })
  return [
    answer(agree(done, index, ownTransmissions(production, most)), 'yes', most),
    answer(done, 'no', none),
    { name: `${page.session} app rejects`, world: send(production, done, index, { type: 'media.reject', ref, reason: 'busy' }), progress: false },
  ]
}

function timersOf(production: Production, world: World, progress: boolean): Step[] {
  return world.pages.flatMap((page, index) =>
    page.alive
      ? page.timers.map((type) => {
          const fired = withPage(world, index, { timers: page.timers.filter((one) => one !== type), ...(type === 'window.closed' && { window: [] }), ...(type.includes('answerLimit') && { asked: null }) })
          return { name: `${page.session} time: ${type.split('.').slice(-3).join('.')}`, world: forget(production, send(production, fired, index, { type }), index), progress }
        })
      : [],
  )
}

function faults(production: Production, world: World, page: Page, index: number): Step[] {
  if (world.budget.faults === 0) return []
  const less = spend(world, 'faults')
  const dead = withPage(less, index, { alive: false, operation: null, timers: [], pending: [] })
  return [
    { name: `${page.session} is reloaded`, world: openPage(production, dead, page.slot), progress: false },
    ...(page.slot === 'visitor' ? [{ name: `a second tab of ${page.session} opens`, world: openPage(production, less, page.slot), progress: false }] : []),
    broken(production, less, index, 'breaks'),
    { name: `${page.session} leaves`, world: ended(production, send(production, less, index, { type: 'contact.leave' }), index), progress: false },
  ]
}

/** The service says that a session is absent, wrongly. */
function serviceFaults(production: Production, world: World): Step[] {
  return world.pages.flatMap((page, index) => (page.alive && world.head[page.slot].session[page.slot] === page.session ? [{ name: `service: ${page.session} is absent (wrongly)`, world: absent(production, spend(world, 'faults'), index), progress: false }] : []))
}

const ended = (production: Production, world: World, index: number): World => absent(production, withPage(world, index, { alive: false, operation: null, timers: [], outbox: [] }), index)

function absent(production: Production, world: World, index: number): World {
  const { slot, session } = pageAt(world, index)
  const seq = world.log.length + 1
  return appended(production, world, { seq, id: `service.${seq}`, time: 0, slot: 'service', type: 'left', body: { session, slot, channels: { total: 0 } } })
}
