/** The searches: each has to be complete within its budget; one that may stop says so in its name. */
import type { Slot } from '../../protocol/index.ts'
import type { PendingKind } from './memory.ts'
import type { Budget } from './option.ts'
import type { Start } from './starts.ts'

export interface Run {
  readonly name: string
  readonly start: Start
  readonly budget: Partial<Budget>
  /** Slot whose page writes what it likes. */
  readonly hostile?: Slot
  /** The service writes under the honest party's name, too: then only I7 can hold. */
  readonly forged?: boolean
  /** Voice can go over a telephone, too. */
  readonly telephone?: boolean
  /** Video and Screen can go over an engine beside the one of Voice. */
  readonly twoEngines?: boolean
  /** Offers that the SDK makes by itself; none without. */
  readonly pending?: PendingKind
  /**
   * Faults and hurries that are left out. The two sides are alike: what befalls the visitor could befall the
   * agent.
   */
  readonly without?: RegExp
  /** It may stop after so many states: part of its name. */
  readonly states?: number
}

const OF_AGENT = /^agent\d (engine|is closed|freezes|leaves|gets)|^service agent/

const NO_TABS = /^agent\d (engine|is closed|freezes|leaves|gets)|^service agent|second tab/

/** In CI, on every change; the small ones first. */
export const SHORT: readonly Run[] = [
  { name: 'a fault during a call', start: 'talking', budget: { faults: 1, hurries: 1 } },
  { name: 'a command from silence', start: 'silent', budget: { commands: 1 } },
  {
    name: 'a lost capture and a fault',
    start: 'talking',
    budget: { commands: 1, faults: 2 },
    without: /^(?!visitor\d (engine (loses|fails for good|is denied)|app (speaks|stops)))/,
  },
  {
    name: 'another tab and a restore',
    start: 'tabs',
    budget: { commands: 1, faults: 1 },
    without: /^(?!visitor\d engine breaks$|agent\d app offers to restore)/,
  },
  {
    name: 'a refusal beside another tab',
    start: 'tabs',
    budget: { commands: 1, faults: 1 },
    without: /^(?!visitor\d app (offers Voice|stops)|service refuses (offer|direct) of visitor)/,
  },
  { name: 'a tab that follows', start: 'displaced', budget: { faults: 1, hurries: 1 } },
  {
    name: 'a tab that follows, and takes over',
    start: 'displaced',
    budget: { commands: 1, faults: 1 },
    without: /^(?!.*(told|takes|closed|absent|engine breaks$|second tab))/,
  },
  { name: 'another page with the call', start: 'taken', budget: {} },
  { name: 'two pages open', start: 'empty', budget: { faults: 1 } },
  { name: 'two commands', start: 'idle', budget: { commands: 2 } },
  {
    name: 'a command and an engine',
    start: 'idle',
    budget: { commands: 1, faults: 1 },
    without: /^(?!.* (app|engine) )/,
  },
  {
    name: 'a command and an engine during a call',
    start: 'talking',
    budget: { commands: 1, faults: 1 },
    without: /^(?!.* (app|engine) )/,
  },
  {
    name: 'two commands beside a party that freezes',
    start: 'idle',
    budget: { commands: 2, faults: 1 },
    without: /^(?!.*( app | freezes))/,
  },
  {
    name: 'a hostile agent and a command',
    start: 'talking',
    budget: { commands: 1, words: 2 },
    hostile: 'agent',
  },
  {
    name: 'a hostile agent and two commands',
    start: 'talking',
    budget: { commands: 2, words: 1 },
    hostile: 'agent',
  },
  {
    name: 'a hostile agent and an absence',
    start: 'talking',
    budget: { faults: 1, words: 2 },
    hostile: 'agent',
    without: /^(?!.*( writes | is absent))/,
  },
  {
    name: 'a hostile agent and an engine',
    start: 'talking',
    budget: { commands: 1, faults: 1, words: 1 },
    hostile: 'agent',
    without: /^(?!.* (app|engine|writes) )/,
  },
  {
    name: 'a log that lies',
    start: 'talking',
    budget: { commands: 1, words: 2 },
    hostile: 'agent',
    forged: true,
  },
  {
    name: 'a log that lies about an answer',
    start: 'idle',
    budget: { words: 2 },
    hostile: 'agent',
    forged: true,
  },
  { name: 'two commands with a telephone', start: 'idle', budget: { commands: 2 }, telephone: true },
  {
    name: 'a telephone and a fault',
    start: 'idle',
    budget: { commands: 1, faults: 1 },
    telephone: true,
    without: /^(?!.*(telephone|engine|is closed|is absent))/,
  },
  {
    name: 'a log that lies about a telephone',
    start: 'idle',
    budget: { commands: 1, words: 2 },
    hostile: 'agent',
    forged: true,
    telephone: true,
  },
  {
    name: 'a telephone that is hung up, and another call',
    start: 'idle',
    budget: { commands: 2, faults: 1 },
    telephone: true,
    without: /^(?!.*( app offers a telephone|app answers yes|telephone is|engine fails$))/,
  },
  {
    name: 'a second engine',
    start: 'talking',
    budget: { commands: 1, faults: 1 },
    twoEngines: true,
    without: /^(?!.*( app .*second engine| engine ))/,
  },
  {
    name: 'the first offer, and a fault',
    start: 'empty',
    budget: { faults: 1 },
    pending: 'first',
    without: NO_TABS,
  },
  { name: 'the first offer, and a command', start: 'empty', budget: { commands: 1 }, pending: 'first' },
  {
    name: 'a call that comes back',
    start: 'talking',
    budget: { faults: 1, hurries: 1 },
    pending: 'restore',
    without: /^(?!visitor\d is closed|service visitor\d is absent|visitor\d time call.late)/,
  },
  {
    name: 'a call that comes back, and a command',
    start: 'talking',
    budget: { commands: 1, faults: 1 },
    pending: 'restore',
    without: /^(?!visitor\d is closed|service visitor\d is absent|.* app )/,
  },
  { name: 'a hostile visitor', start: 'idle', budget: { words: 3 }, hostile: 'visitor' },
  { name: 'a hostile agent during a call', start: 'talking', budget: { words: 3 }, hostile: 'agent' },
  { name: 'two faults during a call', start: 'talking', budget: { faults: 2 }, without: OF_AGENT },
  { name: 'two commands and a timer', start: 'idle', budget: { commands: 2, hurries: 1 } },
  { name: 'two commands during a call and a timer', start: 'talking', budget: { commands: 2, hurries: 1 } },
  {
    name: 'a refusal while the engines go back',
    start: 'talking',
    budget: { commands: 1, faults: 1, hurries: 1 },
    without: /^(?!visitor\d app turns|service refuses ready of visitor|agent\d time transitionLimit)/,
  },
  {
    name: 'a refusal while the engines go back to silence',
    start: 'idle',
    budget: { commands: 1, faults: 1, hurries: 1 },
    without:
      /^(?!visitor\d app offers Voice|agent\d app answers yes|service refuses failed of agent|agent\d time transitionLimit)/,
  },
  {
    name: 'a refusal while the engines go back from what a hostile agent had turned off',
    start: 'idle',
    budget: { commands: 1, faults: 1, words: 2 },
    hostile: 'agent',
    without: /^(?!.* writes |visitor\d app answers yes|service refuses ready of visitor)/,
  },
  { name: 'a command and a fault', start: 'idle', budget: { commands: 1, faults: 1 }, without: NO_TABS },
  {
    name: 'a command and a fault during a call',
    start: 'talking',
    budget: { commands: 1, faults: 1 },
    without: OF_AGENT,
  },
]

