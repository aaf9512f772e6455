/** Links of pages to files of the repository, which the site does not have. */
import { posix } from 'node:path'
import type { MarkdownEnv, MarkdownRenderer } from 'vitepress'

/** The file of the repository that a link leads to; null where it leads to a page, a heading or another site. */
export function sourceOf(page: string, href: string): string | null {
  if (/^[a-z]+:|^[#/]/i.test(href)) return null
  const path = posix.join('docs', posix.dirname(page), href.replace(/#.*$/, ''))
  return path.startsWith('docs/') && path.endsWith('.md') ? null : path
}

/** Shows such a link as its text, with the path as the tooltip. */
export function sourceLinks(md: MarkdownRenderer): void {
  const open = md.renderer.rules.link_open
  md.renderer.rules.link_open = (tokens, index, ...rest) => {
    const [options, env, self] = rest
    const token = tokens[index]
    const path = sourceOf((env as MarkdownEnv).relativePath, token?.attrGet('href') ?? '#')
    if (token && path !== null) {
      const close = tokens.slice(index).find(({ type }) => type === 'link_close')
      token.tag = 'span'
      token.attrs = [
        ['class', 'source'],
        ['title', path],
      ]
      if (close) close.tag = 'span'
      return self.renderToken(tokens, index, options)
    }
    return open?.(tokens, index, ...rest) ?? self.renderToken(tokens, index, options)
  }
}
