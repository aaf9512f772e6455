import { createTestContact, settled } from 'duolog/testing'
import { WhiteboardEngine } from '../own-engine.ts'
import type { Print } from './print.ts'

/** The agent offers the whiteboard and draws; the visitor accepts and sees it. */
export async function run(print: Print): Promise<void> {
  const { visitor, agent } = await createTestContact()
  const pen = new WhiteboardEngine(() => {})
  await agent.registerMediaEngine(pen)
  await visitor.registerMediaEngine(
    new WhiteboardEngine((stroke) => print('visitor', `sees ${JSON.stringify(stroke)}`)),
  )
  await settled()
  visitor.on('mediaoffer', ({ offer, callback }) => callback(null, visitor.answer(offer)))
  const offer = await agent.getMediaOffer()
  const answer = await agent.offerMedia({ ...offer, Whiteboard: { tx: 'required', rx: 'off' } })
  print('agent', `may draw: ${answer['Whiteboard']?.tx}`)
  pen.draw({ from: [0, 0], to: [10, 10] })
  await settled()
}
