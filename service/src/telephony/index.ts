export { loadGateway } from './load-gateway.ts'
export type { PhoneCalls } from './phone-calls.ts'
export { createPhones } from './create-phones.ts'
export type { PhoneCall, PhoneEvents, TelephonyGateway } from './telephony-gateway.ts'
