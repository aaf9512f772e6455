import { errorsIt } from './errors-it.ts'
import { it } from './it.ts'
import { symbolsIt } from './symbols-it.ts'
import type { Table } from './table.ts'

export const tableIt: Table = { messages: it, errors: errorsIt, symbols: symbolsIt }
