/** The modules under test as they are in the tree. */
export * as machines from '../../machines/index.ts'
export * as protocol from '../../protocol/index.ts'
export * as telephone from '../../sdk/media/phone.ts'
