/**
 * How an embedding site makes the widget look by attributes: each stands for custom properties, which a style
 * sheet of the site can set too.
 */
const LOOK: Readonly<Record<string, readonly string[]>> = {
  accent: ['--p-accent'],
  'on-accent': ['--p-on-accent'],
  font: ['--p-font'],
  radius: ['--p-radius', '--p-panel-radius', '--p-bubble-radius'],
  width: ['--p-panel-width'],
  height: ['--p-panel-height'],
}

export const LOOK_ATTRIBUTES: readonly string[] = Object.keys(LOOK)

/** Sets what the attributes of the element say; one that is taken away gives its property back. */
export function applyLook(element: HTMLElement): void {
  for (const [name, properties] of Object.entries(LOOK)) {
    const value = element.getAttribute(name)
    for (const property of properties)
      if (value !== null) element.style.setProperty(property, value)
      else element.style.removeProperty(property)
  }
}
