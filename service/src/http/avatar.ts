import type { Avatar } from '../../../protocol/index.ts'
import { createHash } from 'node:crypto'

const FILE = /^([\p{L}\p{N}]{1,2})-(\d{1,3})\.svg$/u

const initialsOf = (nick: string): string => {
  const first = nick.split(/\s+/).flatMap((word) => word.match(/[\p{L}\p{N}]/u)?.[0] ?? [])
  return Array.from(first.slice(0, 2).join('').toUpperCase()).slice(0, 2).join('')
}

/** A picture with the initials of a name, drawn by the service. */
export function avatarOf(nick: string, baseUrl: string): Avatar {
  const hue = createHash('sha256').update(nick).digest().readUInt16BE(0) % 360
  const file = encodeURIComponent(`${initialsOf(nick) || 'A'}-${hue}.svg`)
  return { base_url: `${baseUrl}/v1/avatars/`, images: [{ size: '96x96', file }] }
}

/** The picture with this name; null where the name is not one of ours. */
export function drawAvatar(file: string): string | null {
  const [, initials, hue] = FILE.exec(file) ?? []
  if (initials === undefined || hue === undefined) return null
  return `<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96" viewBox="0 0 96 96" role="img" aria-label="${initials}"><rect width="96" height="96" rx="48" fill="hsl(${Number(hue) % 360} 45% 38%)"/><text x="48" y="49" fill="#fff" font-family="system-ui, sans-serif" font-size="38" text-anchor="middle" dominant-baseline="central">${initials}</text></svg>`
}
