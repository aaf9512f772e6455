/**
 * `widget.js`: one classic script that shows the button on any page. The panel and the SDK are loaded when
 * somebody is about to use them, or an open contact waits to be taken up.
 *
 * It makes no markup and evaluates nothing, so that Trusted Types have nothing to refuse; `import()` and the
 * links to modules carry the nonce of the script's own element (HTML, 8.1.4.2: descendant script fetch options).
 */
import { launcherWords } from '../../ui/src/messages/launcher.ts'
import { CHAT_PATHS } from './launcher-icon.ts'
import { launcherCss } from './launcher-style.ts'
import { applyLook } from './look.ts'
import { run } from './commands.ts'
import type { CommandQueue } from './commands.ts'
import { serviceOrigin } from './service-origin.ts'
import { tellDeveloper } from './tell-developer.ts'
import type { DuologWidgetElement } from './widget-api.ts'

/** Put in by the build: the panel and every module that it imports at once, with their integrity. */
declare const MODULES: readonly (readonly [path: string, integrity: string])[]

declare global {
  var DuologWidget: CommandQueue | undefined
}

/** How near to the button a pointer makes the panel load, CSS pixels. */
const NEAR_PX = 120
const SVG = 'http://www.w3.org/2000/svg'

const script = document.currentScript as HTMLScriptElement
const address = new URL(script.src)
/** The modules stand in `sdk/` beside the script; a copy of that folder has the script in it. */
const home = new URL(/\/sdk\/[^/]*$/.test(address.pathname) ? './' : './sdk/', address)
const element: DuologWidgetElement =
  document.querySelector('duolog-widget') ?? document.createElement('duolog-widget')

let loading: Promise<unknown> | undefined
let isLoaded = false

/** Methods that the element has before its class is there. */
const METHODS = ['open', 'close'] as const

/** Asks for all modules at once, then for the panel, which defines the element. */
function load(): Promise<unknown> {
  loading ??= request().then(
    () => {
      isLoaded = true
      // An element that is in no document at the moment is given its class, too.
      customElements.upgrade(element)
      // Those of its class take their place.
      for (const name of METHODS) Reflect.deleteProperty(element, name)
      document.removeEventListener('pointermove', near)
    },
    (error: unknown) => {
      loading = undefined
      tries += 1
      throw error
    },
  )
  return loading
}

/** How often the panel could not be loaded. */
let tries = 0

/**
 * Asks for the panel's file before anything is asked for as a module: a browser keeps that a file or a module
 * could not be loaded, and never asks for that address again (HTML Standard, module map).
 */
async function request(): Promise<void> {
  const [[path, integrity] = ['', ''], ...others] = MODULES
  const panel = new URL(path, home)
  if (tries > 0) panel.search = String(tries)
  await linked('preload', panel, integrity)
  // A module has the integrity that its link says.
  linked('modulepreload', panel, integrity).catch(() => {})
  for (const [each, itsIntegrity] of others)
    linked('modulepreload', new URL(each, home), itsIntegrity).catch(() => {})
  await import(panel.href)
}

function linked(rel: string, address: URL, integrity: string): Promise<unknown> {
  const link = document.createElement('link')
  Object.assign(link, { rel, as: 'script', href: address.href, integrity })
  link.crossOrigin = 'anonymous'
  link.nonce = script.nonce
  const loaded = new Promise((resolve, reject) => {
    link.addEventListener('load', resolve)
    link.addEventListener('error', reject)
  })
  document.head.append(link)
  return loaded
}

const prepare = (): void => void load().catch(() => {})

const near = ({ clientX, clientY }: PointerEvent): void => {
  const { left, right, top, bottom, width } = button.getBoundingClientRect()
  const [x, y] = [Math.max(left - clientX, clientX - right), Math.max(top - clientY, clientY - bottom)]
  if (width > 0 && Math.max(x, y) < NEAR_PX) prepare()
}

/** An earlier page has left a contact open: its keys are those of the SDK (`sdk/client/create-client.ts`). */
function hasOpenContact(service: string): boolean {
  try {
    const key = `duolog:${service}:`
    return sessionStorage.getItem(`${key}contact`) !== null || localStorage.getItem(`${key}visitor`) !== null
  } catch {
    return false
  }
}

const words = (): { readonly openChat: string; readonly notLoaded: string } => {
  const inherited = element.closest<HTMLElement>('[lang]')?.lang
  const known = [element.lang, inherited, ...navigator.languages].map((lang) => lang?.split('-')[0] ?? '')
  const lang = known.find((each): each is keyof typeof launcherWords => Object.hasOwn(launcherWords, each))
  return launcherWords[lang ?? 'en']
}

const button = document.createElement('button')
const label = document.createElement('span')

function drawButton(): void {
  const svg = document.createElementNS(SVG, 'svg')
  const path = document.createElementNS(SVG, 'path')
  path.setAttribute('d', CHAT_PATHS)
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('aria-hidden', 'true')
  svg.append(path)
  label.textContent = element.getAttribute('label') ?? words().openChat
  button.type = 'button'
  button.part.add('launcher')
  button.dataset['testid'] = 'launcher'
  button.dataset['loader'] = ''
  button.setAttribute('aria-haspopup', 'dialog')
  button.setAttribute('aria-expanded', 'false')
  button.append(svg, label)
}

function open(): void {
  button.ariaBusy = 'true'
  load().then(
    () => element.open(),
    () => {
      button.ariaBusy = null
      label.textContent = words().notLoaded
    },
  )
}

/**
 * The panel may arrive while the button is pressed. It has a button of its own, and the browser makes no click of
 * two buttons.
 */
function pressed(release: 'keyup' | 'pointerup'): void {
  const over = new AbortController()
  const released = (event: Event): void => {
    over.abort()
    if (!button.isConnected && event.composedPath().includes(element)) open()
  }
  document.addEventListener(release, released, { signal: over.signal })
  document.addEventListener('pointercancel', () => over.abort(), { signal: over.signal })
}

function show(): void {
  for (const { name, value } of script.attributes)
    if (name.startsWith('data-')) element.setAttribute(name.slice('data-'.length), value)
  const named = element.getAttribute('service') ?? address.origin
  const service = serviceOrigin(named, document.baseURI)
  if (service === null)
    return tellDeveloper(`widget.js is unable to show the chat; data-service "${named}" is not an address`)
  element.setAttribute('service', service)
  if (!element.isConnected) document.body.append(element)
  applyLook(element)
  drawButton()
  const style = new CSSStyleSheet()
  style.replaceSync(launcherCss)
  const root = element.attachShadow({ mode: 'open' })
  root.adoptedStyleSheets = [style]
  root.append(button)
  button.addEventListener('click', open)
  button.addEventListener('pointerdown', () => pressed('pointerup'))
  button.addEventListener('keydown', ({ key, repeat }) => key === ' ' && !repeat && pressed('keyup'))
  button.addEventListener('focus', prepare)
  document.addEventListener('pointermove', near, { passive: true })
  if (hasOpenContact(service)) prepare()
  const queued = globalThis.DuologWidget?.q ?? []
  const host = { element, load, isLoaded: () => isLoaded }
  globalThis.DuologWidget = (...command: readonly unknown[]) => run(host, command)
  for (const name of METHODS) element[name] ??= (value?: string) => run(host, [name, value])
  for (const command of Array.from(queued)) run(host, Array.from(command))
}

if (document.body) show()
else document.addEventListener('DOMContentLoaded', show, { once: true })
