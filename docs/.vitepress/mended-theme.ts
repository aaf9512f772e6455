/** The components of VitePress as people use them by keyboard and screen reader. */

/** What is replaced in a component: each text stands there once. */
const MENDED: Readonly<Record<string, readonly (readonly [was: string, is: string])[]>> = {
  // The start page has no main part.
  'VPHome.vue': [['class="VPHome"', 'class="VPHome" role="main"']],
  // The name of the button is without its keys.
  'VPNavBarSearchButton.vue': [
    [
      'class="DocSearch DocSearch-Button"',
      'class="DocSearch DocSearch-Button" aria-keyshortcuts="Control+K /"',
    ],
    // Its letter is of the style sheet, as the other key is.
    ['>K</kbd>', '></kbd>'],
  ],
  // Each heading of the sidebar is a button, most of them without an effect. The button of a group has no name.
  'VPSidebarItem.vue': [
    [':role="itemRole"', ''],
    [':tabindex="item.items && 0"', ''],
    ['aria-label="toggle section"', ':aria-label="item.text" :aria-expanded="!collapsed"'],
    ['@keydown.enter="onCaretClick"', '@keydown.enter="onCaretClick" @keydown.space.prevent="toggle"'],
  ],
  // The box is a button with fields and links in it, and so is each result.
  'VPLocalSearchBox.vue': [
    ['role="button"', 'role="dialog" aria-modal="true"'],
    [`:aria-owns="results?.length ? 'localsearch-list' : undefined"`, ''],
    ['aria-expanded="true"', ''],
    ['aria-haspopup="listbox"', ''],
    [`:id="'localsearch-item-' + index"`, 'role="presentation"'],
    [`:aria-selected="selectedIndex === index ? 'true' : 'false'"`, ''],
    ['role="option"', ''],
    [
      `:aria-label="[...p.titles, p.title].join(' > ')"`,
      `role="option" tabindex="-1" :id="'localsearch-item-' + index" :aria-selected="selectedIndex === index ? 'true' : 'false'"`,
    ],
    ['class="title-icon"', 'class="title-icon" aria-hidden="true"'],
    // A key with a picture has the name of a picture.
    ...['navigateUp', 'navigateDown', 'selectKey', 'closeKey'].map(
      (key) =>
        [
          `<kbd :aria-label="translate('modal.footer.${key}`,
          `<kbd role="img" :aria-label="translate('modal.footer.${key}`,
        ] as const,
    ),
  ],
}

interface Mending {
  readonly name: string
  readonly enforce: 'pre'
  transform(code: string, id: string): string | null
}

export const mendedTheme: Mending = {
  name: 'mended-theme',
  enforce: 'pre',
  transform(code, id) {
    const [, name = ''] = /theme-default\/components\/(\w+\.vue)$/.exec(id) ?? []
    return MENDED[name]?.reduce((text, change) => replaced(text, change, name), code) ?? null
  },
}

function replaced(text: string, [was, is]: readonly [string, string], name: string): string {
  const [before, after, ...more] = text.split(was)
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`${name} of VitePress has ${was} not once`)
  return before + is + after
}
