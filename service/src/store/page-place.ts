import { ContactError } from '../../../protocol/index.ts'

/** Where a page of a list of contacts ends: the next one begins beyond it. */
export interface PagePlace {
  readonly created: number
  readonly id: string
}

export const placeName = ({ created, id }: PagePlace): string => `${created}:${id}`

/**
 * The place of that name. `start`: that of the first page; `member`: of the call, for the error.
 *
 * @throws {@link ContactError} `invalid_argument`
 */
export function placeNamed(name: string | undefined, start: PagePlace, member: string): PagePlace {
  if (name === undefined) return start
  const [, created, id] = /^(\d{1,15}):(.+)$/.exec(name) ?? []
  if (created === undefined || id === undefined)
    throw new ContactError(
      'invalid_argument',
      `unable to list the contacts; \`${member}\` is not from a page before`,
    )
  return { created: Number(created), id }
}
