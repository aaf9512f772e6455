import { DuologWidget } from 'duolog/react'
import { Phase } from './next-phase.jsx'

/** `app/page.jsx`: rendered on the server. */
export default function Page() {
  return (
    <main>
      <h1>Lamps</h1>
      <Phase service="http://localhost:8090" />
      <DuologWidget service="http://localhost:8090" label="Ask us" />
    </main>
  )
}
