/** For each law of `describeLink`, a transport that breaks it. */
import { ContactError } from '../../protocol/index.ts'
import type { Connection, Transport, TransportEvent } from '../../protocol/index.ts'
import { MemoryService, TestClock } from '../../testing/index.ts'
import type { LinkUnderTest } from '../../testing/index.ts'

type Tell = (event: TransportEvent) => void
type Call = (name: string, args: unknown) => Promise<unknown>

/** What has happened on one connection. */
interface Past {
  readonly names: string[]
  readonly told: string[]
  /** Calls that were answered. */
  answered: number
  closes: number
  isClosed: boolean
}

/** What a broken transport does in place of the sound one; each part gets the sound one. */
interface Break {
  readonly connect?: (tell: Tell) => void
  readonly tell?: (event: TransportEvent, tell: Tell, past: Past) => void
  readonly call?: (call: Call, name: string, args: unknown, past: Past) => Promise<unknown>
  readonly close?: (close: () => void, tell: Tell, past: Past) => void
}

const offline = (): ContactError => new ContactError('offline', 'broken on purpose')
const later = (run: () => void): void => void setImmediate(run)
const up: TransportEvent = { type: 'up' }

function broken(sound: Transport, { connect, tell, call, close }: Break): Transport {
  return {
    connect(onEvent) {
      const past: Past = { names: [], told: [], answered: 0, closes: 0, isClosed: false }
      const note: Tell = (event) => {
        past.told.push(event.type)
        onEvent(event)
      }
      connect?.(note)
      const connection = sound.connect((event) => (tell ? tell(event, note, past) : note(event)))
      const soundCall: Call = (calledName, calledArgs) => {
        const answer = connection.call(calledName as never, calledArgs as never)
        answer.then(
          () => past.answered++,
          () => past.answered++,
        )
        return answer
      }
      return {
        call: ((name: string, args: unknown) => {
          past.names.push(name)
          return call ? call(soundCall, name, args, past) : soundCall(name, args)
        }) as Connection['call'],
        close() {
          past.isClosed = true
          past.closes++
          if (close) close(() => connection.close(), note, past)
          else connection.close()
        },
      }
    },
  }
}

