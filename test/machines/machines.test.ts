import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import { mediaMachine } from '../../machines/index.ts'
import { listedMachines } from '../../scripts/machine-pages.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Those of stately.config.json, the service's among them. */
const all = await Promise.all(
  listedMachines().map(async ({ file, id, export: name }) => {
    const module = (await import(`${root}/${file}`)) as Readonly<Record<string, AnyStateMachine>>
    return [id, module[name] as AnyStateMachine, file] as const
  }),
)

const nodesOf = (node: AnyStateNode): AnyStateNode[] => [node, ...Object.values(node.states).flatMap(nodesOf)]

describe('every machine', () => {
  it('PKG-9 is looked at', () => {
    expect(all.map(([id]) => id)).toEqual(
      expect.arrayContaining(['link', 'media', 'outbox', 'membership', 'contact']),
    )
  })

  it.each(all)(
    'PKG-9 %s gives each invoke an id of its own, and a way on where it fails',
    (_name, machine) => {
      const invokes = nodesOf(machine.root).flatMap((node) =>
        node.config.invoke === undefined
          ? []
          : [node.config.invoke].flat().map((invoke) => ({ node, invoke })),
      )
      const ids = invokes.map(({ invoke }) => (invoke as { readonly id?: string }).id)
      expect(ids).not.toContain(undefined)
      expect(new Set(ids).size).toBe(ids.length)
      const unguarded = invokes.filter(
        ({ invoke }) => (invoke as { readonly onError?: unknown }).onError === undefined,
      )
      expect(unguarded.map(({ node }) => node.id)).toEqual([])
    },
  )

  it.each(all.filter(([, , file]) => file.startsWith('machines/')))(
    'PKG-9 %s names every action, guard, actor and delay, and runs none of its own',
    (_name, machine) => {
      const inline = nodesOf(machine.root).flatMap((node) =>
        [...node.transitions.values()]
          .flat()
          .filter(
            ({ actions, guard }) =>
              typeof guard === 'function' || actions.some((action) => typeof action === 'function'),
          )
          .map(() => node.id),
      )
      expect(inline).toEqual([])
    },
  )

  it('MED-1 the top-level states of the media machine are the public five', () => {
    expect(Object.keys(mediaMachine.root.states)).toEqual([
      'init',
      'idle',
      'offering',
      'offered',
      'transiting',
    ])
  })
})
