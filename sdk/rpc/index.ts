/** Remote procedure calls. Loaded when either side makes the first one. */
export { Rpc } from './rpc.ts'
export type { Asked } from './requests.ts'
