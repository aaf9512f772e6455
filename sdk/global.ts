/** What a classic script finds as `window.Duolog`. */
export { createAgent } from './agent/index.ts'
export { ContactError, createClient } from './index.ts'
