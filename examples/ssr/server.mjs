/** Renders the page: `node server.mjs`, with `client.mjs` bundled to `client.js` beside it. */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { Page } from './page.mjs'

const service = process.env['SERVICE'] ?? 'http://localhost:8090'

const html = () => `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Rendered on the server</title><link rel="icon" href="data:,"></head>
  <body>
    <div id="root" data-service="${service}">${renderToString(createElement(Page, { service }))}</div>
    <script type="module" src="/client.js"></script>
  </body>
</html>`

const script = await readFile(new URL('client.js', import.meta.url))
const server = createServer(({ url }, response) => {
  if (url === '/client.js') response.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
  else response.writeHead(200, { 'content-type': 'text/html' }).end(html())
})
server.listen(Number(process.env['PORT'] ?? 0), '127.0.0.1', () => {
  const address = server.address()
  console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`)
})
