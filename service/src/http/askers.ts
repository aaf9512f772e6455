import type { FastifyRequest } from 'fastify'

const askers = new WeakMap<FastifyRequest, string>()

/** Who has asked, for the audit log: noted by the route that has checked it. */
export const noteAsker = (request: FastifyRequest, who: string): unknown => askers.set(request, who)

/** Null where nobody is known. */
export const askerOf = (request: FastifyRequest): string | null => askers.get(request) ?? null
