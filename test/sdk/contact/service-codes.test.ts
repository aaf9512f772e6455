import { describe, expect, it } from 'vitest'
import { ContactError } from '../../../protocol/index.ts'
import type { CallName, ErrorCode } from '../../../protocol/index.ts'
import type { Contact, DataCollection } from '../../../sdk/index.ts'
import { createTestContact } from '../../../testing/index.ts'
import { joined, leaveBoth, record, watch } from '../../support/contacts.ts'
import { World } from '../../support/world.ts'
import type { Pair } from '../../support/contacts.ts'
import { codeOf } from './code-of.ts'

const DATA: DataCollection = [
  {
    name: 'order',
    desc: 'Order',
    data: [{ name: 'note', desc: 'Note', type: 'text', value: 'x', editable: true }],
  },
]
const FILE = new File(['hi'], 'note.txt', { type: 'text/plain' })

/** From now on the service answers each call of this name with the code. */
function refusing(
  { link }: Pick<Pair, 'link'>,
  name: CallName,
  code: ErrorCode,
  retryAfterMs?: number,
): void {
  link.faults = {
    onMessage: (_party, called) => {
      if (called === name)
        throw new ContactError(code, 'unable to do it; the service says so', { retryAfterMs })
      return 'pass'
    },
  }
}

/** An operation, the call in which the service may refuse it, and the codes that it then gives. */
const REFUSED: readonly (readonly [
  operation: string,
  call: CallName,
  codes: readonly ErrorCode[],
  run: (pair: Pair) => Promise<unknown>,
])[] = [
  [
    'attach',
    'attachment.open',
    ['too_large', 'rate_limited', 'forbidden', 'not_joined', 'not_supported'],
    ({ visitor }) => visitor.attach(FILE),
  ],
  [
    'attachmentUrl',
    'attachment.url',
    ['not_found', 'not_assigned', 'offline', 'rate_limited', 'timeout'],
    ({ agent }) => agent.attachmentUrl('file-1'),
  ],
  [
    'openAttachment',
    'attachment.url',
    ['not_found', 'not_assigned', 'offline', 'rate_limited', 'timeout'],
    ({ agent }) => agent.openAttachment('file-1'),
  ],
  [
    'editData',
    'agent.edit',
    ['not_assigned', 'not_joined', 'rate_limited', 'timeout', 'offline'],
    ({ agent }) => agent.editData('order', 'note', 'y'),
  ],
  [
    'readTranscript',
    'log.read',
    ['offline', 'not_found', 'not_assigned', 'rate_limited', 'timeout', 'left'],
    ({ agent }) => agent.readTranscript(),
  ],
]
const cases = REFUSED.flatMap(([operation, call, codes, run]) =>
  codes.map((code) => ({ operation, call, code, run })),
)

describe('what the service refuses', () => {
  it.each(cases)(
    'ERR-1 ERR-2 $operation gives $code, with the time to wait where the service has said one',
    async ({ call, code, run }) => {
      const pair = await joined({ data: DATA })
      refusing(pair, call, code, code === 'rate_limited' ? 4_000 : undefined)
      const error: unknown = await run(pair).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(ContactError)
      expect(error).toMatchObject({
        code,
        message: 'unable to do it; the service says so',
        ...(code === 'rate_limited' && { retryable: true, retryAfterMs: 4_000 }),
      })
      pair.link.faults = {}
      await leaveBoth(pair)
    },
  )

  it.each(['timeout', 'internal'] as const)(
    'ERR-6 attach tries again after %s, and gives it at last',
    async (code) => {
      const { visitor, link, clock } = await joined()
      refusing({ link }, 'attachment.open', code)
      const attached = watch(visitor.attach(FILE))
      await clock.advance(1_000)
      expect(attached.result).toBe('pending')
      await clock.advance(300_000)
      expect(attached.result).toEqual({ code })
    },
  )

  it.each(['sendText', 'sendLink', 'sendAction', 'updateRemoteCapabilities'] as const)(
    'LOG-9 SRV-8 %s is not refused for coming too fast: it waits, and arrives once',
    async (operation) => {
      const pair = await joined()
      const run: Readonly<Record<typeof operation, (contact: Contact) => Promise<unknown>>> = {
        sendText: (contact) => contact.sendText('x'),
        sendLink: (contact) => contact.sendLink('https://example.org'),
        sendAction: (contact) => contact.sendAction('Blink'),
        updateRemoteCapabilities: async (contact) => {
          await contact.setLocalCapability('CoBrowsing', true)
          return contact.updateRemoteCapabilities()
        },
      }
      const heard = record(pair.agent, 'text', 'link', 'action', 'capabilities')
      refusing(pair, 'log.append', 'rate_limited', 2_000)
      const sent = watch(run[operation](pair.visitor))
      await pair.clock.advance(10_000)
      expect([sent.result, heard]).toEqual(['pending', []])
      pair.link.faults = {}
      await pair.clock.advance(30_000)
      expect([sent.result, heard.length]).toEqual([{ value: expect.anything() }, 1])
    },
  )

  it.each(
    (['sendText', 'sendLink', 'sendAction', 'sendRead'] as const).flatMap((operation) =>
      (['forbidden', 'protocol', 'internal'] as const).map((code) => ({ operation, code })),
    ),
  )(
    'SND-25 ERR-1 $operation gives $code where the service goes on refusing it, and what follows is sent',
    async ({ operation, code }) => {
      const pair = await joined()
      const run = {
        sendText: () => pair.visitor.sendText('x'),
        sendLink: () => pair.visitor.sendLink('https://example.org'),
        sendAction: () => pair.visitor.sendAction('Blink'),
        sendRead: () => pair.visitor.sendRead('m1'),
      }
      refusing(pair, 'log.append', code)
      const refused = watch<unknown>(run[operation]())
      await pair.clock.advance(120_000)
      expect(refused.result).toEqual({ code })
      pair.link.faults = {}
      const next = watch(pair.visitor.sendText('y'))
      await pair.clock.advance(30_000)
      expect(next.result).toEqual({ value: expect.any(String) })
    },
  )
})

