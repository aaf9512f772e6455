import { Ask } from './next-ask.jsx'

/** `app/page.jsx`: rendered on the server. */
export default function Page() {
  return (
    <main>
      <h1>Lamps</h1>
      <Ask service="http://localhost:8090" />
    </main>
  )
}
