import { useRef } from 'react'
import type { ReactElement } from 'react'
import { useContact, useMedia, useMessages } from 'duolog/react'

/** A chat of one's own, with voice calls that the agent offers. */
export function Chat({ service }: { readonly service: string }): ReactElement {
  const { phase, contact, error, start, leave } = useContact({ service })
  const { messages, send } = useMessages(contact)
  const { media, offer, accept, hangUp } = useMedia(contact)
  const { tx, data } = media.Voice ?? {}
  const field = useRef<HTMLInputElement>(null)
  const hear = (audio: HTMLAudioElement | null): void => {
    if (audio && audio.srcObject !== data?.rx_stream) audio.srcObject = data?.rx_stream ?? null
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
        {messages.map(({ key, own, nick, text, delivery }) => (
          <li key={key} data-delivery={delivery}>{`${own ? 'You' : (nick ?? '')}: ${text ?? ''}`}</li>
        ))}
      </ul>
      {offer && <button onClick={() => void accept({ Voice: true })}>Answer the call</button>}
      {tx && <button onClick={() => void hangUp()}>Your microphone is on: hang up</button>}
      <audio autoPlay ref={hear} />
      <form action={() => void send(field.current?.value ?? '')}>
        <input ref={field} aria-label="Message" required />
        <button>Send</button>
      </form>
      <button onClick={() => void leave()}>End</button>
    </>
  )
}
