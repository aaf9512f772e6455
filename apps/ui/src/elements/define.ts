/** Registers an element, once however many bundles of a page bring it. */
export function define(name: string, element: CustomElementConstructor): void {
  if (!customElements.get(name)) customElements.define(name, element)
}
