/** Names of files above the code of the guides: other blocks import them. */
import type { MarkdownRenderer } from 'vitepress'

const FILE = /^\w+ examples\/(?:guides\/)?(\S+)$/

/** The name of the file that a block shows, such as `run/files.ts`; null of any other block. */
export const fileNameOf = (info: string): string | null => FILE.exec(info.trim())?.[1] ?? null

/** Writes the name of its file above each such block. */
export function fileNames(md: MarkdownRenderer): void {
  const { fence } = md.renderer.rules
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const name = fileNameOf(tokens[index]?.info ?? '')
    const block = fence?.(tokens, index, ...rest) ?? ''
    return name === null ? block : `<p class="file"><code>${md.utils.escapeHtml(name)}</code></p>${block}`
  }
}
