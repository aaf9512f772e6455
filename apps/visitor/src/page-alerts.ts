import type { AlertWorld } from './alerts.ts'

const TONE_HZ = 660
const TONE_S = 0.25
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

/** On some telephones `Notification` exists and only a service worker may use it. */
function notify(body: string): void {
  if (!('Notification' in globalThis) || Notification.permission !== 'granted') return
  try {
    const shown = new Notification(document.title, { body, tag: 'duolog' })
    shown.addEventListener('click', () => {
      globalThis.focus()
      shown.close()
    })
  } catch {
    // The title and the badge tell of it.
  }
}

/** The visitor has neither allowed nor refused notifications yet. */
export const mayAskToNotify = (): boolean =>
  'Notification' in globalThis && Notification.permission === 'default'

export const pageAlerts = (): AlertWorld => ({
  get title() {
    return document.title
  },
  set title(text) {
    document.title = text
  },
  isHidden: () => document.visibilityState === 'hidden',
  badge: (count) => void navigator.setAppBadge?.(count).catch(() => {}),
  sound: tone,
  notify,
})
