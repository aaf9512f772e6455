/** Pages in processes of their own. */
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { cpuSeconds } from '../machine.ts'
import { LightPage } from './light-page.ts'

/** The program as one of those that have the pages. */
export const PAGES = 'pages'

const PROCESSES = 4
const AT_ONCE = 10
const LIMIT_MS = 60_000

type Wish = { readonly what: 'open' | 'return' } | { readonly what: 'move'; readonly to: string }

/** What a process says of its pages, each time it has done something. */
interface Told {
  /** When each of those that are online came there, by `Date.now()`. */
  readonly times: readonly number[]
  /** Attempts that came to nothing, by their causes. */
  readonly failed: readonly (readonly [cause: string, times: number])[]
}

/** Pages with a contact each. */
export class PageProcesses {
  readonly #all: readonly ChildProcess[]

  constructor(service: string, count: number) {
    this.#all = Array.from({ length: PROCESSES }, () =>
      fork(process.argv[1] ?? '', [PAGES, service, String(count / PROCESSES)]),
    )
  }

  /** Processor time, in seconds. */
  get used(): number {
    return this.#all.reduce((sum, { pid = 0 }) => sum + cpuSeconds(pid), 0)
  }

  /** Resolves when all pages have done it, or have had a minute for it. */
  async all(wish: Wish): Promise<Told> {
    const told = await Promise.all(this.#all.map((each) => ask(each, wish)))
    return {
      times: told.flatMap(({ times }) => times),
      failed: told.flatMap(({ failed }) => failed),
    }
  }

  kill(): void {
    for (const each of this.#all) each.kill('SIGKILL')
  }
}

function ask(process: ChildProcess, wish: Wish): Promise<Told> {
  return new Promise((settle, fail) => {
    const over = (): void => fail(new Error('a process of pages has ended'))
    process.once('exit', over)
    process.once('message', (told) => {
      process.off('exit', over)
      settle(told as Told)
    })
    process.send(wish)
  })
}

/** The program of such a process. */
export function havePages([service = '', count = '0']: readonly string[]): void {
  const pages: LightPage[] = []
  process.on('disconnect', () => process.exit())
  process.on('message', (wish: Wish) => {
    for (const page of pages) page.failed.clear()
    void Promise.race([carryOut(wish), delay(LIMIT_MS)]).then(() =>
      process.send?.({
        times: pages.flatMap(({ onlineAt }) => onlineAt ?? []),
        failed: pages.flatMap(({ failed }) => [...failed]),
      } satisfies Told),
    )
  })

  function carryOut(wish: Wish): Promise<unknown> {
    if (wish.what === 'open') return Promise.all(Array.from({ length: AT_ONCE }, open))
    return Promise.all(pages.map((page) => (wish.what === 'move' ? page.move(wish.to) : page.back())))
  }

  async function open(): Promise<void> {
    while (pages.length < Number(count)) {
      const page = new LightPage(service)
      pages.push(page)
      await page.enter()
    }
  }
}
