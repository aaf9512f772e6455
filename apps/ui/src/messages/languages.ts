/** The languages besides English. Each is loaded when somebody reads it. */
import type { Table } from './table.ts'

export const LANGUAGES: ReadonlyMap<string, () => Promise<Table>> = new Map([
  ['it', async () => (await import('./table-it.ts')).tableIt],
  ['de', async () => (await import('./de.ts')).de],
  ['fr', async () => (await import('./fr.ts')).fr],
  ['es', async () => (await import('./es.ts')).es],
  ['pt', async () => (await import('./pt.ts')).pt],
  ['ar', async () => (await import('./ar.ts')).ar],
])

/** Those that are written from right to left. */
export const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(['ar'])
