import { useState } from 'react'
import type { ReactElement } from 'react'
import { useContact, useMedia, useMessages } from 'duolog/react'

/** A chat of one's own, with calls that the agent offers. */
export function Chat({ service }: { readonly service: string }): ReactElement {
  const { phase, contact, error, start, leave } = useContact({ service })
  const { messages, send } = useMessages(contact)
  const { offer, accept } = useMedia(contact)
  const [text, setText] = useState('')
  const submit = (): void => {
    void send(text)
    setText('')
  }
  if (phase === 'resuming' || phase === 'starting') return <p role="status">Connecting…</p>
  if (phase !== 'open')
    return (
      <>
        <button onClick={() => void start({ nick: 'Robin' })}>Start a chat</button>
        {error && <p role="alert">It did not work: {error.code}</p>}
      </>
    )
  return (
    <>
      <ul role="log">
        {messages.map(({ key, own, nick, text: said, delivery }) => (
          <li key={key} data-delivery={delivery}>
            {own ? 'You' : nick}: {said}
          </li>
        ))}
      </ul>
      {offer && <button onClick={() => void accept({ Voice: true })}>Answer the call</button>}
      <form action={submit}>
        <input aria-label="Message" required value={text} onChange={({ target }) => setText(target.value)} />
        <button>Send</button>
      </form>
      <button onClick={() => void leave()}>End</button>
    </>
  )
}
