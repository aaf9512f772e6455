/** In the place of `js-base64`: tus-js-client encodes the metadata of an upload with it. */
export const Base64 = {
  /** UTF-8 in base64; RFC 4648 4. @param {string} text */
  encode: (text) => btoa(String.fromCodePoint(...new TextEncoder().encode(text))),
}
