/** Runs at once, inside the caller's user gesture; what `run` throws is a rejection. */
export const atOnce = async <T>(run: () => T | Promise<T>): Promise<T> => await run()
