/** Two parties of one contact in the reader's page: the SDK, with a service in memory. */
import type { Slot } from 'duolog'
import { createTestContact } from 'duolog/testing'
import { call, hangUp, showCalls } from '../../../examples/guides/answer-a-call.ts'
import { sendFile, showFiles } from '../../../examples/guides/files.ts'
import type { ShownFile } from '../../../examples/guides/files.ts'

/** What the page shows of a party. */
export interface PartyView {
  readonly lines: string[]
  /** Answers the call that rings; null where none does. */
  answer: ((isAccepted: boolean) => unknown) | null
  isTalking: boolean
  isOnline: boolean
}

/** What a reader may do as a party. */
export interface Parties {
  say(slot: Slot, text: string): void
  call(slot: Slot): void
  hangUp(slot: Slot): void
  sendFile(slot: Slot): void
  setOnline(slot: Slot, isOnline: boolean): void
  stop(): void
}

const TICK_MS = 50

export async function openParties(views: Readonly<Record<Slot, PartyView>>): Promise<Parties> {
  const { visitor, agent, clock, faults } = await createTestContact({ contact: { nick: 'Robin' } })
  const contacts = { visitor, agent }
  for (const slot of ['visitor', 'agent'] as const) watch(contacts[slot], views[slot])
  let isOver = false
  // The clock of the kit stands still until somebody moves it.
  const tick = async (): Promise<void> => {
    await clock.advance(TICK_MS)
    if (!isOver) setTimeout(() => void tick(), TICK_MS)
  }
  void tick()
  const told = (slot: Slot, work: Promise<unknown>): void =>
    void work.catch((error: Error) => views[slot].lines.push(`⚠ ${error.message}`))
  return {
    say: (slot, text) => told(slot, contacts[slot].sendText(text)),
    call: (slot) => told(slot, call(contacts[slot])),
    hangUp: (slot) => told(slot, hangUp(contacts[slot])),
    sendFile: (slot) =>
      told(slot, sendFile(contacts[slot], new File(['two lamps, oak'], 'order.txt', { type: 'text/plain' }))),
    setOnline(slot, isOnline) {
      if (isOnline) faults.reconnect(slot)
      else faults.disconnect(slot)
    },
    stop() {
      isOver = true
      void visitor.leave()
    },
  }
}

type OfSlot = Awaited<ReturnType<typeof createTestContact>>[Slot]

function watch(contact: OfSlot, view: PartyView): void {
  const tell = (line: string): unknown => view.lines.push(line)
  contact.on('localtext', ({ text }) => tell(`You: ${text}`))
  contact.on('text', ({ text, from_nick }) => tell(`${from_nick ?? 'Visitor'}: ${text}`))
  contact.on('connection', ({ state }) => {
    view.isOnline = state === 'online'
    tell(state)
  })
  const showFile = ({ name, isOwn }: ShownFile): void => {
    tell(isOwn ? `You sent ${name}` : `You received ${name}`)
  }
  // A reader may leave while the earlier files are read.
  showFiles(contact, showFile).catch(() => {})
  showCalls(contact, {
    ring: ({ accept, reject }) => (view.answer = (isAccepted) => (isAccepted ? accept() : reject())),
    stopRinging: () => (view.answer = null),
    play: () => {},
  })
  contact.on('mediachange', ({ newMedia: { Voice } }) => {
    view.isTalking = Voice?.tx === true || Voice?.rx === true
    tell(view.isTalking ? 'The call is on' : 'The call is over')
  })
}
