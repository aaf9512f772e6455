import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { listedMachines, loadMachine, problemsOf, renderPage } from '../../scripts/machine-pages.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const machines = listedMachines()
const load = async (file: string): Promise<Record<string, unknown>> =>
  (await import(`${root}/${file}`)) as Record<string, unknown>
const read = (path: string): string => readFileSync(`${root}/${path}`, 'utf8')

describe('docs/machines', () => {
  it('PKG-9 has one page a machine and no other', () => {
    expect(readdirSync(`${root}/docs/machines`).toSorted()).toEqual(
      machines.map(({ id }) => `${id}.md`).toSorted(),
    )
  })

  it.each(machines)('PKG-9 the page of $id is what `npm run machines` would write', async (listed) => {
    const page = read(listed.page)
    expect(page).toBe(renderPage(page, await loadMachine(listed, load)))
  })

  it.each(machines)('PKG-9 the page of $id says what each state and each event means', async (listed) => {
    expect(problemsOf(read(listed.page), await loadMachine(listed, load))).toEqual([])
  })

  it('PKG-9 a state or event without a line, or a line without a state or event, is found', async () => {
    const [listed] = machines
    if (!listed) throw new Error('there is no machine')
    const loaded = await loadMachine(listed, load)
    const page = read(listed.page)
      .replace(/\n\| `offering.sent` .*/, '')
      .replace('| `media.reject` |', '| `media.refuse` |')
      .replace(/\n\| `idle` \|.*/, '\n| `idle` | |')
    expect(problemsOf(page, loaded)).toEqual([
      'state idle has no line',
      'state offering.sent has no line',
      'event media.reject has no line',
      'there is no event media.refuse',
    ])
  })
})
