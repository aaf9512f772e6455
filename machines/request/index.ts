export { requestMachine } from './request.machine.ts'
export type { RequestActor, RequestSnapshot } from './request.machine.ts'
export type {
  RequestAnswer,
  RequestContext,
  RequestEmitted,
  RequestEvent,
  RequestInput,
  RequestOutcome,
} from './request.types.ts'
