import { DuologWidget } from './widget.ts'

/**
 * What the shop adds to the widget: its questions about a product, and what the agent should know of the
 * page.
 */
const widget = document.querySelector('duolog-widget')
const parameters = new URLSearchParams(location.search)

const aboutShop = (product: string): DuologWidget['data'] => [
  {
    name: 'shop',
    desc: 'Shop',
    data: [
      { name: 'product', desc: 'Asks about', type: 'text', value: product, visible: true, editable: false },
      { name: 'page', desc: 'Page', type: 'link', value: location.href, visible: true, editable: false },
      {
        name: 'returning',
        desc: 'Has been here before',
        type: 'checkbox',
        checked: document.referrer !== '',
        visible: true,
        editable: false,
      },
    ],
  },
]

if (widget instanceof DuologWidget) {
  const lang = parameters.get('lang')
  if (lang) widget.lang = lang
  widget.secure = parameters.has('secure')
  widget.data = aboutShop('–')
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-ask]')) {
    button.addEventListener('click', () => {
      const product = button.dataset['ask'] ?? ''
      widget.data = aboutShop(product)
      widget.open(`I have a question about the ${product} lamp: `)
    })
  }
}

if (parameters.get('dir') === 'rtl') document.documentElement.dir = 'rtl'
