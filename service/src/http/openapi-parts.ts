/** What the descriptions of the HTTP routes are made of. */
export const text = { type: 'string' } as const
export const count = { type: 'integer', minimum: 0 } as const
export const object = (properties: Readonly<Record<string, unknown>>, optional: readonly string[] = []) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
})
export const json = (schema: unknown) => ({ 'application/json': { schema } })
export const ok = (description: string, schema: unknown, status = '200') => ({
  [status]: { description, content: json(schema) },
})
export const error = { $ref: '#/components/responses/Error' }
const tooMany = { $ref: '#/components/responses/TooMany' }
export const errors = (...statuses: readonly number[]) =>
  Object.fromEntries(statuses.map((status) => [status, status === 429 ? tooMany : error]))
export const body = (schema: unknown) => ({ required: true, content: json(schema) })
export const inPath = (name: string, description: string) => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: text,
})
export const inQuery = (name: string) => ({ name, in: 'query', required: true, schema: text })
export const inHeader = (name: string, schema: unknown) => ({ name, in: 'header', required: true, schema })
export const page = (summary: string) => ({
  summary,
  tags: ['pages'],
  responses: { 200: { description: 'A page or a part of one' }, ...errors(404) },
})
