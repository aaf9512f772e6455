import { createTestContact, settled } from 'duolog/testing'
import { sendFile, showFiles } from '../files.ts'
import type { Print } from './print.ts'

/** The visitor sends a file; both parties see it. */
export async function run(print: Print): Promise<void> {
  const { visitor, agent } = await createTestContact()
  showFiles(visitor, ({ name, isOwn }) => print('visitor', `${name}, own: ${isOwn}`))
  showFiles(agent, ({ name, isOwn }) => print('agent', `${name}, own: ${isOwn}`))
  const file = new File(['two lamps, oak'], 'order.txt', { type: 'text/plain' })
  print('visitor', await sendFile(visitor, file))
  await settled()
}
