import type { DataCollection } from '../../sdk/index.ts'

/** Forms of a site, some of which the agent may know or change. */
export const FORMS: DataCollection = [
  {
    name: 'order',
    desc: 'Order',
    data: [
      {
        name: 'mail',
        desc: 'E-mail for the bill',
        type: 'email',
        value: 'robin@example.org',
        visible: true,
        editable: true,
      },
      { name: 'phone', desc: 'Phone', type: 'phone', visible: true, editable: true },
      {
        name: 'news',
        desc: 'Wants our news',
        type: 'checkbox',
        checked: false,
        visible: true,
        editable: true,
      },
      { name: 'amount', desc: 'Amount', type: 'number', value: 12.5, visible: true, editable: false },
      {
        name: 'secret',
        desc: 'Not for agents',
        type: 'text',
        value: 'hidden from the console',
        visible: false,
      },
    ],
  },
]