const has = (value: unknown, text: string): boolean => JSON.stringify(value).includes(text)
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Breaks of the transport, by law. */
export const BREAKS: Readonly<Record<string, Break>> = {
  'quiet-connect': {
    connect: (tell) => tell({ type: 'push', push: { name: 'agent.paused', body: { reason: 'expired' } } }),
  },
  'comes-up': {
    tell: (event, tell) => {
      tell(event)
      if (event.type === 'up') tell(event)
    },
  },
  'up-means-ready': {
    call: (call, name, args, past) =>
      past.names.join() === 'ice.servers' && past.told.join() === 'up' && !past.isClosed
        ? Promise.reject(offline())
        : call(name, args),
  },
  'too-early': {
    call: (call, name, args, past) => (past.told.length === 0 ? Promise.resolve({}) : call(name, args)),
  },
  unreachable: {
    tell: (event, tell) => {
      if (event.type === 'down' && event.error.message.includes('nobody')) tell(up)
      tell(event)
    },
  },
  refused: {
    tell: (event, tell) =>
      tell(
        event.type === 'down' && event.error.code === 'unauthorized'
          ? { type: 'down', error: offline() }
          : event,
      ),
  },
  answers: {
    call: (call, name, args) =>
      has(args, 'answers-') ? call(name, args).then(() => ({})) : call(name, args),
  },
  'coded-errors': {
    call: (call, name, args) =>
      name === 'agent.contacts'
        ? call(name, args).catch(() => Promise.reject(new Error('no')))
        : call(name, args),
  },
  'errors-end-nothing': {
    call: (call, name, args, past) =>
      past.names.join() === 'contact.read,ice.servers' ? Promise.reject(offline()) : call(name, args),
  },
  'each-its-answer': {
    call: (call, name, args, past) =>
      call(name, name === 'contact.read' && past.names.length > 10 ? { contact: 'contact-1' } : args),
  },
  'calls-in-order': {
    call: (call, name, args, past) => {
      const isAtOnce = has(args, '"text 7"') && past.answered < past.names.length - 1
      return isAtOnce ? wait(10).then(() => ({ appended: [] })) : call(name, args)
    },
  },
  pushes: {
    tell: (event, tell) => {
      tell(event)
      if (has(event, '"text 33"')) tell(event)
    },
  },
  'push-first': {
    tell: (event, tell) =>
      has(event, '"type":"left"') || has(event, '"type":"cleared"') ? later(() => tell(event)) : tell(event),
  },
  values: { call: (call, name, args) => call(name, JSON.parse(JSON.stringify(args).replaceAll('😀', '?'))) },
  'arguments-stay': {
    call: (call, name, args) =>
      has(args, 'as it was') ? wait(0).then(() => call(name, args)) : call(name, args),
  },
  'close-is-silent': {
    close: (close, tell, past) => {
      close()
      if (past.names.at(-1) === 'log.append' && past.answered < past.names.length)
        later(() => tell({ type: 'down', error: offline() }))
    },
  },
  'close-at-once': {
    close: (close, tell, past) => {
      const isEarly = past.told.length === 0 && past.names.length === 0
      close()
      if (isEarly) later(() => tell(up))
    },
  },
  'close-again': {
    close: (close, tell, past) => {
      close()
      if (past.closes === 2 && past.told.join() === 'up') tell({ type: 'down', error: offline() })
    },
  },
  'close-settles': {
    call: (call, name, args) =>
      has(args, '"close-') ? call(name, args).catch(() => ({})) : call(name, args),
  },
  'closed-refuses': {
    call: (call, name, args, past) => (past.isClosed ? Promise.resolve({}) : call(name, args)),
  },
  'cut-is-told': {
    tell: (event, tell, past) => {
      tell(event)
      if (event.type === 'down' && past.names.length === 0 && past.told[0] === 'up')
        later(() => past.isClosed || tell(event))
    },
  },
  'cut-settles': {
    call: (call, name, args) => (has(args, '"cut-') ? call(name, args).catch(() => ({})) : call(name, args)),
  },
  'cut-refuses': {
    call: (call, name, args, past) => (past.told.includes('down') ? Promise.resolve({}) : call(name, args)),
  },
  'down-then-close': {
    close: (close, tell, past) => {
      close()
      if (past.told.join() === 'up,down') tell({ type: 'down', error: offline() })
    },
  },
  'connects-again': {
    call: (call, name, args, past) =>
      past.names.join() === 'contact.open' && !has(args, '-again')
        ? Promise.reject(offline())
        : call(name, args),
  },
  'side-by-side': {},
}

const refusing = (error: ContactError): Transport => ({
  connect(onEvent) {
    let isClosed = false
    setTimeout(() => isClosed || onEvent({ type: 'down', error }))
    return { call: () => Promise.reject(offline()), close: () => void (isClosed = true) }
  },
})

/** The link in memory, sound or with one break. */
export function memoryLink(id?: string): LinkUnderTest {
  const service = new MemoryService(new TestClock())
  const party = { slot: 'visitor', id: 'visitor-1' } as const
  const sound = service.transport(party)
  const faults = id === undefined ? {} : (BREAKS[id] ?? {})
  const make = (transport: Transport): Transport => (id === undefined ? transport : broken(transport, faults))
  const transport = make(id === 'side-by-side' ? closingTogether(sound) : sound)
  return {
    transport,
    refused: make(refusing(new ContactError('unauthorized', 'the token is not accepted'))),
    unreachable: make(refusing(new ContactError('offline', 'there is nobody'))),
    cut: () => service.cut('visitor'),
  }
}

/** Closing one connection closes the others. */
function closingTogether(sound: Transport): Transport {
  const all: (() => void)[] = []
  return {
    connect(onEvent) {
      const connection = sound.connect(onEvent)
      all.push(() => connection.close())
      return {
        call: (name, args) => connection.call(name, args),
        close: () => all.forEach((close) => close()),
      }
    },
  }
}
