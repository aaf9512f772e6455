import { deaf, otherwise, provided, unasked, without, withoutAction } from './chart.ts'
import type { Mutation } from './mutations.ts'

/** Rows of the chart: the other's offer, and a transition. */
export const ENDS: readonly Mutation[] = [
  {
    id: 'M20',
    safeguard: 'C7: the answerer has a limit, too',
    scenarios: ['D8'],
    run: 'two commands beside a party that freezes',
    change: without({ state: 'offered', event: 'answerLimit' }),
  },
  {
    id: 'M92',
    safeguard: 'C7: the answerer waits 5 s longer than the offerer',
    run: 'a command from silence',
    change: provided({
      delays: {
        answerLimit: ({ context: { shared } }) =>
          shared.phase.name === 'offered' ? shared.phase.lifetime : 0,
      },
    }),
  },
  {
    id: 'M93',
    safeguard: 'the answerer waits as long as the offer says',
    run: 'a command from silence',
    change: provided({ delays: { answerLimit: 65_000 } }),
  },
  {
    id: 'M33',
    safeguard: 'an answer to another offer is ignored',
    run: 'two commands',
    change: unasked({ state: 'offered', event: 'media.answer' }),
  },
  {
    id: 'M34',
    safeguard: 'a rejection of another offer is ignored',
    run: 'two commands',
    change: unasked({ state: 'offered', event: 'media.reject' }),
  },
  {
    id: 'M49',
    safeguard: 'an answered offer is not offered',
    run: 'a fault during a call',
    change: otherwise({ state: 'offered', event: 'media.answer' }, { target: undefined }),
  },
  {
    id: 'M82',
    safeguard: "devices are acquired while the user's click lasts",
    run: 'a fault during a call',
    change: withoutAction({ state: 'offered', event: 'media.answer' }, 'prepare'),
  },
  {
    id: 'M83',
    safeguard: 'an answer that this page never gave is refused',
    run: 'a log that lies',
    change: deaf({ state: 'offered', event: 'always' }, 'log.transiting'),
  },
  {
    id: 'M84',
    safeguard: 'an offer may be withdrawn',
    run: 'a command from silence',
    change: deaf({ state: 'offered', event: 'always' }, 'log.ended'),
  },
  {
    id: 'M44',
    safeguard: 'an offer may end by absence',
    run: 'a command and an engine',
    change: deaf({ state: 'offered', event: 'always' }, 'log.partyChanged'),
  },
  {
    id: 'M85',
    safeguard: 'what was answered is worked for',
    run: 'a fault during a call',
    change: deaf({ state: 'transiting.answered', event: 'always' }, 'log.transiting'),
  },
  {
    id: 'M86',
    safeguard: 'an answered offer may be withdrawn',
    run: 'a command from silence',
    change: deaf({ state: 'transiting.answered', event: 'always' }, 'log.ended'),
  },
  {
    id: 'M32',
    safeguard: 'an answered offer may end by absence',
    run: 'a command and an engine',
    change: deaf({ state: 'transiting.answered', event: 'always' }, 'log.partyChanged'),
  },
  {
    id: 'M21',
    safeguard: 'work has a limit',
    scenarios: ['CE-26'],
    run: 'a hostile agent and an engine',
    change: without({ state: 'transiting.working', event: 'transitionLimit' }),
  },
  {
    id: 'M35',
    safeguard: 'work for another transition is not ready',
    run: 'a command and an engine',
    change: unasked({ state: 'transiting.working', event: 'engine.worked' }),
  },
  {
    id: 'M36',
    safeguard: 'a failure of another transition is none',
    run: 'a command and an engine',
    change: unasked({ state: 'transiting.working', event: 'engine.failed' }),
  },
  {
    id: 'M24',
    safeguard: 'a failure is told',
    scenarios: ['CE-4'],
    run: 'a lost capture and a fault',
    change: withoutAction({ state: 'transiting.working', event: 'engine.failed' }, 'reportFailure'),
  },
  {
    id: 'M87',
    safeguard: 'a failure is undone',
    run: 'a lost capture and a fault',
    change: withoutAction({ state: 'transiting.working', event: 'engine.failed' }, 'undo'),
  },
  {
    id: 'M26',
    safeguard: 'E0: work that nobody wants is cancelled',
    scenarios: ['CE-14'],
    run: 'a command and an engine',
    change: without({ state: 'transiting.working', event: 'log.ended' }),
  },
  {
    id: 'M27',
    safeguard: 'E0: work for a party that is gone is cancelled',
    run: 'another tab and a restore',
    change: without({ state: 'transiting.working', event: 'log.partyChanged' }),
  },
  {
    id: 'M22',
    safeguard: 'waiting for the other has a limit',
    scenarios: ['CE-16'],
    run: 'two commands beside a party that freezes',
    change: without({ state: 'transiting.awaiting', event: 'transitionLimit' }),
  },
  {
    id: 'M23',
    safeguard: 'E3: who is ready stays so until the log decides',
    scenarios: ['CE-3'],
    run: 'a fault during a call',
    change: otherwise(
      { state: 'transiting.awaiting', event: 'transitionLimit' },
      { target: 'undoing', actions: [{ type: 'reportFailure', params: 'timeout' }, 'undo'] },
    ),
  },
  {
    id: 'M88',
    safeguard: 'who is ready reads the commit',
    run: 'a fault during a call',
    change: deaf({ state: 'transiting.awaiting', event: 'always' }, 'log.committed'),
  },
  {
    id: 'M28',
    safeguard: 'who is ready goes back when the transition ends',
    run: 'a fault during a call',
    change: deaf({ state: 'transiting.awaiting', event: 'always' }, 'log.ended'),
  },
  {
    id: 'M29',
    safeguard: 'who is ready goes back when the other is gone',
    run: 'another tab and a restore',
    change: deaf({ state: 'transiting.awaiting', event: 'always' }, 'log.partyChanged'),
  },
  {
    id: 'M89',
    safeguard: 'who has undone goes on',
    run: 'a fault during a call',
    change: without({ state: 'transiting.undoing', event: 'engine.undone' }),
  },
  {
    id: 'M90',
    safeguard: 'a failed transition ends by its failure',
    run: 'a fault during a call',
    change: deaf({ state: 'transiting.failing', event: 'always' }, 'log.ended'),
  },
  {
    id: 'M31',
    safeguard: 'a failed transition may end by absence',
    run: 'a hostile agent and an engine',
    change: deaf({ state: 'transiting.failing', event: 'always' }, 'log.partyChanged'),
  },
  {
    id: 'M91',
    safeguard: 'engines that have gone back meanwhile need not go back again',
    run: 'a refusal while the engines go back to silence',
    change: without({ state: 'init.reannouncing', event: 'engine.undone' }),
  },
]
