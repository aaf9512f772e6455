/** What the widget remembers over page loads; where storage is blocked, nothing. */
import { attempt } from '../../ui/src/index.ts'

const [OPEN_KEY, READ_KEY, SOUND_KEY] = ['duolog-widget-open', 'duolog-widget-read', 'duolog-widget-sound']

/** Whether the panel is open in this tab. Where that is not known it opens by itself after a page change. */
export const remember = (open: 'yes' | 'no'): void =>
  attempt(() => sessionStorage.setItem(OPEN_KEY, open), undefined)

export const remembered = (): string | null => attempt(() => sessionStorage.getItem(OPEN_KEY), null)

/** Whether the visitor wants to hear of news, in this browser. */
export const rememberSound = (hasSound: boolean): void =>
  attempt(() => localStorage.setItem(SOUND_KEY, hasSound ? 'on' : 'off'), undefined)

export const wantsSound = (): boolean => attempt(() => localStorage.getItem(SOUND_KEY), null) !== 'off'

/** The answer to a message left for later was looked at, in this browser. */
export const rememberRead = (contact: string): void =>
  attempt(() => localStorage.setItem(READ_KEY, contact), undefined)

export const isRead = (contact: string): boolean =>
  attempt(() => localStorage.getItem(READ_KEY), null) === contact
