import type { Avatar } from './sdk.ts'
import { webUrl } from './safe-text.ts'

/** Address of the picture that fits `sizePx` best, or `null` where there is none that may be loaded. */
export function avatarUrl(avatar: Avatar | undefined, sizePx: number): string | null {
  const base = avatar && webUrl(avatar.base_url)
  if (!avatar || !base) return null
  const sized = avatar.images
    .map(({ size, file }) => ({ file, px: Number.parseInt(size, 10) || 0 }))
    .toSorted((a, b) => a.px - b.px)
  const best = sized.find(({ px }) => px >= sizePx) ?? sized.at(-1)
  const url = best && webUrl(avatar.base_url + best.file)
  return url && url.origin === base.origin ? url.href : null
}

/** One or two letters to show where there is no picture. */
export function initials(nick: string): string {
  const letters = nick
    .split(/\s+/)
    .flatMap((name) => /[\p{L}\p{N}\p{Emoji_Presentation}]/u.exec(name)?.[0] ?? [])
  return [letters[0], ...letters.slice(1).slice(-1)].join('').toLocaleUpperCase() || '?'
}
