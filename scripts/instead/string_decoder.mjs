/** In the place of `string_decoder`, which streams need only where someone asks for text. */
export class StringDecoder {
  #decoder
  /** @param {string} [encoding] */
  constructor(encoding = 'utf-8') {
    this.#decoder = new TextDecoder(encoding)
  }
  /** @param {Uint8Array} bytes */
  write = (bytes) => this.#decoder.decode(bytes, { stream: true })
  /** @param {Uint8Array} [bytes] */
  end = (bytes) => this.#decoder.decode(bytes)
}
