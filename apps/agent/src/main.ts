import { DuologConsole } from './console.ts'

const parameters = new URLSearchParams(location.search)
const page = new DuologConsole()
page.service = location.origin
page.lang = parameters.get('lang') ?? ''
page.nick = parameters.get('nick')?.trim() || null
document.body.append(page)
