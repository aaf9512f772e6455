export { channelMachine } from './channel.machine.ts'
export type { ChannelActor, ChannelSnapshot } from './channel.machine.ts'
export type { ChannelContext, ChannelEmitted, ChannelEvent } from './channel.types.ts'
