/** The media algebra: pure functions over media states, offers, answers and choices. */
export * from './media-offers.ts'
export * from './media-operations.ts'
export {
  clone,
  diff,
  holdsOf,
  isOn,
  mediaOn,
  meet,
  nativeOnly,
  normalize,
  sameMedia,
  stripData,
  swap,
} from './media-state.ts'
export { sameValue } from './plain-value.ts'
