import { describe, expect, it } from 'vitest'
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import * as machines from '../../machines/index.ts'

const all = Object.entries(machines).flatMap(([name, value]): (readonly [string, AnyStateMachine])[] =>
  name.endsWith('Machine') ? [[name, value as unknown as AnyStateMachine]] : [],
)

const nodesOf = (node: AnyStateNode): AnyStateNode[] => [node, ...Object.values(node.states).flatMap(nodesOf)]

describe('every machine', () => {
  it('PKG-9 is looked at', () => {
    expect(all.map(([name]) => name)).toEqual(
      expect.arrayContaining(['linkMachine', 'mediaMachine', 'outboxMachine', 'membershipMachine']),
    )
  })

  it.each(all)(
    'PKG-9 %s gives each invoke an id of its own, and one that may fail a way on',
    (_name, machine) => {
      const invokes = nodesOf(machine.root).flatMap((node) =>
        node.config.invoke === undefined
          ? []
          : [node.config.invoke].flat().map((invoke) => ({ node, invoke })),
      )
      const ids = invokes.map(({ invoke }) => (invoke as { readonly id?: string }).id)
      expect(ids).not.toContain(undefined)
      expect(new Set(ids).size).toBe(ids.length)
      const lasting = ['engines', 'log']
      const unguarded = invokes.filter(
        ({ invoke }) =>
          !lasting.includes(String((invoke as { readonly id?: string }).id)) &&
          (invoke as { readonly onError?: unknown }).onError === undefined,
      )
      expect(unguarded.map(({ node }) => node.id)).toEqual([])
    },
  )

  it.each(all)(
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
    expect(Object.keys(machines.mediaMachine.root.states)).toEqual([
      'init',
      'idle',
      'offering',
      'offered',
      'transiting',
    ])
  })
})
