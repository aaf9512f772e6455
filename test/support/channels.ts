/** What tests of data channels need. */
import { ContactError } from '../../protocol/index.ts'
import type { DataChannel } from '../../protocol/index.ts'
import type { Contact } from '../../sdk/index.ts'
import { settled } from '../../testing/index.ts'
// Loaded beforehand, so that tests need not wait for the chunk.
import '../../sdk/data-channels/channels.ts'
import type { TestContact } from '../../testing/index.ts'

export const KIB = 1_024
export const MIB = 1_048_576

/** Bytes that can be told apart, whatever is left out. */
export const noise = (size: number, seed = 1): Uint8Array => {
  let state = seed
  return Uint8Array.from(
    { length: size },
    () => (state = (state * 1_103_515_245 + 12_345) & 0x7f_ff_ff_ff) >> 16,
  )
}

/** Waits as long as anything moves, time included. */
export async function rest({ clock }: TestContact): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await clock.advance(50)
}

/** Channels that a contact has been told of. */
export function opened(contact: Contact): DataChannel[] {
  const channels: DataChannel[] = []
  contact.on('datachannel', (channel) => void channels.push(channel))
  return channels
}

/** Data that a channel emits under a name. */
export function heard(channel: DataChannel, event = 'data'): unknown[] {
  const all: unknown[] = []
  channel.on(event, ({ data }) => void all.push(data))
  return all
}

/** Both ends of a channel that the visitor opens. */
export async function pairOf(
  test: TestContact,
  type: '' | 'sio' = '',
  id = 'x',
): Promise<{ readonly here: DataChannel; readonly there: DataChannel }> {
  const channels = opened(test.agent)
  const here = await test.visitor.getDataChannel(id, type)
  await settled()
  const there = channels[0]
  if (!there) throw new Error('the agent has no channel')
  test.agent.off('datachannel')
  return { here, there }
}

/** The code that a Promise rejects with, or `done`. */
export const code = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(() => 'done').catch((error: unknown) => (error instanceof ContactError ? error.code : error))
