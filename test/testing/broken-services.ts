/* oxlint-disable typescript/no-explicit-any -- a broken service does what no type allows */
/** For each law of the conformance kit for services, a service that breaks it. */
import { ContactError } from '../../protocol/index.ts'
import type { CallName, ConnectedSessions, Entry, Push, Transport } from '../../protocol/index.ts'
import { MemoryService, TestClock } from '../../testing/index.ts'
import type { ServiceUnderTest } from '../../testing/index.ts'

interface Asked {
  readonly name: CallName
  readonly args: any
  readonly slot: 'visitor' | 'agent'
  /** What is remembered of earlier calls. */
  readonly memory: Map<string, unknown>
}

/** What a break does to calls and pushes. */
interface Break {
  /** Carries out a call otherwise; `next` is the sound service. */
  readonly call?: (asked: Asked, next: (args?: unknown) => Promise<any>) => Promise<unknown>
  /** What comes in the place of a push. */
  readonly push?: (push: Push) => readonly Push[]
}

const on = (name: CallName, change: NonNullable<Break['call']>): Break => ({
  call: (asked, next) => (asked.name === name ? change(asked, next) : next()),
})
/** The result of a call is another one. */
const answering = (name: CallName, change: (result: any, asked: Asked) => unknown): Break =>
  on(name, async (asked, next) => change(await next(), asked))
/** A refusal is none. */
const allowing = (name: CallName, code: string, instead: (asked: Asked) => unknown = () => ({})): Break =>
  on(name, (asked, next) =>
    next().catch((thrown: ContactError) => {
      if (thrown.code === code) return instead(asked)
      throw thrown
    }),
  )
const appended = (change: (answer: any, asked: Asked, index: number) => unknown): Break =>
  answering('log.append', (result, asked) => ({
    appended: result.appended.map((answer: unknown, index: number) => change(answer, asked, index)),
  }))
const forgiven = (code: string): Break =>
  appended((answer) => (answer.error?.code === code ? { id: answer.id, seq: 1 } : answer))
/** Entries of a type come otherwise. */
const entries = (type: Entry['type'], change: (entry: any) => readonly unknown[]): Break => ({
  push: (push) => {
    if (push.name !== 'log.entries') return [push]
    const changed = push.body.entries.flatMap((entry) =>
      entry.type === type ? (change(entry) as Entry[]) : [entry],
    )
    return [{ name: 'log.entries', body: { ...push.body, entries: changed } }]
  },
})
const bodies = (type: Entry['type'], more: object): Break =>
  entries(type, (entry) => [{ ...entry, body: { ...entry.body, ...more } }])

/** The second answer about the same thing is another one. */
const second = (key: (asked: Asked) => string, change: (answer: any) => unknown): Break =>
  on('log.append', async (asked, next) => {
    const known = asked.memory.has(key(asked))
    asked.memory.set(key(asked), true)
    const result = await next()
    return known ? { appended: result.appended.map(change) } : result
  })
const later = (answer: any): unknown => ({ id: answer.id, seq: (answer.seq ?? 0) + 100 })

/** Lists of connected sessions that are told otherwise, or not at all. */
const connected = (change: (connected: ConnectedSessions) => ConnectedSessions | null): Break => ({
  push: (push) => {
    if (push.name !== 'contact.connected') return [push]
    const changed = change(push.body.connected)
    return changed ? [{ name: push.name, body: { ...push.body, connected: changed } }] : []
  },
})

/** Whatever is left, everything of the visitor is over. */
const clearedByLeaving: Break = {
  call: async ({ name, memory }, next) => {
    if (name === 'contact.leave') memory.set('left', true)
    const result = await next()
    return name === 'contact.read' && memory.has('left')
      ? { record: { ...result.record, state: 'cleared' } }
      : result
  },
}

/** The given entry, and behind it one that says that its session has left. */
const andLeft = (entry: any): readonly unknown[] => [
  entry,
  {
    ...{ ...entry, type: 'left', slot: 'service', id: `${entry.id}-left` },
    body: { session: entry.session, slot: entry.slot, channels: { total: 1, vvcu: 0, user: 1 } },
  },
]

