import { createTestContact, settled } from 'duolog/testing'
import { sendFile, showFiles } from '../files.ts'

/** The visitor sends a file; both parties see it. */
export async function run(print: (who: string, line: string) => void): Promise<void> {
  const { visitor, agent } = await createTestContact()
  await showFiles(visitor, ({ name, isOwn }) => print('visitor', `${name}, own: ${isOwn}`))
  await showFiles(agent, ({ name, isOwn }) => print('agent', `${name}, own: ${isOwn}`))
  const file = new File(['two lamps, oak'], 'order.txt', { type: 'text/plain' })
  print('visitor', await sendFile(visitor, file))
  await settled()
}
