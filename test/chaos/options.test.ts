import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { clusterOptions, deploymentFolder } from '../deployment/options.ts'
import { planOf } from './plan.ts'

let root = ''
let before = ''

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'options-'))
  before = process.cwd()
  process.chdir(root)
})
afterEach(() => {
  process.chdir(before)
  rmSync(root, { recursive: true, force: true })
})

it('CLU-155 the folder of a deployment is made, has an absolute path, and other accounts get through it', () => {
  const folder = deploymentFolder('./kept/run', 'cluster')
  expect(folder).toBe(join(process.cwd(), 'kept', 'run'))
  expect(statSync(folder).mode & 0o777).toBe(0o755)
  expect(deploymentFolder(folder, 'cluster')).toBe(folder)
})

it.each([
  [['--nodes', 'three'], /^--nodes must be a whole number from 1 on; it is "three"$/],
  [['--nodes', '0'], /^--nodes must be/],
  [['--port', '70000'], /^--port must be/],
  [['--node', '3'], /'--node'/],
])('CLU-155 npm run cluster with %j says what is wrong with it', (args, message) => {
  expect(() => clusterOptions(args)).toThrow(message)
})

it('CLU-155 npm run cluster takes three nodes and the port 8090 where nothing else is said', () => {
  expect(clusterOptions([])).toEqual({ nodes: 3, port: 8_090, data: undefined })
  expect(clusterOptions(['--nodes', '2', '--port', '9000', '--data', 'kept'])).toEqual({
    nodes: 2,
    port: 9_000,
    data: 'kept',
  })
})

it.each(['minutes', 'contacts', 'seed', 'every', 'settle', 'nodes'])(
  'CLU-155 npm run chaos refuses a --%s that is no number',
  (option) => {
    expect(planOf(['--minutes', '0.5']).minutes).toBe(0.5)
    expect(() => planOf([`--${option}`, 'x'])).toThrow(`--${option} must be a `)
  },
)