const WITHOUT_PART: Readonly<Record<string, (contact: Contact) => Promise<unknown>>> = {
  sendText: (contact) => contact.sendText('x'),
  sendLink: (contact) => contact.sendLink('https://example.org'),
  sendAction: (contact) => contact.sendAction('Blink'),
  sendRead: (contact) => contact.sendRead('m1'),
  attach: (contact) => contact.attach(FILE),
  sendData: (contact) => contact.sendData('pointer', 1),
  getDataChannel: (contact) => contact.getDataChannel('pointer'),
  updateRemoteCapabilities: (contact) => contact.updateRemoteCapabilities(),
  takeOver: (contact) => contact.takeOver(),
}

describe('whoever is not there', () => {
  it.each(Object.keys(WITHOUT_PART))(
    'LIFE-22 %s gives not_joined before this page has entered, and left after it has left',
    async (operation) => {
      const world = new World()
      const visitor = await world.visitor().client.createContact()
      const agent = await world.agent().client.accept(visitor.id)
      const codes = [await codeOf(WITHOUT_PART[operation]?.(agent))]
      await agent.join()
      await agent.leave()
      expect([...codes, await codeOf(WITHOUT_PART[operation]?.(agent))]).toEqual(['not_joined', 'left'])
    },
  )

  it('LIFE-19 attachmentUrl and readTranscript give left after this page has left', async () => {
    const pair = await joined()
    await pair.visitor.leave()
    expect([
      await codeOf(pair.visitor.attachmentUrl('file-1')),
      await codeOf(pair.visitor.readTranscript()),
    ]).toEqual(['left', 'left'])
  })

  it('LIFE-22 CAP-4 getRemoteCapabilities gives not_joined before this page has entered', async () => {
    const world = new World()
    const visitor = await world.visitor().client.createContact()
    const agent = await world.agent().client.accept(visitor.id)
    await expect(agent.getRemoteCapabilities()).rejects.toMatchObject({ code: 'not_joined' })
  })

  it('CAP-4 getRemoteCapabilities and updateRemoteCapabilities give peer_left where nobody comes within 10 s', async () => {
    const world = new World()
    const visitor = await world.visitor().client.createContact()
    const asked = [watch(visitor.getRemoteCapabilities()), watch(visitor.updateRemoteCapabilities())]
    await world.clock.advance(9_999)
    expect(asked.map(({ result }) => result)).toEqual(['pending', 'pending'])
    await world.clock.advance(1)
    expect(asked.map(({ result }) => result)).toEqual([{ code: 'peer_left' }, { code: 'peer_left' }])
  })
})

describe('limits of data', () => {
  it('CHAN-11 getDataChannel and sendData give too_large for the 129th channel', async () => {
    const { visitor } = await createTestContact()
    for (let n = 0; n < 128; n++) await visitor.getDataChannel(`c${n}`, 'sio')
    expect([
      await codeOf(visitor.getDataChannel('one more')),
      await codeOf(visitor.getDataChannel('more')),
      await codeOf(visitor.sendData('more', 1)),
    ]).toEqual(['invalid_argument', 'too_large', 'too_large'])
    await visitor.sendData('c0', 1)
  })

  it('CHAN-10 getDataChannel and sendData give channel_closed where the other side closes the channel meanwhile', async () => {
    const { visitor, agent } = await createTestContact()
    const codes: unknown[] = []
    agent.on('datachannel', (channel) => channel.close())
    for (let n = 0; n < 20 && codes.length === 0; n++) {
      const [got, sent] = await Promise.all([
        codeOf(visitor.getDataChannel(`c${n}`)),
        codeOf(visitor.sendData(`c${n}`, 'x'.repeat(500_000))),
      ])
      codes.push(...[got, sent].filter((code) => code !== null))
    }
    expect(new Set(codes)).toEqual(new Set(['channel_closed']))
  })

  it('CAP-2 setLocalCapabilities gives too_large over 16 KiB', async () => {
    const { visitor } = await createTestContact()
    expect(
      await codeOf(
        visitor.setLocalCapabilities({ Media: {}, Mobile: false, Own: 'x'.repeat(16_384) } as never),
      ),
    ).toBe('too_large')
  })

  it('LIFE-21 leave gives invalid_argument and too_large for a reason that is none, and the contact goes on', async () => {
    const { visitor } = await createTestContact()
    expect([await codeOf(visitor.leave(5 as never)), await codeOf(visitor.leave('x'.repeat(513)))]).toEqual([
      'invalid_argument',
      'too_large',
    ])
    await visitor.sendText('still here')
    await visitor.leave('x'.repeat(512))
  })

  it('FORM-7 dataCollectionDefaultConstantToObject gives invalid_argument for what is no definition', async () => {
    const { visitor } = await createTestContact()
    for (const bad of [undefined, null, 'x', { id: 1 }]) {
      expect(() => visitor.dataCollectionDefaultConstantToObject(bad as never)).toThrow(
        expect.objectContaining({ name: 'ContactError', code: 'invalid_argument' }),
      )
    }
  })
})
