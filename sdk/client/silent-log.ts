import type { Log } from '../api/client.ts'

/** Takes every message and tells nobody: the log of a page that names none. */
export const silentLog: Log = { debug: () => {}, warn: () => {} }
