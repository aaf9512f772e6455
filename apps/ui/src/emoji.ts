/**
 * The emoji that can be chosen, by group. A small list of our own: screen readers say the names of the symbols in the
 * reader's language, and the system draws them, so that neither names nor pictures need to be loaded.
 */
import type { MessageKey } from './messages/en.ts'

const of = (symbols: string): readonly string[] => symbols.split(' ')

export const EMOJI: readonly (readonly [name: MessageKey, symbols: readonly string[]])[] = [
  [
    'emojiFaces',
    of(
      '😀 😃 😄 😁 😅 😂 🙂 😉 😊 😇 🥰 😍 😘 😋 😜 🤔 🤨 😐 😏 🙄 😬 😌 😴 😷 🤒 🥳 😎 🤓 😕 😟 🙁 😮 😳 🥺 😢 😭 😱 😞 😓 😤 😡 🤯',
    ),
  ],
  ['emojiHands', of('👍 👎 👌 👏 🙏 🙌 👋 🤝 💪 ✌️ 🤞 👆 👇 👈 👉 ✋ 👀 🤷 🤦 🙋')],
  ['emojiSymbols', of('❤️ 🧡 💛 💚 💙 💜 🖤 💔 ✨ ⭐ 🔥 🎉 🎂 🎁 ✅ ❌ ❓ ❗ ⚠️ 💯 ⏰ 🔔 🔒 💡')],
  ['emojiThings', of('🏠 🏢 🚗 🚌 🚆 ✈️ 🚚 📦 🛒 💶 💳 📱 💻 🖨️ 📷 📞 📧 📄 📅 📍 🔑 🔧 🛋️ 🪑')],
  ['emojiNature', of('🌞 🌧️ ❄️ 🌈 🌍 🌱 🌳 🌸 🌹 🐶 🐱 🐭 🐦 🐟 🐝 🦋')],
  ['emojiFood', of('☕ 🍵 🥤 🍷 🍺 🍎 🍌 🍓 🍅 🥐 🍞 🧀 🍕 🍝 🍰 🍦')],
]
