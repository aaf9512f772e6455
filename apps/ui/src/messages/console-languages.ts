/** The languages of the agent's console besides English. Each is loaded when an agent reads it. */
import type { ConsoleTable } from './console-table.ts'

export const CONSOLE_LANGUAGES: ReadonlyMap<string, () => Promise<ConsoleTable>> = new Map([
  ['it', async () => (await import('./console-it.ts')).consoleIt],
  ['de', async () => (await import('./console-de.ts')).consoleDe],
  ['fr', async () => (await import('./console-fr.ts')).consoleFr],
  ['es', async () => (await import('./console-es.ts')).consoleEs],
  ['pt', async () => (await import('./console-pt.ts')).consolePt],
  ['ar', async () => (await import('./console-ar.ts')).consoleAr],
])
