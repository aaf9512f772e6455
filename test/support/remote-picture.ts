import type { CDPSession, Page } from 'playwright-core'
import type { Colour } from './camera.ts'

/** Waits until the visible big picture of a page shows a colour. */
export async function shows(page: Page, colour: readonly number[]): Promise<void> {
  const video = page.getByTestId('remote-video').first()
  await video.waitFor()
  await video.evaluate(
    (element, wanted) =>
      new Promise<void>((resolve, reject) => {
        const canvas = document.createElement('canvas')
        const pen = canvas.getContext('2d')
        if (!(element instanceof HTMLVideoElement) || !pen) return reject(new Error('no video'))
        const look = (): void => {
          pen.drawImage(element, 0, 0, 8, 8)
          const [r = 0, g = 0, b = 0] = pen.getImageData(4, 4, 1, 1).data
          if ([r, g, b].every((value, index) => Math.abs(value - (wanted[index] ?? 0)) <= 40))
            return resolve()
          element.requestVideoFrameCallback(look)
        }
        element.requestVideoFrameCallback(look)
      }),
    colour,
  )
}

/** JavaScript that yields an element of a page, also one in a shadow tree. */
export const elementCode = (testId: string): string =>
  `(function find(root) { return root.querySelector('[data-testid=${testId}]') ?? [...root.querySelectorAll('*')].map((each) => each.shadowRoot && find(each.shadowRoot)).find(Boolean) })(document)`

const COLOUR = `(() => {
  const video = ${elementCode('remote-video')}
  if (!video?.videoWidth) return null
  const pen = document.createElement('canvas').getContext('2d')
  pen.drawImage(video, 0, 0, 8, 8)
  return [...pen.getImageData(4, 4, 1, 1).data].slice(0, 3)
})()`

/** Whether the big picture of a tab of which there is only a session shows a colour now. */
export async function showsNow(tab: CDPSession, colour: Colour): Promise<boolean> {
  const { result } = await tab.send('Runtime.evaluate', { expression: COLOUR, returnByValue: true })
  const seen: unknown = result.value
  return Array.isArray(seen) && colour.every((value, index) => Math.abs(value - Number(seen[index])) <= 40)
}
