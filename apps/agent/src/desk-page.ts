/** What is shown in place of a conversation, and the dialog of the canned replies: loaded when they are asked for. */
import { html } from 'lit'
import type { TemplateResult } from 'lit'
import type { Agent } from 'duolog/agent'
import type { DeskWords } from '../../ui/src/index.ts'
import { loadPart } from './late-desk.ts'
import type { DeskView } from './side-view.ts'

interface DeskPage {
  readonly agent: Agent | null
  readonly rights: readonly string[]
  readonly words: DeskWords
  readonly onClosed: () => void
}

export function deskPage(view: DeskView, { agent, rights, words, onClosed }: DeskPage): TemplateResult {
  void loadPart(view).catch(() => undefined)
  if (view === 'past')
    return html`<duolog-past .agent=${agent} .words=${words} @view-closed=${onClosed}></duolog-past>`
  return html`<duolog-supervisor
    .agent=${agent}
    .words=${words}
    .mayListen=${rights.includes('listen')}
    @view-closed=${onClosed}
  ></duolog-supervisor>`
}

/** Rejects where the dialog cannot be loaded. */
export async function openReplies(root: ParentNode): Promise<void> {
  await loadPart('replies')
  const { RepliesElement } = await import('./replies-element.ts')
  const dialog = root.querySelector('duolog-replies')
  if (dialog instanceof RepliesElement) await dialog.open()
}
