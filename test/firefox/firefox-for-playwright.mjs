#!/usr/bin/env node
/**
 * Starts Firefox for Playwright, which asks each new context for a command that Firefox ESR does not know yet: this
 * answers it, and passes everything else on.
 */
import { spawn } from 'node:child_process'
import { WebSocket, WebSocketServer } from 'ws'

const MISSING = 'emulation.setMediaFeaturesOverride'
const LISTENING = /WebDriver BiDi listening on (ws:\/\/\S+)/

const firefox = spawn(process.env['DUOLOG_FIREFOX'] ?? 'firefox-esr', process.argv.slice(2), {
  stdio: ['ignore', 'ignore', 'pipe'],
})
firefox.once('exit', (code) => process.exit(code ?? 1))

let printed = ''
firefox.stderr.on('data', (chunk) => {
  process.stderr.write(String(chunk).replaceAll(new RegExp(LISTENING, 'g'), ''))
  const isKnown = LISTENING.test(printed)
  printed += chunk
  const [, address] = LISTENING.exec(printed) ?? []
  if (address !== undefined && !isKnown) listen(address)
})

/** @param {string} address of Firefox */
function listen(address) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 }, () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
    console.error(`WebDriver BiDi listening on ws://127.0.0.1:${port}`)
  })
  server.on('connection', (playwright, { url }) => {
    const browser = new WebSocket(address + url)
    const opened = new Promise((resolve) => browser.once('open', resolve))
    browser.on('message', (/** @type {Buffer} */ text) => playwright.send(text.toString()))
    browser.on('close', () => playwright.close())
    playwright.on('close', () => browser.close())
    playwright.on('message', (/** @type {Buffer} */ text) => {
      const { id, method } = JSON.parse(text.toString())
      if (method === MISSING) playwright.send(JSON.stringify({ type: 'success', id, result: {} }))
      else void opened.then(() => browser.send(text.toString()))
    })
  })
}
