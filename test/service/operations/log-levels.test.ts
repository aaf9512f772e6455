import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Report, Say } from '../../../service/src/report.ts'
import { startTestService } from '../../support/service.ts'
import type { TestService } from '../../support/service.ts'
import { WireClient } from '../../support/wire-client.ts'

type Line = readonly [level: keyof Report, what: string, facts: unknown]

const lines: Line[] = []
let test: TestService

const at =
  (level: 'warn' | 'info' | 'debug'): Say =>
  (what, facts) =>
    void lines.push([level, what, facts])

beforeAll(async () => {
  test = await startTestService(
    {},
    {
      report: {
        fault: (thrown) => void lines.push(['fault', String(thrown), undefined]),
        ...{ warn: at('warn'), info: at('info'), debug: at('debug') },
      },
    },
  )
})
afterAll(() => test.close())

const ofLevel = (level: keyof Report) => lines.filter(([own]) => own === level).map(([, ...line]) => line)
const said = (what: string) => lines.filter(([, own]) => own === what).map(([, , facts]) => facts)

it('OPS-11 debug says of each connection that it opens, what it is refused, and why it closes', async () => {
  const visitor = await test.visitor()
  const args = { contact: 'c-none', session: 's', cursor: 0 }
  expect(await visitor.ask('contact.open', args)).toMatchObject({ ok: false })
  visitor.socket.emit('no-such-event', 'words')
  visitor.close()
  const connection = expect.stringMatching(/^l-/) as string
  await expect.poll(() => said('a connection has closed')).toHaveLength(1)
  expect(ofLevel('debug').filter(([what]) => /connection|call|event/.test(what))).toEqual([
    ['a connection has opened', { connection, use: 'visitor', transport: 'websocket' }],
    ['a call is refused', { connection, call: 'contact.open', code: 'not_found' }],
    ['an unknown event is ignored', { connection }],
    [
      'a connection has closed',
      { connection, use: 'visitor', reason: expect.any(String), ms: expect.any(Number) },
    ],
  ])
})

it('OPS-11 debug says which connections and requests are refused, by code and route', async () => {
  await expect(WireClient.connect(test.url, 'no.token')).rejects.toMatchObject({ code: 'unauthorized' })
  await fetch(`${test.url}/v1/contacts/c-1?token=secret`)
  await fetch(`${test.url}/nothing/secret`)
  expect(said('a connection is refused')).toEqual([{ code: 'unauthorized' }])
  await expect
    .poll(() => said('a request is refused'))
    .toEqual([
      { method: 'GET', route: '/v1/contacts/:contact', status: 401 },
      { method: 'GET', route: '', status: 404 },
    ])
})

it('OPS-11 debug says which timers are due, and that old data were removed', async () => {
  await expect.poll(() => said('old data are removed')).toEqual([{ ms: expect.any(Number) as number }])
  expect(said('timers are due')).toContainEqual({ retention: 1 })
})

it('OPS-11 info says that the service has started, and that it stops', async () => {
  const node = test.service.node.id
  expect(ofLevel('info')).toEqual([['the service has started', { node, mode: 'local', url: test.url }]])
  await test.service.stop()
  expect(ofLevel('info').slice(1)).toEqual([
    ['the service stops', { node }],
    ['the service has stopped', { node }],
  ])
  expect([ofLevel('warn'), ofLevel('fault')]).toEqual([[], []])
})