export const BROKEN_SERVICES: Readonly<Record<string, Break>> = {
  'log-numbers': appended((answer) => later(answer)),
  'log-repeat': second(({ args }) => args.drafts[0].id, later),
  'log-repeat-session': second(({ args }) => args.drafts[0].id, later),
  'log-foreign-id': forgiven('invalid_argument'),
  'log-counter': forgiven('invalid_state'),
  'log-malformed': on('log.append', async (_, next) => {
    const result = await next()
    if (result.appended.some((answer: any) => answer.error))
      throw new ContactError('invalid_argument', 'one bad draft spoils the others')
    return result
  }),
  'log-sender': entries('text', (entry) => [{ ...entry, from: { id: 'boss' } }]),
  'log-service-only': appended((answer, _, index) =>
    'error' in answer ? { id: answer.id, seq: index + 1 } : answer,
  ),
  'log-same-order': entries('text', (entry) => [entry, entry]),
  'log-replay': on('contact.open', ({ args }, next) =>
    next(args.cursor > 0 ? { ...args, cursor: args.cursor + 1 } : args),
  ),
  'log-counter-kept': answering('contact.open', (result) => ({ ...result, counter: 0 })),
  'log-last': answering('contact.open', (result) => ('same' in result ? { ...result, same: true } : result)),
  'log-read': answering('log.read', (result) => ({ ...result, entries: result.entries.slice(1) })),
  'log-ack-once': second(({ args }) => `${args.drafts[0].type} ${args.drafts[0].body?.ref}`, later),
  'repeat-in-one-call': allowing('log.append', 'invalid_argument', ({ args }) => ({
    appended: args.drafts.map(({ id }: { readonly id: string }) => ({ id, seq: 1 })),
  })),
  'repeat-other-words': second(({ args }) => args.drafts[0].id, later),
  'repeat-at-once': second(({ args }) => args.drafts[0].id, later),
  'repeat-after-end': second(({ args }) => args.drafts[0].id, later),
  'create-once-elsewhere': answering('contact.create', () => ({ contact: 'the-only-one' })),
  'session-counters': entries('text', (entry) => [{ ...entry, session: 'whichever' }]),
  'session-takeover': allowing('relay.send', 'peer_left'),
  'access-session': allowing('log.append', 'not_joined', ({ args }) => ({
    appended: args.drafts.map(({ id }: { readonly id: string }) => ({ id, seq: 1 })),
  })),
  'access-visitor': on('contact.read', (_, next) =>
    next().catch(() => Promise.reject(new ContactError('forbidden', 'it is there, and not yours'))),
  ),
  'access-agent': allowing('contact.read', 'not_assigned'),
  'access-roles': allowing('agent.contacts', 'forbidden'),
  'bad-arguments': on('contact.open', (_, next) =>
    next().catch(() => Promise.reject(new ContactError('internal', 'something is wrong'))),
  ),
  'bad-keys': allowing('contact.create', 'invalid_argument'),
  'create-once': on('contact.create', ({ args, memory }, next) => {
    memory.set('created', Number(memory.get('created') ?? 0) + 1)
    return next({ ...args, request: `request-${String(memory.get('created'))}` })
  }),
  record: answering('contact.read', ({ record }) => ({ record: { ...record, tags: [] } })),
  distribution: {
    push: (push) => [
      push.name === 'agent.distribution' ? { ...push, body: { ...push.body, nick: 'Somebody' } } : push,
    ],
  },
  presence: { push: (push) => (push.name === 'agent.presence' ? [] : [push]) },
  taken: { push: (push) => (push.name === 'agent.withdrawn' ? [] : [push]) },
  paused: on('agent.presence', ({ args }, next) => (args.state === 'paused' ? Promise.resolve({}) : next())),
  assigned: bodies('assigned', { nick: 'Somebody' }),
  'assigned-once': allowing('agent.accept', 'not_assigned'),
  'accept-again': on('agent.accept', ({ args, memory }, next) => {
    if (memory.has(args.contact)) return Promise.reject(new ContactError('invalid_state', 'accepted already'))
    memory.set(args.contact, true)
    return next()
  }),
  joined: entries('joined', (entry) => [entry, { ...entry, seq: entry.seq + 1 }]),
  declined: bodies('declined', { nick: 'Somebody' }),
  'declined-silence': on('agent.decline', () => Promise.resolve({})),
  'leave-waiting': bodies('cleared', { reason: 'abandon' }),
  'leave-last-words': on('log.append', async (_, next) => {
    await new Promise((settle) => setImmediate(settle))
    return next()
  }),
  'leave-visitor': bodies('left', { channels: { total: 2, vvcu: 1, user: 1 } }),
  'leave-agent': bodies('left', { reason: 'timeout' }),
  'leave-one-channel': bodies('left', { reason: 'vvcu' }),
  'leave-foreign': allowing('contact.leave', 'not_joined', () => ({ head: 1 })),
  'leave-successor': clearedByLeaving,
  'leave-again': clearedByLeaving,
  'left-told': bodies('left', { session: 'another' }),
  'left-medium': entries('ready', andLeft),
  'left-replaced': bodies('left', { reason: 'timeout' }),
  'left-none-yet': entries('present', andLeft),
  'left-for-good': allowing('contact.open', 'left'),
  transfer: bodies('transferred', { toTags: [] }),
  'transfer-out': allowing('log.read', 'left'),
  'transfer-target': on('agent.transfer', ({ args }, next) => next({ contact: args.contact, toTags: [] })),
  'transfer-waiting': answering('agent.transfer', () => ({ contact: 'another' })),
  'transfer-rights': allowing('agent.transfer', 'not_assigned'),
  relay: { push: (push) => (push.name === 'relay.frame' ? [push, push] : [push]) },
  'relay-holder': allowing('relay.send', 'peer_left'),
  'connected-open': connected(() => null),
  'connected-close': connected((told) => (told.visitor.length > 1 ? told : null)),
  'connected-takeover': answering('contact.open', (result) => ({
    ...result,
    connected: { ...result.connected, visitor: [...result.connected.visitor, 'gone'] },
  })),
  'connected-holder': connected(({ visitor, agent }) => ({ visitor: visitor.slice(1), agent })),
  abandon: bodies('cleared', { reason: 'cancel' }),
  closing: bodies('cleared', { reason: 'timeout' }),
  'join-limit': entries('declined', () => []),
  'secure-record': answering('agent.accept', ({ record }) => ({ record: { ...record, secure: false } })),
  'secure-as-it-came': bodies('text', { newer: undefined }),
  'secure-either-form': entries('text', ({ body: { text }, ...entry }) => [{ ...entry, body: { text } }]),
  'secure-half-sealed': forgiven('invalid_argument'),
  'secure-agreement': bodies('keyReveal', { key: 'another' }),
  'secure-other-key': answering('contact.read', ({ record }, { memory }) => {
    memory.set('read', Number(memory.get('read') ?? 0) + 1)
    return { record: { ...record, mediaState: Number(memory.get('read')) > 2 ? {} : record.mediaState } }
  }),
  'secure-count': answering('contact.read', ({ record }) => ({
    record: { ...record, transcript: { messages: record.transcript.messages + 1 } },
  })),
  'secure-ack-once': second(({ args }) => `${args.drafts[0].type} ${args.drafts[0].body?.ref}`, later),
  'secure-frame': on('relay.send', () => Promise.reject(new ContactError('too_large', 'it is too large'))),
  'secure-batch': on('log.append', ({ args }, next) =>
    args.drafts.length > 4 ? Promise.reject(new ContactError('too_large', 'too much')) : next(),
  ),
  'secure-handed-on': allowing('log.read', 'not_assigned', () => ({ entries: [], head: 0 })),
}

let visitors = 0

/** A service in memory, sound or with a break. */
export function memoryService(broken: Break = {}, patienceMs?: number): ServiceUnderTest {
  const clock = new TestClock()
  const service = new MemoryService(clock)
  const memory = new Map<string, unknown>()
  const wrap = (transport: Transport, slot: 'visitor' | 'agent'): Transport => ({
    connect: (onEvent) => {
      const connection = transport.connect((event) => {
        if (event.type !== 'push') return onEvent(event)
        for (const push of broken.push?.(event.push) ?? [event.push]) onEvent({ type: 'push', push })
      })
      return {
        close: () => connection.close(),
        call: async (name, args) => {
          const next = (other: unknown = args): Promise<any> => connection.call(name, other as never)
          return (await (broken.call?.({ name, args, slot, memory }, next) ?? next())) as never
        },
      }
    },
  })
  return {
    visitor: () => wrap(service.transport({ slot: 'visitor', id: `visitor-${(visitors += 1)}` }), 'visitor'),
    agent: (nick) => wrap(service.transport({ slot: 'agent', id: `agent-${nick}`, nick }), 'agent'),
    advance: (ms) => clock.advance(ms),
    ...(patienceMs !== undefined && { patienceMs }),
  }
}
