import { Alerts, NO_NEWS, pageAlerts } from '../../ui/src/index.ts'
import type { Words } from '../../ui/src/index.ts'
import { AlertSettings } from './alert-settings.ts'
import type { ConsoleModel } from './console-model.ts'
import { contactOf, newsOf } from './console-news.ts'

/** Calls the agent to what is new, as they want to be called. */
export class ConsoleAlerts {
  readonly settings = new AlertSettings()
  readonly #alerts: Alerts

  /** `onChosen`: the agent has chosen the notification of one of their contacts. */
  constructor(onChosen: (contact: string) => void) {
    this.#alerts = new Alerts(pageAlerts(), (id) => {
      const contact = contactOf(id)
      if (contact !== null) onChosen(contact)
    })
  }

  /** Tells of what is new; without a model, and where nobody is signed in, of nothing any more. */
  tell(model: ConsoleModel | undefined, words: Words): void {
    const { settings } = this
    settings.use(model?.identity?.agent.id ?? null)
    if (model?.phase !== 'signed-in') return this.#alerts.tell(NO_NEWS)
    const waiting = newsOf(model, words)
    const count = waiting.reduce((sum, each) => sum + each.count, 0)
    const { hasSound, hasNotices } = settings
    this.#alerts.tell({ count, waiting, hasSound, hasNotices })
  }
}
