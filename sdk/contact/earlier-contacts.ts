/** So many transfers are gone back over: a service that names a cycle keeps no page at work for ever. */
export const MOST_TRANSFERS = 32
