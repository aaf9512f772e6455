import { basename, dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isSupportedNode, missingPackages } from '../../scripts/install.mjs'
import { findProgram } from '../../scripts/programs.mjs'

describe('isSupportedNode', () => {
  it.each([
    ['18.20.0', false],
    ['20.18.3', false],
    ['20.19.0', true],
    ['22.1.0', true],
  ])('%s: %s', (version, supported) => {
    expect(isSupportedNode(version)).toBe(supported)
  })
})

describe('missingPackages', () => {
  const wanted = {
    packages: {
      '': {},
      service: { version: '1.0.0' },
      'node_modules/a': { version: '1.0.0' },
      'node_modules/other-platform': { version: '1.0.0', optional: true },
    },
  }

  it('finds nothing where all are there, but for those of other platforms', () => {
    expect(missingPackages(wanted, { packages: { 'node_modules/a': { version: '1.0.0' } } })).toEqual([])
  })

  it('finds missing packages and other versions', () => {
    expect(missingPackages(wanted, {})).toEqual(['node_modules/a'])
    expect(
      missingPackages(wanted, {
        packages: {
          'node_modules/a': { version: '0.9.0' },
          'node_modules/other-platform': { version: '0.9.0' },
        },
      }),
    ).toEqual(['node_modules/a', 'node_modules/other-platform'])
  })

  it('takes a link of the workspace as it is', () => {
    const links = { packages: { 'node_modules/service': { link: true } } }
    expect(missingPackages(links, { packages: { 'node_modules/service': { link: true } } })).toEqual([])
    expect(missingPackages(links, { packages: {} })).toEqual(['node_modules/service'])
  })
})

describe('findProgram', () => {
  const node = {
    name: 'Node',
    names: ['no-such-program', basename(process.execPath)],
    variable: 'SOME_NODE',
    aptPackage: 'nodejs',
  }

  it('finds the first of its names on the search path', () => {
    expect(findProgram(node, { PATH: `/nowhere:${dirname(process.execPath)}` })).toBe(process.execPath)
  })

  it('takes the one that the variable names, and no other', () => {
    expect(findProgram(node, { PATH: dirname(process.execPath), SOME_NODE: '/nowhere/node' })).toBeUndefined()
    expect(findProgram(node, { PATH: '', SOME_NODE: process.execPath })).toBe(process.execPath)
  })
})
