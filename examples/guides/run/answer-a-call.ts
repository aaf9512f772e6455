import { createTestContact, settled } from 'duolog/testing'
import { call, hangUp, showCalls } from '../answer-a-call.ts'

/** The agent calls, the visitor answers with their voice, and the agent hangs up. */
export async function run(print: (who: string, line: string) => void): Promise<void> {
  const { visitor, agent } = await createTestContact()
  showCalls(visitor, {
    ring: ({ accept }) => {
      print('visitor', 'it rings')
      void accept()
    },
    stopRinging: () => {},
    play: () => {},
  })
  visitor.on('mediachange', ({ newMedia: { Voice, Video } }) =>
    print('visitor', `speaks: ${Voice?.tx ?? false}, sends a picture: ${Video?.tx ?? false}`),
  )
  print('agent', 'calls')
  print('agent', `the call was answered: ${await call(agent)}`)
  await hangUp(agent)
  await settled()
  print('agent', 'has hung up')
}
