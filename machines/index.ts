/**
 * The state machines, for tools and tests.
 *
 * @module duolog/machines
 */
export * from './eager.ts'
export * from './channel/index.ts'
export * from './encryption/index.ts'
export * from './media/index.ts'
export * from './request/index.ts'
export * from './upload/index.ts'
