/** Which devices a page uses. */
import type { Page } from 'playwright-core'

/** Script of a page, to run before its own: notes in `window.tracks` what it gets of microphone and camera. */
export const NOTE_TRACKS = `{
  const tracks = (window.tracks = [])
  const own = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)
  navigator.mediaDevices.getUserMedia = async (asked) => {
    const stream = await own(asked)
    tracks.push(...stream.getTracks())
    return stream
  }
}`

/** How many of a page's tracks of microphone and camera are live. */
export const liveTracks = (page: Page): Promise<number> =>
  page.evaluate('window.tracks.filter(({ readyState }) => readyState === "live").length')
