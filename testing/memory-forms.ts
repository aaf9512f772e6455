import { emailIn, judgeEdit, visibleToAgent, withEdit, withRating } from '../protocol/index.ts'
import type { DataCollection, Rating, ServiceBodies, Slot } from '../protocol/index.ts'

/** The forms of one contact of the service in memory. */
export class MemoryForms {
  all: DataCollection

  constructor(data: DataCollection) {
    this.all = data
  }

  /** The visitor's e-mail address, where a form has it. */
  get email(): string | undefined {
    return emailIn(this.all)
  }

  /** What a party may see. */
  for = (reader: Slot): DataCollection => (reader === 'agent' ? visibleToAgent(this.all) : this.all)

  /**
   * An agent changes a field: the change as it is written, or null.
   * @throws ContactError `not_found`, `forbidden`, `invalid_argument`, `too_large`
   */
  edit(asked: Omit<ServiceBodies['datachange'], 'original'>): ServiceBodies['datachange'] | null {
    const edit = judgeEdit(this.all, asked)
    if (edit) this.all = withEdit(this.all, edit)
    return edit
  }
  /** The visitor rates the contact. */
  rate(rating: Rating): void {
    this.all = withRating(this.all, rating)
  }
}
