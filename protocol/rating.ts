/** How a visitor rates a contact that is over: as a form of its record. */
import type { DataCollection, DataField } from './contact-data.ts'

/** What a visitor says of a contact that is over. */
export interface Rating {
  /** From 1, the worst, to 5, the best. */
  readonly score: number
  /** In their own words, at most 2,048 characters. Not of a secure contact: it would not be encrypted. */
  readonly comment?: string
}

/** Name of the form in which a rating stands, and of its fields. */
const FORM = 'rating'
const FIELDS = ['score', 'comment']

/** The forms of a contact with the visitor's rating in the form `rating`, in the place of an earlier one. */
export function withRating(data: DataCollection, { score, comment }: Rating): DataCollection {
  const fields: readonly DataField[] = [
    { name: 'score', type: 'number', value: score, visible: true, editable: false },
    ...(comment === undefined
      ? []
      : [{ name: 'comment', type: 'text', value: comment, visible: true, editable: false } as const]),
  ]
  const before = data.find(({ name }) => name === FORM)
  const rated = {
    ...before,
    name: FORM,
    data: [...(before?.data ?? []).filter(({ name }) => !FIELDS.includes(name)), ...fields],
  }
  return before ? data.map((form) => (form === before ? rated : form)) : [...data, rated]
}

/** The rating in the forms of a contact; null where there is none. */
export function ratingIn(data: DataCollection): Rating | null {
  const fields = data.find(({ name }) => name === FORM)?.data ?? []
  const valueOf = (field: string): unknown => fields.find(({ name }) => name === field)?.value
  const [score, comment] = FIELDS.map(valueOf)
  if (typeof score !== 'number' || !Number.isInteger(score) || score < 1 || score > 5) return null
  return { score, ...(typeof comment === 'string' && { comment }) }
}
