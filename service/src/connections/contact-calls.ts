/**
 * What parties ask of contacts: opening one makes the channel over which they hear of it, leaving it closes
 * that.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { CallName, Calls, ContactData, Slot } from '../../../protocol/index.ts'
import type { Principal } from '../auth/principal.ts'
import { hasLeft } from '../contacts/index.ts'
import type { Opened, SessionRef } from '../contacts/index.ts'
import type { Caller } from './caller.ts'
import { Channel } from './channel.ts'
import type { CallParts, Handlers, Outcome } from './handlers.ts'

const DELIVERY_LIMIT_MS = 5_000
/** Resolves when a party has had its time to receive the end of a contact. */
const deliveryLimit = (): Promise<unknown> => delay(DELIVERY_LIMIT_MS, undefined, { ref: false })

/** A party as its files know it. */
export const readerOf = ({ use, id }: Principal): { readonly slot: Slot; readonly principal: string } => ({
  slot: use,
  principal: id,
})

/** The record with what the service can do. A telephone would carry in clear what a secure contact says. */
export const wholeOf = ({ attachments, telephony }: CallParts, record: ContactData): ContactData => ({
  ...record,
  ...attachments.rules,
  ...(telephony && !record.secure && { telephone: true }),
})

type ContactCall = Extract<CallName, `contact.${string}`>

export function contactHandlers(parts: CallParts): Pick<Handlers, ContactCall> {
  const { contacts } = parts
  return {
    'contact.create': async ({ principal }, args) => ({
      value: { contact: await contacts.create(principal, args) },
    }),
    'contact.list': async ({ principal }, { before }) => ({ value: await contacts.list(principal, before) }),
    'contact.open': (caller, args) => openContact(parts, caller, args),
    'contact.read': ({ principal, largeAnswers }, { contact }) =>
      largeAnswers.run(async () => ({
        value: { record: wholeOf(parts, await contacts.read(principal, contact)) },
      })),
    'contact.leave': (caller, args) => leaveContact(parts, caller, args),
    'contact.rate': async ({ principal }, rating) => {
      await contacts.rate(principal, rating)
      return { value: {} }
    },
  }
}

/** For what needs an open channel. @throws {@link ContactError} `not_joined`, `left` */
export const withChannel =
  ({ contacts }: CallParts, caller: Caller) =>
  <T>(ref: SessionRef, work: (channel: Channel) => Promise<T>): Promise<T> =>
    caller.find(ref.contact, ref.session, async (channel) => {
      if (channel) return work(channel)
      await contacts.formerWriter(caller.principal, ref)
      throw hasLeft()
    })

/** The channel hears what is appended from now on, but speaks only after the reply. */
async function openContact(
  parts: CallParts,
  caller: Caller,
  args: Calls['contact.open']['args'],
): Promise<Outcome<'contact.open'>> {
  let opened: Opened | null = null
  const openIt = async (): Promise<Channel> => {
    const endExpecting = parts.hub.expect(args.contact)
    try {
      opened = await parts.contacts.open(caller.principal, args)
      noteMove(parts, args, opened)
      return attach(parts, channelFor(parts, caller, { ...args, ...opened }), opened)
    } finally {
      endExpecting()
    }
  }
  const channel = await caller.open(args.contact, args.session, () => caller.largeAnswers.run(openIt))
  const { head, counter, record, isSame } = opened as unknown as Opened
  return {
    value: {
      head,
      counter,
      record: wholeOf(parts, record),
      connected: parts.hub.connected(args.contact),
      ...(isSame !== undefined && { same: isSame }),
    },
    afterReply: () => start(parts, channel),
  }
}

function channelFor(
  parts: CallParts,
  { principal, sink }: Caller,
  asked: Calls['contact.open']['args'] & Opened,
): Channel {
  const { contact, session, slot, nick, epoch, head, isOver, cursor } = asked
  return new Channel({
    ...{
      contact,
      session,
      slot,
      nick,
      epoch,
      sink,
      head,
      isOver,
      principal: principal.id,
      cursor: Math.min(cursor, head),
    },
    read: parts.readerOf(contact),
    view: parts.attachments.viewFor(readerOf(principal)),
    onFault: parts.onFault,
  })
}

function noteMove({ onMoved }: CallParts, { contact, session }: SessionRef, { epoch, former }: Opened): void {
  if (epoch !== null && former !== null) onMoved({ contact, session, epoch }, former)
}

function attach(
  { hub, telephony, onLost }: CallParts,
  channel: Channel,
  { state, elsewhere }: Pick<Opened, 'state' | 'elsewhere'>,
): Channel {
  try {
    hub.attach(channel, state, elsewhere)
  } catch (thrown) {
    onLost(channel)
    throw thrown
  }
  telephony?.opened(channel.contact)
  return channel
}

function start({ hub, onStarted }: CallParts, channel: Channel): void {
  hub.start(channel)
  onStarted(channel.contact)
}

/** `left`, and `cleared` where it follows, reach the session's connection before the reply. */
function leaveContact(
  { contacts, hub }: CallParts,
  caller: Caller,
  args: Calls['contact.leave']['args'],
): Promise<Outcome<'contact.leave'>> {
  return caller.find(args.contact, args.session, async () => {
    const head = await contacts.leave(caller.principal, args)
    const channel = hub.channelOf(args.contact, args.session)
    if (!channel) return { value: { head } }
    await Promise.race([channel.delivered(head), deliveryLimit()])
    return { value: { head }, afterReply: () => channel.close() }
  })
}
