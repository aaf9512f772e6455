/** Languages by preference: the element's own, the page's around it, the browser's. */
export const preferredLanguages = (widget: HTMLElement): readonly string[] => {
  const inherited = widget.closest<HTMLElement>('[lang]')?.lang ?? ''
  return [widget.lang, inherited, ...navigator.languages]
}
