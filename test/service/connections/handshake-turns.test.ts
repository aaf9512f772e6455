import { expect, it } from 'vitest'
import { HandshakeTurns } from '../../../service/src/connections/handshake-turns.ts'

it('CLU-153 many handshakes take a few milliseconds of each turn, in their order, and the first comes in the next', () => {
  const [turns, done]: [(() => void)[], number[]] = [[], []]
  let now = 0
  const handshakes = new HandshakeTurns({ now: () => now, later: (run) => turns.push(run) })
  const add = (number: number): void =>
    handshakes.add(() => {
      now += 2
      done.push(number)
    })
  for (let number = 1; number <= 7; number += 1) add(number)
  const seen: number[] = []
  for (let turn = turns.shift(); turn; turn = turns.shift()) {
    turn()
    seen.push(done.length)
    if (seen.length === 1) add(8)
  }
  expect(seen).toEqual([3, 6, 8])
  expect(done).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  add(9)
  expect([turns.length, done.length]).toEqual([1, 8])
})

it('CLU-153 one that takes longer than a turn is carried out all the same', () => {
  const turns: (() => void)[] = []
  let now = 0
  const handshakes = new HandshakeTurns({ now: () => (now += 100), later: (run) => turns.push(run) })
  let done = 0
  for (let count = 0; count < 2; count += 1) handshakes.add(() => (done += 1))
  turns.shift()?.()
  expect(done).toBe(1)
  turns.shift()?.()
  expect([done, turns.length]).toEqual([2, 0])
})
