import type { AlertWorld, Notice } from './alerts.ts'

const TONE_HZ = 660
const TONE_S = 0.25
/** From one tone of a call that rings to the next one. */
const RING_MS = 2_000
const LOUDNESS = 0.08

/** A short tone. Browsers play nothing before the first gesture, and an `AudioContext` would wait for it. */
function tone(): void {
  if (!navigator.userActivation?.hasBeenActive) return
  const audio = new AudioContext()
  const [oscillator, gain] = [audio.createOscillator(), audio.createGain()]
  oscillator.frequency.value = TONE_HZ
  gain.gain.setValueAtTime(LOUDNESS, audio.currentTime)
  gain.gain.exponentialRampToValueAtTime(0.0001, audio.currentTime + TONE_S)
  oscillator.connect(gain).connect(audio.destination)
  oscillator.addEventListener('ended', () => void audio.close())
  oscillator.start()
  oscillator.stop(audio.currentTime + TONE_S)
}

let ringing: ReturnType<typeof setInterval> | undefined

/** As long as the call is neither answered nor withdrawn. */
function ring(on: boolean): void {
  clearInterval(ringing)
  if (!on) return
  tone()
  ringing = setInterval(tone, RING_MS)
}

/** `none`: this browser has no notifications. */
export type NoticePermission = NotificationPermission | 'none'

export const noticePermission = (): NoticePermission =>
  'Notification' in globalThis ? Notification.permission : 'none'

/** Asks the browser, which asks the reader. Called inside a click. */
export async function askToNotify(): Promise<NoticePermission> {
  if (noticePermission() === 'default') await Notification.requestPermission()
  return noticePermission()
}

/** The reader has neither allowed nor refused notifications yet. */
export const mayAskToNotify = (): boolean => noticePermission() === 'default'

const shown = new Map<string, Notification>()

/** On some telephones `Notification` exists and only a service worker may use it. */
function notify({ id, text, isSilent, onChosen }: Notice): void {
  if (noticePermission() !== 'granted') return
  try {
    const options = { body: text, tag: `duolog-${id}`, renotify: true, silent: isSilent }
    const notification = new Notification(document.title, options)
    shown.set(id, notification)
    notification.addEventListener('click', () => {
      globalThis.focus()
      withdraw(id)
      onChosen()
    })
  } catch {
    // The title and the badge tell of it.
  }
}

function withdraw(id: string): void {
  shown.get(id)?.close()
  shown.delete(id)
}

export const isPageHidden = (): boolean => document.visibilityState === 'hidden'

export const pageAlerts = (): AlertWorld => ({
  get title() {
    return document.title
  },
  set title(text) {
    document.title = text
  },
  badge: (count) => void navigator.setAppBadge?.(count).catch(() => {}),
  sound: tone,
  ring,
  notify,
  withdraw,
})
