import { expect, it } from 'vitest'
import { joinBoth } from '../../support/parties.ts'
import { startTestService } from '../../support/service.ts'
import { WireClient } from '../../support/wire-client.ts'

const CONNECTIONS = 40

it('OPS-4 a stop answers what was asked, takes nobody new, and sends connections away little by little', async () => {
  const test = await startTestService()
  const { visitor, agent, id } = await joinBoth(test)
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => test.visitor()))
  const gone: { readonly reason: string; readonly at: number }[] = []
  const ends = clients.map(
    (client) =>
      new Promise<void>((settle) =>
        client.socket.once('disconnect', (reason) =>
          settle(void gone.push({ reason, at: performance.now() })),
        ),
      ),
  )
  const asked = Promise.allSettled(
    Array.from({ length: 20 }, (_, index) => visitor.session.text(`text ${index}`)),
  )
  await agent.client.entry(id, 'text')
  const stopped = test.service.stop()
  const late = await refusal(test.url, visitor.client)
  const outcomes = await asked
  await Promise.all(ends)
  await stopped
  expect(['offline', 'refused']).toContain(late)
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
  expect(new Set(gone.map(({ reason }) => reason))).toEqual(new Set(['io server disconnect']))
  const times = gone.map(({ at }) => at)
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(50)
  await test.close()
})

const refusal = (url: string, { token }: WireClient): Promise<string> =>
  WireClient.connect(url, token).then(
    () => 'taken',
    (thrown: { code: string }) => thrown.code,
  )
