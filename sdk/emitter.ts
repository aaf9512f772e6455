import mitt from 'mitt'

/** mitt, whose declarations describe its default export for CommonJS only. */
export const createEmitter = mitt as unknown as typeof mitt.default
