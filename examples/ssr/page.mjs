import { createElement, useState } from 'react'
import { DuologWidget } from 'duolog/react'

/** A page that is rendered on the server and goes on in the browser. @param {{ service: string }} props */
export function Page({ service }) {
  const [messages, setMessages] = useState(0)
  const onMessage = () => setMessages((count) => count + 1)
  return createElement(
    'main',
    null,
    createElement('h1', null, 'Rendered on the server'),
    createElement('p', { id: 'messages' }, messages),
    createElement(DuologWidget, { service, label: 'Ask us', onMessage }),
  )
}
