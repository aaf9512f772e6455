import { Talk } from './next-talk.jsx'

/** `app/page.jsx`: rendered on the server. */
export default function Page() {
  return (
    <main>
      <h1>Lamps</h1>
      <Talk service="http://localhost:8080" />
    </main>
  )
}
