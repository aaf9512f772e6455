/** The published JSON Schemas, as an application's own validator reads them. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import type { ContactData } from '../../protocol/index.ts'

const folder = fileURLToPath(new URL('../../docs/schema', import.meta.url))
const ajv = new Ajv({ allErrors: true, strictRequired: true })

/** A schema of `docs/schema`, by the name of its file. */
export const published = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(`${folder}/${name}.json`, 'utf8')) as Record<string, unknown>

export const schemas = {
  record: ajv.compile(published('contact-data')),
  visit: ajv.compile(published('visit-data')),
  collection: ajv.compile(published('data-collection')),
}

/** What is wrong with a record by the schemas. */
export function recordFaults(data: ContactData): unknown[] {
  const plain = JSON.parse(JSON.stringify(data)) as ContactData
  schemas.record(plain)
  schemas.visit(plain.visit)
  schemas.collection(plain.data)
  return Object.values(schemas).flatMap(({ errors }) => errors ?? [])
}
