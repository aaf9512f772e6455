import { expect, it } from 'vitest'
import type { RpcFrame } from '../../../protocol/index.ts'
import { memoryStore } from '../../../sdk/client/page-storage.ts'
import { Procedures } from '../../../sdk/rpc/procedures.ts'
import { SeenIds } from '../../../sdk/rpc/seen-ids.ts'
import { TestClock } from '../../../testing/index.ts'

it('SND-303 procedures that never answer give their places to others, the oldest first, after a minute', async () => {
  const [clock, sent] = [new TestClock(), [] as RpcFrame[]]
  const replies: ((error: unknown, result?: unknown) => void)[] = []
  const procedures = new Procedures(
    {
      clock,
      relay: { trySend: (_kind, body) => void sent.push(body as RpcFrame) },
      delivery: { emitNamed: (_name, _data, { reply }) => void replies.push(reply as never) },
    },
    new SeenIds(memoryStore(), () => 'seen'),
  )
  const ask = (id: string): RpcFrame | undefined => {
    procedures.receive({ type: 'request', id, action: 'a' })
    return sent.at(-1)
  }
  for (let count = 0; count < 256; count++) expect(ask(`r${count}`)?.type).toBe('received')
  expect(ask('early')).toEqual({ type: 'refused', id: 'early', code: 'rate_limited' })
  await clock.advance(60_000)
  sent.length = 0
  expect(ask('late')).toEqual({ type: 'received', id: 'late' })
  expect(sent[0]).toEqual({ type: 'refused', id: 'r0', code: 'rate_limited' })
  replies[0]?.(null, 'too late')
  expect(sent.length).toBe(2)
  replies[1]?.(null, 1)
  expect(sent.at(-1)).toEqual({ type: 'result', id: 'r1', result: 1 })
})
