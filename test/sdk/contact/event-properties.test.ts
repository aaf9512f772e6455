import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { ContactEventName } from '../../../protocol/index.ts'
import { wholeLife } from '../../support/whole-life.ts'

interface Shape {
  readonly always: readonly string[]
  readonly sometimes?: readonly string[]
}

const SENDER = { always: ['from_id', 'agent'], sometimes: ['from_nick'] } as const
const STAMP = ['id', 'ts'] as const
const from = (always: readonly string[], sometimes: readonly string[] = []): Shape => ({
  always: [...always, ...SENDER.always],
  sometimes: [...sometimes, ...SENDER.sometimes],
})

/** Properties that each event has, as the contract and `docs/events.md` list them. */
const DOCUMENTED: Readonly<Record<ContactEventName, Shape>> = {
  text: from(['text', ...STAMP]),
  localtext: { always: ['text', ...STAMP] },
  link: from(['url', ...STAMP], ['desc']),
  locallink: { always: ['url', ...STAMP], sometimes: ['desc'] },
  attachment: from(['url', 'meta', ...STAMP]),
  iswriting: SENDER,
  localiswriting: { always: [] },
  ack: from(['ref']),
  read: from(['ref']),
  action: from(['action_code', 'args', ...STAMP]),
  left: { always: ['id', 'channels'], sometimes: ['vvcu', 'user', 'reason'] },
  peeraway: { always: ['away'] },
  localleft: { always: [], sometimes: ['reason'] },
  cleared: { always: ['id'], sometimes: ['reason'] },
  joined: { always: ['id', 'user', 'nick'], sometimes: ['avatar'] },
  data: { always: ['channel', 'data'], sometimes: ['topic'] },
  transferred: { always: ['id', 'to'] },
  declined: { always: ['id', 'user', 'nick'] },
  localcapabilities: {
    always: ['Media', 'Mobile'],
    sometimes: ['CoBrowsing', 'WebRTC', 'MediaAvailability'],
  },
  capabilities: { always: ['Media', 'Mobile'], sometimes: ['CoBrowsing', 'WebRTC', 'MediaAvailability'] },
  datachannel: { always: ['id', 'type', 'send', 'close', 'on', 'off', 'once'] },
  mediaoffer: { always: ['offer', 'callback'] },
  mediachange: { always: ['newMedia', 'diff'], sometimes: ['interrupted'] },
  telephone: { always: ['state'], sometimes: ['reason'] },
  notice: { always: ['text', ...STAMP], sometimes: ['lang', 'from_nick'] },
  datachange: { always: ['form', 'field', 'value', 'original', 'user'] },
  assigned: { always: ['id', 'user', 'nick'] },
  queue: { always: ['position'], sometimes: ['expectedWaitMs'] },
  mediastate: { always: ['state'] },
  connection: { always: ['state'] },
  statistics: { always: ['engine', 'media', 'score'], sometimes: ['roundTripMs'] },
  liveness: { always: ['engine', 'silent', 'step'] },
  remotehold: { always: ['engine', 'on'] },
  remotemute: { always: ['engine', 'muted'] },
  interruption: { always: ['engine', 'medium', 'on'] },
  restored: { always: ['media', 'missing', 'muted', 'held'], sometimes: ['code'] },
  callsummary: { always: ['engine', 'durationMs', 'score', 'media', 'healing'], sometimes: ['roundTripMs'] },
  verification: { always: ['state', 'code', 'by'] },
  insecure: { always: ['type', 'reason'] },
  error: { always: ['code', 'message', 'retryable'], sometimes: ['cause', 'retryAfterMs', 'name', 'stack'] },
}
/** Arguments that are objects with a behaviour: their members are looked for, and may be more. */
const OBJECTS: ReadonlySet<string> = new Set(['datachannel', 'error'])

/** What is wrong with an argument. */
function faultOf(name: ContactEventName, args: readonly unknown[]): string | null {
  const { always, sometimes = [] } = DOCUMENTED[name]
  const [event, ...more] = args
  if (more.length > 0 || typeof event !== 'object' || event === null)
    return `${name} has ${args.length} arguments`
  const lacking = always.filter((key) => !(key in event))
  const extra = OBJECTS.has(name)
    ? []
    : Object.keys(event).filter((key) => !always.includes(key) && !sometimes.includes(key))
  const empty = Object.entries(event).flatMap(([key, value]) => (value === undefined ? [key] : []))
  return lacking.length + extra.length + empty.length === 0
    ? null
    : `${name} lacks ${lacking.join()}, has ${extra.join()}, undefined ${empty.join()}`
}

describe('the argument of each event', () => {
  it('MSG-10 is one object with exactly the documented properties, on both sides, all through a contact', async () => {
    const seen = new Set<string>()
    const faults = new Set<string>()
    await wholeLife((contact) => {
      for (const name of Object.keys(DOCUMENTED) as ContactEventName[]) {
        contact.on(name, (...args: readonly unknown[]) => {
          seen.add(name)
          const fault = faultOf(name, args)
          if (fault !== null) faults.add(fault)
        })
      }
    })
    expect([...faults]).toEqual([])
    // They need a telephone, test/service/telephony/telephony.test.ts, or encryption, test/sdk/crypto/.
    const apart = ['telephone', 'verification', 'insecure']
    expect(Object.keys(DOCUMENTED).filter((name) => !seen.has(name))).toEqual(apart)
  })

  it('MSG-10 an event that is not as documented is found', () => {
    expect(faultOf('localtext', [{ text: 'x', id: '1', ts: 1 }])).toBe(null)
    for (const args of [
      [{}],
      [{ text: 'x' }],
      [{ text: 'x', id: '1', ts: 1, of: 'y' }],
      [{ text: 'x', id: '1', ts: 1 }, 1],
      [],
      ['x'],
      [{ text: undefined, id: '1', ts: 1 }],
    ])
      expect(faultOf('localtext', args)).not.toBe(null)
  })

  it('MSG-10 NS-1 the page lists each event with each of its properties, and no other event', () => {
    const page = readFileSync(fileURLToPath(new URL('../../../docs/events.md', import.meta.url)), 'utf8')
    const shared = { stamp: '`id`, `ts`', sender: '`from_id`, `from_nick`, `agent`' }
    const rows = new Map(
      [...page.matchAll(/^\| ((?:`\w+`(?:, )?)+) \| (.*?) \| /gm)].flatMap(
        ([, names = '', properties = '']) =>
          names
            .split(', ')
            .map((name): [string, string] => [
              name.replaceAll('`', ''),
              properties.replaceAll(/\b(stamp|sender)\b/g, (word) => shared[word as keyof typeof shared]),
            ]),
      ),
    )
    for (const [name, properties] of rows) {
      const { always, sometimes = [] } = DOCUMENTED[name as ContactEventName]
      if (!properties.startsWith('the ') && name !== 'error')
        for (const key of [...always, ...sometimes])
          expect([name, key, properties.includes(`\`${key}\``)]).toEqual([name, key, true])
    }
    expect([...rows.keys()].toSorted()).toEqual(Object.keys(DOCUMENTED).toSorted())
  })
})
