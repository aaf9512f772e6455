/** Code of a package without what is named of it, text by text. */

/**
 * @typedef {object} Cut
 * @property {readonly (string | readonly [first: string, instead: string])[]} blocks first line of each function,
 *   member or statement in braces, and what stands in its place
 * @property {readonly (readonly [text: string, instead: string])[]} texts
 */

const escaped = (/** @type {string} */ text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/**
 * @param {string} code
 * @param {Cut} cut
 * @param {string} name of the file, for the error
 * @throws {Error} a text is not there: another version of the package needs another list
 */
export function without(code, { blocks, texts }, name) {
  let rest = code
  /** @param {string} text @param {string | RegExp} what @param {string} instead */
  const replace = (text, what, instead) => {
    const after = rest.replaceAll(what, () => instead)
    if (after === rest) throw new Error(`unable to leave out a part of ${name}; it has no ${text}`)
    rest = after
  }
  for (const block of blocks) {
    const [first, instead] = typeof block === 'string' ? [block, ''] : block
    replace(first, new RegExp(String.raw`^([ \t]*)${escaped(first)}[^]*?^\1\}.*$`, 'gm'), instead)
  }
  for (const [text, instead] of texts) replace(text, text, instead)
  return rest
}
