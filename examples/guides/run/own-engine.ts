import { createTestContact, settled } from 'duolog/testing'
import { WhiteboardEngine } from '../own-engine.ts'

/** The agent offers the whiteboard and draws; the visitor accepts and sees it. */
export async function run(print: (who: string, line: string) => void): Promise<void> {
  const { visitor, agent } = await createTestContact()
  const pen = new WhiteboardEngine(() => {})
  await agent.registerMediaEngine(pen)
  const seen = new Promise<void>((resolve) => {
    const board = new WhiteboardEngine((stroke) => {
      print('visitor', `sees ${JSON.stringify(stroke)}`)
      resolve()
    })
    void visitor.registerMediaEngine(board)
  })
  await settled()
  visitor.on('mediaoffer', ({ offer, callback }) => callback(null, visitor.answer(offer)))
  const offer = await agent.getMediaOffer()
  const answer = await agent.offerMedia({ ...offer, Whiteboard: { tx: 'required', rx: 'off' } })
  print('agent', `may draw: ${answer['Whiteboard']?.tx}`)
  pen.draw({ from: [0, 0], to: [10, 10] })
  await seen
}
