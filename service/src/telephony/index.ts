export { loadGateway } from './load-gateway.ts'
export { PhoneCalls } from './phone-calls.ts'
export type { PhoneCall, PhoneEvents, TelephonyGateway } from './telephony-gateway.ts'
