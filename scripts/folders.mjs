/**
 * Folders with sources of our own: what is linted, formatted and cruised. A folder that is not there yet is
 * left out.
 */
import { existsSync } from 'node:fs'
import { inRoot } from './run.mjs'

const SOURCES = [
  'protocol',
  'machines',
  'engines',
  'sdk',
  'testing',
  'service',
  'apps',
  'test',
  'bench',
  'scripts',
]
const CONFIGS = ['vitest.config.ts', '.size-limit.mjs', '.dependency-cruiser.mjs']

export const sourceFolders = SOURCES.filter((folder) => existsSync(inRoot(folder)))
export const sourcePaths = [...sourceFolders, ...CONFIGS]
