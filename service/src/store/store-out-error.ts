import { ContactError } from '../../../protocol/index.ts'

/** The store is out, or belongs to another process at the moment: `offline` for who asks. */
export class StoreOutError extends ContactError {
  constructor(why: string, options?: ErrorOptions) {
    super('offline', `unable to reach the store; ${why}`, options)
  }
}
