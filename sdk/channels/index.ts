/** What carries data channels, a chunk of its own: loaded when the first channel is opened. */
export { Channels } from './channels.ts'
