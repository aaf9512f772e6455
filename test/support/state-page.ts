/** Runs in a page that shows states of one element, each by its name, for a test that looks at them. */

declare global {
  /** Shows a state, and resolves when the page has drawn it. */
  var showState: (name: string) => Promise<void>
  var stateNames: readonly string[]
}

type States = Readonly<Record<string, () => unknown>>

/** Gives the states to the test; `begin`: what each of them begins with. */
export function offerStates(states: States, begin: () => unknown): void {
  globalThis.stateNames = Object.keys(states)
  globalThis.showState = async (name) => {
    await begin()
    await drawn()
    await states[name]?.()
    await drawn()
  }
}

/** Until all that was asked for is on the page. */
export async function drawn(): Promise<void> {
  for (let frames = 0; frames < 3; frames += 1) await new Promise(requestAnimationFrame)
}

/** The first element of this id that is seen. */
export async function seen(id: string): Promise<HTMLElement> {
  await drawn()
  const find = (root: ParentNode): HTMLElement | undefined => {
    for (const each of root.querySelectorAll<HTMLElement>('*')) {
      const isSeen = each.dataset['testid'] === id && each.checkVisibility()
      const found = isSeen ? each : each.shadowRoot && find(each.shadowRoot)
      if (found) return found
    }
    return undefined
  }
  const found = find(document)
  if (!found) throw new Error(`there is no ${id}`)
  return found
}

/** Clicks the first element of this id that is seen. */
export const click = async (id: string): Promise<void> => (await seen(id)).click()

/** A picture as a camera or a screen gives it. */
export function picture(colour: string): MediaStream {
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width: 640, height: 360 })
  const context = canvas.getContext('2d')
  if (context) {
    context.fillStyle = colour
    context.fillRect(0, 0, 640, 360)
  }
  return canvas.captureStream(5)
}
