/** One of the 64 symbols that people compare. */
export interface VerificationSymbol {
  /** A single code point that shows as an emoji by itself. */
  readonly symbol: string
  /** Its name in English: as it is, or the key of a translation. */
  readonly name: string
}

/**
 * What the numbers of a code mean, `verification.code.symbols`. The place of a symbol never changes: pages of
 * different versions compare the same ones.
 *
 * @example
 * ```ts
 * import { VERIFICATION_SYMBOLS } from 'duolog/symbols'
 *
 * for (const place of contact.verification?.code?.symbols ?? []) {
 *   const { symbol, name } = VERIFICATION_SYMBOLS[place]!
 *   console.log(symbol, name)
 * }
 * ```
 */
export const VERIFICATION_SYMBOLS: readonly VerificationSymbol[] = [
  // §6
  { symbol: '🐕', name: 'dog' },
  { symbol: '🐈', name: 'cat' },
  { symbol: '🐎', name: 'horse' },
  { symbol: '🐄', name: 'cow' },
  { symbol: '🐖', name: 'pig' },
  { symbol: '🐘', name: 'elephant' },
  { symbol: '🐇', name: 'rabbit' },
  { symbol: '🐓', name: 'rooster' },
  { symbol: '🐧', name: 'penguin' },
  { symbol: '🐢', name: 'turtle' },
  { symbol: '🐟', name: 'fish' },
  { symbol: '🐙', name: 'octopus' },
  { symbol: '🦋', name: 'butterfly' },
  { symbol: '🐝', name: 'bee' },
  { symbol: '🐌', name: 'snail' },
  { symbol: '🦁', name: 'lion' },
  { symbol: '🌵', name: 'cactus' },
  { symbol: '🌲', name: 'tree' },
  { symbol: '🌻', name: 'sunflower' },
  { symbol: '🍄', name: 'mushroom' },
  { symbol: '🍁', name: 'leaf' },
  { symbol: '🌙', name: 'moon' },
  { symbol: '⭐', name: 'star' },
  { symbol: '🔥', name: 'fire' },
  { symbol: '🌈', name: 'rainbow' },
  { symbol: '⚡', name: 'lightning' },
  { symbol: '💧', name: 'drop' },
  { symbol: '🍎', name: 'apple' },
  { symbol: '🍌', name: 'banana' },
  { symbol: '🍇', name: 'grapes' },
  { symbol: '🍓', name: 'strawberry' },
  { symbol: '🌽', name: 'corn' },
  { symbol: '🍕', name: 'pizza' },
  { symbol: '🍞', name: 'bread' },
  { symbol: '🧀', name: 'cheese' },
  { symbol: '🎂', name: 'cake' },
  { symbol: '🥕', name: 'carrot' },
  { symbol: '🎩', name: 'hat' },
  { symbol: '👓', name: 'glasses' },
  { symbol: '☔', name: 'umbrella' },
  { symbol: '🔑', name: 'key' },
  { symbol: '🔔', name: 'bell' },
  { symbol: '🔨', name: 'hammer' },
  { symbol: '📖', name: 'book' },
  { symbol: '💡', name: 'light bulb' },
  { symbol: '⏰', name: 'clock' },
  { symbol: '🎁', name: 'gift' },
  { symbol: '🎈', name: 'balloon' },
  { symbol: '🎸', name: 'guitar' },
  { symbol: '🎺', name: 'trumpet' },
  { symbol: '🏆', name: 'trophy' },
  { symbol: '⚽', name: 'ball' },
  { symbol: '🚗', name: 'car' },
  { symbol: '🚲', name: 'bicycle' },
  { symbol: '🚂', name: 'train' },
  { symbol: '🚀', name: 'rocket' },
  { symbol: '⛵', name: 'sailboat' },
  { symbol: '⚓', name: 'anchor' },
  { symbol: '🏠', name: 'house' },
  { symbol: '🚩', name: 'flag' },
  { symbol: '📷', name: 'camera' },
  { symbol: '📞', name: 'telephone' },
  { symbol: '🎲', name: 'dice' },
  { symbol: '👑', name: 'crown' },
]
