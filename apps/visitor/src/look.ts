/**
 * How an embedding site makes the widget look by attributes: each stands for custom properties, which a style
 * sheet of the site can set too.
 */

/** A property of CSS that takes the same values: a length that is not negative, for `padding-top`. */
type Takes = 'color' | 'font-family' | 'padding-top'

const LOOK: Readonly<Record<string, readonly [takes: Takes, ...properties: readonly string[]]>> = {
  accent: ['color', '--p-accent'],
  'on-accent': ['color', '--p-on-accent'],
  font: ['font-family', '--p-font'],
  radius: ['padding-top', '--p-radius', '--p-panel-radius', '--p-bubble-radius'],
  width: ['padding-top', '--p-panel-width'],
  height: ['padding-top', '--p-panel-height'],
}

export const LOOK_ATTRIBUTES: readonly string[] = Object.keys(LOOK)

/**
 * Sets what the attributes of the element say. One that is taken away gives its property back, as does one that is
 * empty or cannot be used; `refused` is told of the latter.
 */
export function applyLook(
  element: HTMLElement,
  refused?: (attribute: string, value: string, takes: Takes) => void,
): void {
  for (const [name, [takes, ...properties]] of Object.entries(LOOK)) {
    const value = element.getAttribute(name) ?? ''
    const isUsed = CSS.supports(takes, value)
    if (value && !isUsed) refused?.(name, value, takes)
    // An empty value removes the property.
    for (const property of properties) element.style.setProperty(property, isUsed ? value : '')
  }
}
