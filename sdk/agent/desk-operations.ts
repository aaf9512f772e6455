import type { Calls, CannedReply, ContactSearch, DeskOverview } from '../../protocol/index.ts'

/** Past contacts that were found: `next` is the `before` of the next page. */
export type FoundPage = Calls['agent.search']['result']

/** Where reading begins. */
export interface ReadOptions {
  /** `last` of the page before; 0: from the start. */
  readonly after?: number
}

/** Texts that were read. `last`: where the next page begins; `isMore`: there are more already. */
export type ReadPage = Calls['agent.read']['result']

/** What an agent asks beside the contacts that they have. */
export interface DeskOperations {
  /**
   * The canned replies of the organisation, as the service was given them.
   *
   * @throws {@link ContactError} `offline`, `left`
   * @example
   * ```ts
   * for (const { shortcut, text } of await agent.replies()) console.log(`/${shortcut}`, text)
   * ```
   */
  replies(): Promise<readonly CannedReply[]>

  /**
   * Searches the ended contacts of this agent, the newest first, 20 at a time; not those that they have handed
   * on. A page looks at 500 contacts and 20,000 entries at most: one without contacts can have a `next`. The
   * text of a secure contact is not found.
   *
   * @throws {@link ContactError} `invalid_argument`, `too_large`, `offline`, `left`
   * @example
   * ```ts
   * const { contacts, next } = await agent.search({ text: 'oak lamp' })
   * ```
   */
  search(query?: ContactSearch): Promise<FoundPage>

  /**
   * What goes on: the queue, agents, contacts, times of the last hour. Needs the right `supervise` in the token.
   *
   * @throws {@link ContactError} `forbidden` — the token does not have the right; `offline`, `left`
   * @example
   * ```ts
   * const { totals, longestWaitMs } = await agent.overview()
   * ```
   */
  overview(): Promise<DeskOverview>

  /**
   * Reads texts of a contact that this agent has, or had when it ended, or, with the right `listen` in the token, of
   * any that is not secure. Reading is no part in the contact: neither party is told, and nothing is acknowledged.
   *
   * @throws {@link ContactError} `invalid_argument`, `too_large`, `not_found`; `left` — this agent has handed it
   *   on; `not_assigned` — it is not with this agent, and the token does not have the right; `forbidden` — the
   *   contact is secure; `offline`
   * @example
   * ```ts
   * const { texts, last } = await agent.read(id, { after: 0 })
   * ```
   */
  read(id: string, options?: ReadOptions): Promise<ReadPage>
}
