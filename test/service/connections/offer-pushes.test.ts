import { expect, it } from 'vitest'
import type { Distribution } from '../../../protocol/index.ts'
import { OfferPushes } from '../../../service/src/connections/offer-pushes.ts'

const offer = (id: string, expiresInMs = 30_000): Distribution => ({
  id,
  tags: [],
  secure: false,
  expiresInMs,
})
const turn = () => new Promise((settle) => setImmediate(settle))

/** A connection that is full when the test says so. */
function slowConnection(standing: (contact: string) => Promise<Distribution | null>) {
  const told: string[] = []
  const faults: unknown[] = []
  let [isFull, isOpen] = [true, true]
  let drained = (): void => {}
  const sink = {
    push: (name: string, body: object) => {
      const { id, expiresInMs } = body as Partial<Distribution>
      told.push([name.split('.')[1], id, expiresInMs].filter(Boolean).join(' '))
    },
    pushHeard: () => {},
    isFull: () => isFull,
    isOpen: () => isOpen,
    drained: () => new Promise<void>((settle) => (drained = settle)),
    close: () => (isOpen = false),
  }
  const offers = new OfferPushes({
    sink,
    standing,
    evidence: null,
    onFault: (thrown) => void faults.push(thrown),
  })
  const letGo = async (full = false): Promise<void> => {
    isFull = full
    drained()
    await turn()
  }
  return {
    ...{ offers, told, faults, sink, letGo },
    offered: (id: string) => offers.push({ name: 'agent.distribution', body: offer(id) }),
    withdrawn: (id: string) => offers.push({ name: 'agent.withdrawn', body: { id, reason: 'taken' } }),
  }
}

it('SND-306 while a connection is full offers wait, and are told as they stand when there is room', async () => {
  const { offers, offered, withdrawn, told, letGo } = slowConnection(async (id) =>
    id === 'over' ? null : offer(id, 7),
  )
  for (const id of ['one', 'two', 'taken', 'over']) offered(id)
  withdrawn('taken')
  let isSent = false
  void offers.sent().then(() => (isSent = true))
  await turn()
  expect([told, isSent]).toEqual([['withdrawn taken'], false])
  await letGo()
  expect([told.slice(1), isSent]).toEqual([['distribution one 7', 'distribution two 7'], true])
  offered('three')
  expect(told.at(-1)).toBe('distribution three 30000')
})

it('SND-306 one that is withdrawn while it is read is not told', async () => {
  let read = (_offer: Distribution): void => {}
  const { offered, withdrawn, told, letGo } = slowConnection(() => new Promise((settle) => (read = settle)))
  offered('one')
  await letGo()
  withdrawn('one')
  read(offer('one'))
  await turn()
  expect(told).toEqual(['withdrawn one'])
})

it('SND-306 nothing waits for a connection that is gone, and one whose offers cannot be read ends', async () => {
  const gone = slowConnection(async (id) => offer(id))
  gone.offered('one')
  gone.sink.close()
  await gone.letGo(true)
  await gone.offers.sent()
  const broken = slowConnection(() => Promise.reject(new Error('the store is out')))
  broken.offered('one')
  await broken.letGo()
  await broken.offers.sent()
  expect([gone.told, broken.told, broken.faults.length, broken.sink.isOpen()]).toEqual([[], [], 1, false])
})
