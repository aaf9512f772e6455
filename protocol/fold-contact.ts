import { foldEntry } from './contact-state.ts'
import type { ContactState, FoldedContact } from './contact-state.ts'
import { keyRules } from './key-phase.ts'
import type { Entry } from './log.ts'

/** Folds one entry into the contact. */
export const foldContact = (state: ContactState, entry: Entry): FoldedContact =>
  foldEntry(state, entry, keyRules)
