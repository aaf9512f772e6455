export { TelephonyEngine } from './telephony-engine.ts'
