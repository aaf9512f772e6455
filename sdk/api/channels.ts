import type { ChannelData, DataChannel } from '../../protocol/index.ts'

/** Data channels of a contact. */
export interface ChannelOperations {
  /**
   * The data channel of that name, new where there is none; both parties are told by `datachannel`. There is
   * one channel a name, whichever side asks for it, also when both do at once. It goes directly from browser
   * to browser where that can be made within 5 s, else over the service.
   * It needs neither voice nor video, and asks for no permission.
   *
   * @param id - 1 to 128 letters, digits and `._:-`.
   * @param type - `sio`: over the service only, for both parties, from now on if it is there already.
   * @throws {@link ContactError} `invalid_argument`; `not_joined`; `peer_left` — nobody is on the other
   *   side; `too_large` — there are 128 channels;
   * `channel_closed`; `offline` — its code could not be loaded; `left`.
   * @example
   * ```ts
   * const channel = await contact.getDataChannel('pointer')
   * channel.on('data', ({ data }) => console.log(data))
   * ```
   */
  getDataChannel(id: string, type?: 'sio' | 'webrtc' | ''): Promise<DataChannel>

  /**
   * Sends data on the channel of that name, as `getDataChannel` and then `send` of the channel. Nobody has to
   * listen on the other side.
   *
   * @param data - what `JSON.stringify` can write, or bytes; at most 16 MiB.
   * @param topic - name of the event that the data becomes on the other side, in place of `data`.
   * @throws {@link ContactError} as `getDataChannel`; `invalid_argument` — neither JSON nor bytes;
   *   `too_large` — over 16 MiB, or 64 MiB wait already;
   * `channel_closed` — the other party closed it meanwhile.
   * @example
   * ```ts
   * await contact.sendData('pointer', { x: 3, y: 4 }, 'moved')
   * ```
   */
  sendData(channel: string, data: ChannelData, topic?: string, type?: 'sio' | 'webrtc' | ''): Promise<void>
}
