import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { StateMachine } from 'xstate'
import { listedMachines } from '../../scripts/machine-pages.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const FOLDERS = ['protocol', 'machines', 'engines', 'sdk', 'testing', 'service', 'apps']
const machines = listedMachines()

const machineFiles = FOLDERS.flatMap((folder) =>
  readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.machine.ts') && !/(^|[\\/])(node_modules|dist)[\\/]/.test(path))
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`),
)

describe('stately.config.json', () => {
  it('PKG-9 lists every machine of the tree, each once', () => {
    expect(machines.map(({ file }) => file).toSorted()).toEqual(machineFiles.toSorted())
    expect(new Set(machines.map(({ id }) => id)).size).toBe(machines.length)
  })

  it.each(machines)('PKG-9 $file exports the machine $id', async ({ file, id, export: name }) => {
    const module = (await import(`${root}/${file}`)) as Readonly<Record<string, unknown>>
    const machine = module[name]
    expect(machine).toBeInstanceOf(StateMachine)
    expect((machine as { readonly id: string }).id).toBe(id)
    expect(file).toMatch(new RegExp(`/${id}\\.machine\\.ts$`))
  })

  it('PKG-9 names only what is there, in the form that its schema documents', () => {
    const text = readFileSync(`${root}/stately.config.json`, 'utf8')
    const { $schema } = JSON.parse(text) as { readonly $schema: string }
    const schema = JSON.parse(readFileSync(`${root}/${$schema}`, 'utf8')) as {
      readonly properties: {
        readonly machines: {
          readonly items: { readonly required: readonly string[]; readonly properties: object }
        }
      }
    }
    const { required, properties } = schema.properties.machines.items
    for (const machine of machines) {
      expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(machine)))
      expect(Object.keys(machine)).toEqual(expect.arrayContaining([...required]))
      expect(
        [machine.page, machine.events.file, machine.limits?.file ?? machine.file].filter(
          (path) => !existsSync(`${root}/${path}`),
        ),
      ).toEqual([])
    }
  })
})
