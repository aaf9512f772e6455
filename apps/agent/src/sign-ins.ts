import { untilDecided } from '../../ui/src/index.ts'
import { keptIdentity, signInLocally } from './identity.ts'
import type { Identity } from './identity.ts'
import { ParentTokens } from './parent-tokens.ts'
import { agentOf, endToken, signInWay } from './sign-in-way.ts'
import type { SignInWay } from './sign-in-way.ts'
import type { TokenSource } from './token-source.ts'

/** Loaded where agents sign in at a provider. */
const oidc = () => import('./oidc.ts')

/** An agent who has signed in by tokens of somebody else. */
export interface SignedIn {
  readonly source: TokenSource
  readonly agent: Identity['agent']
}

/** How agents sign in to a service: at a provider, by tokens of an embedding page, or under a name. */
export class SignIns {
  readonly #service: string
  /** The application gives the tokens. */
  readonly #given: TokenSource | null
  #way: SignInWay | null = null
  #isLocal = false
  #wasSignedIn = false

  constructor(service: string, given: TokenSource | null) {
    this.#service = service
    this.#given = given
  }

  /** Null: not known yet. */
  get way(): SignInWay['way'] | null {
    if (this.#given) return 'token'
    return this.#way?.way ?? (this.#isLocal ? 'nick' : null)
  }

  /** Whether an earlier page of this tab was signed in, by tokens. */
  get wasSignedIn(): boolean {
    return this.#wasSignedIn
  }

  /** The name under which an agent has signed in on an earlier page of this tab; `nick` where it is to be that. */
  kept(nick: string | null): Identity | null {
    const kept = this.#given ? null : keptIdentity()
    const found = kept && (nick === null || nick === kept.agent.nick) ? kept : null
    this.#isLocal ||= found !== null
    return found
  }

  /** Signs in under a name. */
  locally(nick: string): Promise<Identity> {
    this.#isLocal = true
    return signInLocally(this.#service, nick)
  }

  /**
   * Who has signed in already, on an earlier page of this tab or at the provider that has sent the agent here;
   * null where nobody has. Waits for a service that cannot be reached.
   */
  async find(signal: AbortSignal, onUndecided: (thrown: unknown) => void): Promise<SignedIn | null> {
    const asking = { signal, onUndecided }
    if (!this.#given) this.#way ??= await untilDecided(() => signInWay(this.#service), asking)
    const source = this.#given ?? (await this.#source(this.#way as SignInWay))
    if (!source) return null
    const agent = await untilDecided(async () => agentOf(this.#service, await source.token()), asking)
    return { source: endingToo(source, this.#service), agent }
  }

  /** Sends the agent to the provider; `asOther`: where it asks who they are, also of who has signed in there. */
  async begin(asOther: boolean): Promise<void> {
    const way = this.#way
    if (way?.way === 'oidc') await (await oidc()).beginSignIn(way, asOther)
  }

  async #source(way: SignInWay): Promise<TokenSource | null> {
    if (way.parents.length > 0 && window.parent !== window)
      return new ParentTokens(way.parents, window.parent)
    if (way.way !== 'oidc') return null
    const { isReturn, finishSignIn, keptSession } = await oidc()
    if (isReturn()) return finishSignIn(way)
    const kept = keptSession(way)
    this.#wasSignedIn = kept !== null
    return kept
  }
}

/** The service hears first that a token is over: the source may leave the page. */
const endingToo = (source: TokenSource, service: string): TokenSource => ({
  token: (refused) => source.token(refused),
  forget: () => source.forget(),
  signOut: async () => {
    const token = await source.token().catch(() => null)
    if (token !== null) await endToken(service, token)
    await source.signOut()
  },
})
