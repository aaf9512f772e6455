import type { Contact, DataCollection } from 'duolog'

/** What the site knows of the order that the visitor looks at. */
export interface Order {
  readonly number: string
  readonly phone: string
  readonly customerId: string
}

/** The form that goes with the contact: `data` of `createContact`. */
export const orderForm = ({ number, phone, customerId }: Order): DataCollection => [
  {
    name: 'order',
    desc: 'Order',
    data: [
      { name: 'number', desc: 'Order number', type: 'text', value: number },
      { name: 'phone', desc: 'Telephone', type: 'phone', value: phone, editable: true },
      // Stored with the contact and never shown to agents.
      { name: 'customer', type: 'text', value: customerId, visible: false },
    ],
  },
]

/** The fields that an agent sees, with their names for people. */
export const fieldsOf = (contact: Contact): readonly string[] =>
  contact
    .data()
    .data.flatMap((form) => form.data)
    .map(({ name, desc = name, value, checked }) => `${desc}: ${JSON.stringify(value ?? checked ?? null)}`)

/** Tells `changed` when an agent has corrected a field. */
export const onCorrection = (contact: Contact, changed: (field: string, value: unknown) => void) =>
  contact.on('datachange', ({ field, value }) => changed(field, value))
