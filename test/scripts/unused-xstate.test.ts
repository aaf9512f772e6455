import { readFile, readdir } from 'node:fs/promises'
import { expect, it } from 'vitest'
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import { withLaterImports } from '../../scripts/later-xstate.mjs'
import { listedMachines } from '../../scripts/machine-pages.mjs'
import { inRoot } from '../../scripts/run.mjs'
import { usedPart } from '../../scripts/unused-xstate.mjs'

const DIST = inRoot('node_modules/xstate/dist')

/** Machines that browsers run. */
const machines = await Promise.all(
  listedMachines()
    .filter(({ file }) => !file.startsWith('service/'))
    .map(async ({ file, export: name }) => {
      const module = (await import(inRoot(file))) as Readonly<Record<string, AnyStateMachine>>
      return [file, module[name] as AnyStateMachine] as const
    }),
)

const nodesOf = (node: AnyStateNode): AnyStateNode[] => [node, ...Object.values(node.states).flatMap(nodesOf)]

/** What a chart may say, of all that XState takes: the rest is not in the browser's build. */
const IN_NODE = [
  ...['after', 'always', 'context', 'entry', 'exit', 'id', 'initial', 'invoke', 'on'],
  ...['states', 'tags', 'type', 'schemas'],
]
const IN_INVOKE = ['id', 'input', 'onDone', 'onError', 'src']

it.each(machines)('PKG-2 %s says nothing that browsers are not served of XState', (_file, { root }) => {
  const nodes = nodesOf(root)
  const said = (config: object): string[] => Object.keys(config)
  expect(nodes.flatMap(({ config }) => said(config)).filter((key) => !IN_NODE.includes(key))).toEqual([])
  expect(nodes.map(({ type }) => type)).not.toContain('history')
  expect(nodes.filter(({ type, parent }) => type === 'final' && parent !== root)).toEqual([])
  const invokes = nodes.flatMap(({ config }) => (config.invoke === undefined ? [] : [config.invoke].flat()))
  expect(invokes.flatMap(said).filter((key) => !IN_INVOKE.includes(key))).toEqual([])
  expect(invokes.filter(({ src }) => typeof src !== 'string')).toEqual([])
  expect(invokes.filter(({ input = String }) => typeof input !== 'function')).toEqual([])
  expect(nodes.map(({ key }) => key).filter((key) => key.includes('.') && key !== root.key)).toEqual([])
  expect(nodes.filter(({ config: { initial = '' } }) => typeof initial !== 'string')).toEqual([])
  const { guards, delays } = root.machine.implementations
  expect(Object.values(guards).filter((guard) => typeof guard !== 'function')).toEqual([])
  const waits = nodes.flatMap(({ config }) => Object.keys(config.after ?? {}))
  expect(waits.filter((name) => !(name in delays) || !Number.isNaN(Number(name)))).toEqual([])
})

it('PKG-2 no source that browsers run asks XState for what is left out', async () => {
  const folders = ['machines', 'engines', 'sdk']
  const files = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(inRoot(folder), { recursive: true })
      return names.filter((name) => name.endsWith('.ts')).map((name) => inRoot(folder, name))
    }),
  )
  const asked =
    /\b(?:spawn|spawnChild|stopChild|systemId|syncSnapshot|getPersistedSnapshot|restoreSnapshot|resolveState|getMeta|devTools|sendParent|toPromise|getNextSnapshot|createAction|createStateConfig)\b|\bcancel\(\(|\bfrom(?:Promise|Callback)\b[^()]*\(\(\{[^)]*\b(?:emit|self|system)\b[^)]*\)|\bdelay: (?:\(|\w+ =>)|[sS]etup\.(?!ts\b|createMachine\b)\w+|\bwaitFor\([^;]*\b(?:timeout|signal)\b|\blog\(\(|\bmatches\('[^']*\./
  const found = await Promise.all(
    files
      .flat()
      .map(async (file) =>
        ((code) => (/^import \{[^}]*\} from 'xstate'/m.test(code) && asked.test(code) ? [file] : []))(
          await readFile(file, 'utf8'),
        ),
      ),
  )
  expect(found.flat()).toEqual([])
})

it('PKG-2 each file of XState that browsers are served is smaller than the whole', async () => {
  const names = (await readdir(DIST)).filter((name) =>
    /^(?:raise|StateMachine|assign|log|xstate|xstate-actors)(?:-[\da-f]{8})?\.esm\.js$/.test(name),
  )
  expect(names).toHaveLength(6)
  const sizes = await Promise.all(
    names.map(async (name) => {
      const code = await readFile(`${DIST}/${name}`, 'utf8')
      return [name, code.length - usedPart(`${DIST}/${name}`, code).length] as const
    }),
  )
  for (const [name, cut] of sizes) expect([name, cut > 0]).toEqual([name, true])
})

it('PKG-2 the build fails where XState has another text than that to leave out', () => {
  expect(() => usedPart('/xstate/dist/assign-00000000.esm.js', 'export {}')).toThrow(
    'unable to leave out a part of xstate/dist/assign; it has no if (!snapshot.context) {',
  )
})

it('PKG-2 what only later machines use of XState is imported from a module of its own', () => {
  expect(withLaterImports("import { emit, enqueueActions } from 'xstate'")).toBe(
    "import { emit } from 'xstate';import { enqueueActions } from 'xstate/log?later'",
  )
  expect(withLaterImports("import { emit } from 'xstate'")).toBe("import { emit } from 'xstate'")
})
