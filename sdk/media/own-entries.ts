import { fromCallback } from 'xstate'
import type { WriteCommand } from '../../machines/media/index.ts'
import type { ContactError, UnsentEntry } from '../../protocol/index.ts'
import { randomName } from '../values/random-id.ts'

/** Hands an entry to the outbox. */
export type Write = (
  entry: UnsentEntry,
  onRefused: (error: ContactError) => void,
  /** It goes on under another id. */
  onId?: (id: string) => void,
) => void

/** Who writes. */
interface Writer {
  /** Whether this machine may write still. */
  readonly isWanted: () => boolean
  /** The service does not take an entry; `id`: what the machine calls it. */
  readonly onRefused: (id: string, error: ContactError) => void
}

/**
 * The entries that media machines write. In the log they have ids of their own: those of a machine can be guessed
 * from the session, so the remote could take them for entries of its own.
 */
export class OwnEntries {
  readonly #write: Write
  /** By its id in the log: what the machine calls an entry. */
  readonly #names = new Map<string, string>()
  /** The next entry is written already, under this id; null where it was read, too. */
  #adopted: string | null | undefined

  constructor(write: Write) {
    this.#write = write
  }

  /** The next machine's `present` is in the log, or on its way there. */
  adopt(present: string | null): void {
    this.#adopted = present
  }

  /** What the machine calls an entry of the log, which is asked for once; undefined for one of others. */
  forget(id: string): string | undefined {
    const name = this.#names.get(id)
    this.#names.delete(id)
    return name
  }

  /** An entry goes on under another id. */
  renamed = (id: string, fresh: string): void => {
    const name = this.forget(id)
    if (name !== undefined) this.#names.set(fresh, name)
  }

  /** The actor to which a machine hands its entries. */
  actor = ({ isWanted, onRefused }: Writer) =>
    fromCallback<WriteCommand>(({ receive }) =>
      receive(({ entry }) => {
        if (!isWanted()) return
        const adopted = this.#adopted
        this.#adopted = undefined
        if (adopted !== undefined) {
          if (adopted !== null) this.#names.set(adopted, entry.id)
          return
        }
        const id = randomName()
        this.#names.set(id, entry.id)
        let now = id
        const refused = (error: ContactError): void => {
          this.#names.delete(now)
          onRefused(entry.id, error)
        }
        this.#write({ ...entry, id }, refused, (fresh) => {
          this.renamed(now, fresh)
          now = fresh
        })
      }),
    )
}