/** By `npm run model`. */
export const LONG: readonly Run[] = [
  {
    name: 'a tab that follows, a command and a fault',
    start: 'displaced',
    budget: { commands: 1, faults: 1 },
  },
  {
    name: 'tabs that are told wrongly',
    start: 'displaced',
    budget: { commands: 1, faults: 2, hurries: 1 },
    without: /^(?!.*(told|takes|time))/,
  },
  {
    name: 'a command and two absences',
    start: 'talking',
    budget: { commands: 1, faults: 2 },
    without: /^(?!.*( app | is absent))/,
  },
  { name: 'two pages open, a command and a fault', start: 'empty', budget: { commands: 1, faults: 1 } },
  { name: 'two pages open, two faults', start: 'empty', budget: { faults: 2 } },
  {
    name: 'two commands and an engine during a call',
    start: 'talking',
    budget: { commands: 2, faults: 1 },
    without: /^(?!.* (app|engine) )/,
  },
  { name: 'a command, a fault and a timer', start: 'idle', budget: { commands: 1, faults: 1, hurries: 1 } },
  {
    name: 'a command, a fault and a timer during a call',
    start: 'talking',
    budget: { commands: 1, faults: 1, hurries: 1 },
  },
  { name: 'a command, and any fault', start: 'idle', budget: { commands: 1, faults: 1 } },
  {
    name: 'two commands and a fault',
    start: 'idle',
    budget: { commands: 2, faults: 1 },
    without: OF_AGENT,
    states: 3_000_000,
  },
  {
    name: 'a command and two faults',
    start: 'talking',
    budget: { commands: 1, faults: 2 },
    without: OF_AGENT,
    states: 3_000_000,
  },
  {
    name: 'two commands and two faults of an engine during a call',
    start: 'talking',
    budget: { commands: 2, faults: 2 },
    without: /^(?!.* app |visitor\d engine )/,
  },
  {
    name: 'two commands and two faults',
    start: 'idle',
    budget: { commands: 2, faults: 2 },
    without: OF_AGENT,
    states: 3_000_000,
  },
  {
    name: 'a hostile visitor that writes much',
    start: 'talking',
    budget: { words: 4, hurries: 1 },
    hostile: 'visitor',
  },
  {
    name: 'a hostile agent, commands and a fault',
    start: 'idle',
    budget: { commands: 2, faults: 1, words: 2 },
    hostile: 'agent',
    states: 3_000_000,
  },
]
