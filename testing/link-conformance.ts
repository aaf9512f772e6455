import { ContactError } from '../protocol/index.ts'
import { quiet } from './link-bench.ts'
import type { Line, LinkBench, LinkNeed } from './link-bench.ts'
import { check, eventually, outcome, same } from './suite-bench.ts'

/** One law of {@link describeLink}. */
export interface LinkLaw {
  readonly id: string
  /** What holds, as one sentence. */
  readonly claim: string
  readonly needs: readonly LinkNeed[]
  /** Throws where it does not hold. */
  readonly run: (bench: LinkBench) => Promise<void>
}

const law = (
  id: string,
  claim: string,
  needs: readonly LinkNeed[],
  run: (bench: LinkBench) => Promise<void>,
): LinkLaw => ({ id, claim, needs, run })

const MANY = 60
const numbers = Array.from({ length: MANY }, (_, n) => `text ${n}`)

/** What was told of a connection that ended, with the code of its end. */
const story = ({ events }: Line): readonly string[] =>
  events.map((event) =>
    event.type === 'down'
      ? `down ${event.error instanceof ContactError ? event.error.code : 'unknown'}`
      : event.type,
  )

/** The laws of {@link describeLink}. */
export const LINK_LAWS: readonly LinkLaw[] = [
  law('quiet-connect', 'connect tells nothing before it returns', [], async (bench) => {
    let returned = false
    let early = 0
    const connection = bench.under.transport.connect(() => void (early += returned ? 0 : 1))
    returned = true
    await quiet()
    connection.close()
    same(early, 0, 'events before connect returned')
  }),
  law('comes-up', 'a connection is told as up, once, before anything else', [], async (bench) => {
    const line = await bench.line()
    await quiet()
    same(story(line), ['up'], 'events')
  }),
  law('up-means-ready', 'a call can be made as soon as up is told', [], async (bench) => {
    const code = await new Promise<string>((resolve) => {
      const connection = bench.under.transport.connect((event) => {
        if (event.type === 'up')
          queueMicrotask(() =>
            resolve(outcome(connection.call('ice.servers', {})).finally(() => connection.close())),
          )
      })
    })
    same(code, 'done', 'the call')
  }),
  law('too-early', 'a call before up rejects with offline', [], async (bench) => {
    const line = bench.connect()
    same(await outcome(line.connection.call('ice.servers', {})), 'offline', 'the call')
  }),
  law(
    'unreachable',
    'a service that is not there is told as down with offline, and nothing else',
    ['unreachable'],
    async (bench) => {
      const line = bench.connect(bench.under.unreachable)
      await line.down()
      await quiet()
      same(story(line), ['down offline'], 'events')
    },
  ),
  law(
    'refused',
    'a token that is not accepted is told as down with unauthorized, and nothing else',
    ['refused'],
    async (bench) => {
      const line = bench.connect(bench.under.refused)
      await line.down()
      await quiet()
      same(story(line), ['down unauthorized'], 'events')
    },
  ),
  law('answers', 'a call resolves with the result of the service', [], async (bench) => {
    const line = await bench.line()
    const result = await line.connection.call('contact.create', {
      request: `answers-${Date.now()}`,
      contact: { nick: 'Robin' },
    })
    check(typeof result.contact === 'string', 'the result has no contact')
  }),
  law(
    'coded-errors',
    'what the service refuses rejects with a ContactError of its code',
    [],
    async (bench) => {
      const line = await bench.line()
      same(
        await outcome(line.connection.call('contact.read', { contact: 'nobody' })),
        'not_found',
        'the call',
      )
      same(await outcome(line.connection.call('agent.contacts', {})), 'forbidden', 'a call of the other role')
    },
  ),
  law('errors-end-nothing', 'a refused call does not end the connection', [], async (bench) => {
    const line = await bench.line()
    await outcome(line.connection.call('contact.read', { contact: 'nobody' }))
    same(await outcome(line.connection.call('ice.servers', {})), 'done', 'the next call')
    same(story(line), ['up'], 'events')
  }),
  law('each-its-answer', 'many calls at once each get their own answer', [], async (bench) => {
    const contacts = [await bench.contact(), await bench.contact()]
    const [line] = contacts.map((contact) => contact.line)
    if (!line) throw new Error('there is no line')
    const asked = Array.from({ length: MANY }, (_, n) => contacts[n % 2]?.id ?? '')
    const records = await Promise.all(
      asked.map((contact) => line.connection.call('contact.read', { contact })),
    )
    same(
      records.map(({ record }) => record.id),
      asked,
      'contacts that were read',
    )
  }),
  law(
    'calls-in-order',
    'calls of one contact are carried out in the order in which they were made',
    [],
    async (bench) => {
      const contact = await bench.contact()
      await Promise.all(numbers.map((text) => contact.text(text)))
      const { entries } = await contact.line.connection.call('log.read', {
        contact: contact.id,
        after: 0,
        limit: 1_000,
      })
      same(
        entries.flatMap((entry) => (entry.type === 'text' ? [entry.body.text] : [])),
        numbers,
        'texts in the log',
      )
    },
  ),
  law('pushes', 'pushes arrive in order, each once', [], async (bench) => {
    const contact = await bench.contact()
    for (const text of numbers) await contact.text(text)
    await eventually('not everything was pushed', () => contact.line.texts.length >= MANY)
    await quiet()
    same(contact.line.texts, numbers, 'texts that were pushed')
  }),
  law('push-first', 'what a call pushes here comes before its answer', [], async (bench) => {
    const contact = await bench.contact()
    const { head } = await contact.line.connection.call('contact.leave', {
      contact: contact.id,
      session: contact.session,
    })
    const seen = contact.line.entries.map(({ seq }) => seq)
    check(seen.includes(head), `entry ${head} was not pushed before the answer, only ${seen.join()}`)
  }),
  law('values', 'values arrive as they were given', [], async (bench) => {
    const contact = await bench.contact()
    const text = 'é 😀 \u2028 "quoted" \\ <b> \u202Eright to left\n'
    await contact.text(text)
    await eventually('it was not pushed', () => contact.line.texts.length === 1)
    same(contact.line.texts, [text], 'the text')
  }),
  law(
    'arguments-stay',
    'arguments are not changed, and what the caller changes later is not sent',
    [],
    async (bench) => {
      const contact = await bench.contact()
      const body = { text: 'as it was' }
      const draft = contact.draft({ type: 'text', body })
      const before = JSON.stringify(draft)
      const sent = contact.append(draft)
      same(JSON.stringify(draft), before, 'the argument')
      body.text = 'changed later'
      await sent
      await eventually('it was not pushed', () => contact.line.texts.length === 1)
      same(contact.line.texts, ['as it was'], 'the text')
    },
  ),
  law('close-is-silent', 'after close nothing is told', [], async (bench) => {
    const contact = await bench.contact()
    await quiet()
    const before = contact.line.events.length
    void outcome(contact.text('x'))
    contact.line.connection.close()
    await quiet()
    same(contact.line.told.slice(before), [], 'events after close')
  }),
  law('close-at-once', 'close right after connect keeps it from coming up', [], async (bench) => {
    const line = bench.connect()
    line.connection.close()
    await quiet()
    same(line.told, [], 'events')
  }),
  law('close-again', 'closing again does nothing', [], async (bench) => {
    const line = await bench.line()
    line.connection.close()
    line.connection.close()
    await quiet()
    same(line.told, ['up'], 'events')
  }),
  law('close-settles', 'calls that wait when it is closed reject with offline', [], async (bench) => {
    const line = await bench.line()
    const waiting = outcome(
      line.connection.call('contact.create', { request: `close-${Date.now()}`, contact: {} }),
    )
    line.connection.close()
    same(await waiting, 'offline', 'the call')
  }),
  law('closed-refuses', 'a call after close rejects with offline', [], async (bench) => {
    const line = await bench.line()
    line.connection.close()
    same(await outcome(line.connection.call('ice.servers', {})), 'offline', 'the call')
  }),
  law(
    'cut-is-told',
    'a broken connection is told as down with offline, once, and nothing follows',
    ['cut'],
    async (bench) => {
      const line = await bench.line()
      bench.under.cut?.()
      await line.down()
      await quiet()
      same(story(line), ['up', 'down offline'], 'events')
    },
  ),
  law('cut-settles', 'calls that wait when it breaks reject with offline', ['cut'], async (bench) => {
    const line = await bench.line()
    const waiting = outcome(
      line.connection.call('contact.create', { request: `cut-${Date.now()}`, contact: {} }),
    )
    bench.under.cut?.()
    await line.down()
    same(await waiting, 'offline', 'the call')
  }),
  law('cut-refuses', 'a call after the break rejects with offline', ['cut'], async (bench) => {
    const line = await bench.line()
    bench.under.cut?.()
    await line.down()
    same(await outcome(line.connection.call('ice.servers', {})), 'offline', 'the call')
  }),
  law('down-then-close', 'closing what is down does nothing', ['cut'], async (bench) => {
    const line = await bench.line()
    bench.under.cut?.()
    await line.down()
    line.connection.close()
    await quiet()
    same(story(line), ['up', 'down offline'], 'events')
  }),
  law(
    'connects-again',
    'after a break a new connection can be made, and it has what was missed',
    ['cut'],
    async (bench) => {
      const contact = await bench.contact()
      await contact.text('before')
      bench.under.cut?.()
      await contact.line.down()
      const line = await bench.line()
      await line.connection.call('contact.open', { contact: contact.id, session: contact.session, cursor: 0 })
      await eventually('it was not pushed', () => line.texts.length > 0)
      same(line.texts, ['before'], 'texts that were missed')
    },
  ),
  law('side-by-side', 'two connections of one transport do not touch each other', [], async (bench) => {
    const [first, second] = [await bench.contact(), await bench.line()]
    await second.connection.call('contact.read', { contact: first.id })
    second.connection.close()
    await first.text('still here')
    await eventually('it was not pushed', () => first.line.texts.length === 1)
    same([story(first.line).filter((told) => told !== 'push'), story(second)], [['up'], ['up']], 'events')
  }),
]
