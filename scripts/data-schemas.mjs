/**
 * `npm run schemas`: writes `docs/schema/*.json`, the JSON Schemas (draft-07) of what `contact.data()` gives.
 * They are made from the schemas by which the SDK and the service check it; the prose is that of the public
 * types. A test compares them.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { toJsonSchema } from '@valibot/to-json-schema'
import { interfaceProse } from './contact-interface.mjs'
import { forgetSources, loadSource } from './load-source.mjs'
import { inRoot, isMain } from './run.mjs'

/**
 * @typedef {Parameters<typeof toJsonSchema>[0]} Schema
 * @typedef {ReturnType<typeof toJsonSchema>} JsonSchema
 * @typedef {{ field: Schema, backEndRecord: Schema & { entries: Record<string, Schema> } }} Wire
 */

const FOLDER = inRoot('docs', 'schema')
/** What JSON Schema cannot say. `check` and `transform` add nothing to the shape. */
const UNSAID = new Set(['check', 'transform', 'safe_integer', 'finite'])

/** @param {JsonSchema} schema @param {string} name of the interface */
function withProse(schema, name) {
  const { about, members } = interfaceProse(['protocol', 'contact-data.ts'], name)
  for (const [member, text] of members)
    Object.assign(Object(schema.properties?.[member]), { description: text })
  return { description: about, ...schema }
}

/**
 * @param {Schema} schema
 * @param {(schema: Schema) => JsonSchema | undefined} [instead]
 * @returns {JsonSchema}
 */
function convert(schema, instead = () => undefined) {
  const { $schema: _, ...converted } = toJsonSchema(schema, {
    errorMode: 'ignore',
    overrideSchema: ({ valibotSchema, jsonSchema }) =>
      instead(valibotSchema) ?? (valibotSchema.type === 'custom' ? {} : jsonSchema),
    overrideAction({ valibotAction, jsonSchema }) {
      if ('requirement' in valibotAction && valibotAction.type === 'max_bytes')
        return { ...jsonSchema, maxLength: Number(valibotAction.requirement) }
      return UNSAID.has(valibotAction.type)
        ? { ...jsonSchema, ...(valibotAction.type === 'safe_integer' && { type: 'integer' }) }
        : undefined
    },
  })
  return converted
}

/**
 * A field holds what its type says, or nothing.
 * @param {JsonSchema} shape
 * @param {Record<string, Schema>} values
 * @returns {JsonSchema}
 */
function fieldSchema(shape, values) {
  const kinds = Object.entries(values).map(([type, schema]) => {
    const held = convert(schema)
    const heldOrEmpty = { anyOf: [held, { enum: [null, ''] }] }
    return {
      properties: {
        type: { const: type },
        ...(type === 'checkbox'
          ? { checked: held, original: held }
          : { value: heldOrEmpty, original: heldOrEmpty }),
      },
    }
  })
  return { ...withProse(shape, 'DataField'), oneOf: kinds }
}

/**
 * Every schema by the name of its file.
 * @returns {Promise<Record<string, JsonSchema>>}
 */
export async function dataSchemas() {
  /** @param {string} file */
  const load = (file) => loadSource(file, { valibot: true })
  const { field, backEndRecord } = /** @type {Wire} */ (await load('protocol/back-end-record.ts'))
  const { fieldValues } = /** @type {{ fieldValues: Record<string, Schema> }} */ (
    await load('protocol/field-rules.ts')
  )
  /** @param {Schema} schema @param {string} title @param {readonly string[]} interfaces whose prose it has */
  const published = (schema, title, interfaces = []) => {
    const converted = convert(schema, (one) =>
      one === field ? fieldSchema(convert(field), fieldValues) : undefined,
    )
    return {
      $schema: 'http://json-schema.org/draft-07/schema#',
      title,
      ...interfaces.reduce(withProse, converted),
    }
  }
  const { data, visit } = backEndRecord.entries
  if (!data || !visit) throw new Error('the record has no data or no visit')
  return {
    'contact-data': published(backEndRecord, 'ContactData', ['ContactData', 'BackEndFacts']),
    'visit-data': published(visit, 'VisitData', ['VisitData']),
    'data-collection': published(data, 'DataCollection'),
  }
}

async function main() {
  mkdirSync(FOLDER, { recursive: true })
  for (const [name, schema] of Object.entries(await dataSchemas()))
    writeFileSync(`${FOLDER}/${name}.json`, `${JSON.stringify(schema, null, 2)}\n`)
  await forgetSources()
}

if (isMain(import.meta.url)) await main()
