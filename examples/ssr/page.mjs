import { createElement } from 'react'
import { DuologWidget, useContact } from 'duolog/react'

/** A page that is rendered on the server and goes on in the browser. @param {{ service: string }} props */
export function Page({ service }) {
  const { phase } = useContact({ service })
  return createElement(
    'main',
    null,
    createElement('h1', null, 'Rendered on the server'),
    createElement('p', { id: 'phase' }, phase),
    createElement(DuologWidget, { service, label: 'Ask us' }),
  )
}
