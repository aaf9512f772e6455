/** What a page may do by itself: its engines, its application, its timers. */
import { applicationOptions } from './application-options.ts'
import { engineOptions } from './engine-options.ts'
import { isIn } from './local.ts'
import type { Local, Production } from './local.ts'
import type { Option } from './option.ts'

export function optionsOf(production: Production, local: Local, name: string): Option[] {
  if (local.life !== 'live' || isIn(local, 'init', 'closed')) return []
  return [...engineOptions(local), ...applicationOptions(production, local, name), ...timers(local)]
}

function timers(local: Local): Option[] {
  return local.timers.map((type) => {
    const left = local.timers.filter((one) => one !== type)
    const change = {
      timers: left,
      ...(type === 'window.closed' && { window: [] }),
      ...(type === 'call.late' && local.comesBack && { comesBack: { ...local.comesBack, isLate: true } }),
      ...(type.includes('answerLimit') && { asked: [] }),
    }
    return {
      name: `time ${type.replace('xstate.after.', '').replace('.media', ' in ')}`,
      kind: 'time' as const,
      cost: 'hurries' as const,
      progress: true,
      change,
      event: { type },
    }
  })
}
