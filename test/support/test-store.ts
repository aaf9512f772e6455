import { afterAll, beforeAll } from 'vitest'
import { openDatabase } from '../../service/src/store/database.ts'
import type { Database } from '../../service/src/store/database.ts'
import { preparedData } from './prepared-store.ts'

/** A store of its own for the tests of a file, while they run. */
export function testStore(): () => Database {
  const data = preparedData()
  let store: Database
  beforeAll(async () => {
    store = await openDatabase({ data: data.folder, databaseUrl: null })
  })
  afterAll(async () => {
    await store.close()
    data.remove()
  })
  return () => store
}
