import type { MediaEngine } from '../../engines/eager.ts'
import { ContactError } from '../../protocol/index.ts'
import type { ContactData, FileRules, MediaCapabilities, Slot } from '../../protocol/index.ts'
import { controlsKey } from '../media/call-controls.ts'
import { ContactCore } from './contact-core.ts'
import type { End } from './contact-core.ts'
import type { Environment } from '../client/environment.ts'
import { Kept, keptKey, seenKey } from './saved-state.ts'
import { later } from './lazy-modules.ts'
import type { ServiceLink } from '../link/service-link.ts'
import { LiveContact } from './contact.ts'
import { loaded } from '../async/lazy-module.ts'
import type { TellLeave } from '../client/pending-leaves.ts'

export interface OpenContactOptions {
  readonly link: ServiceLink
  /** Origin of the service. */
  readonly service: string
  readonly role: Slot
  readonly record: ContactData
  readonly environment: Environment
  /** The contact was open on an earlier page of this tab or another. */
  readonly resumed: boolean
  /**
   * Tells the service that a session has ended, as soon as it can be reached. Resolves when it has heard, or
   * cannot now.
   */
  readonly leave: TellLeave
  /** The contact goes on under another id. */
  readonly onMove?: (contact: string, before: string) => void
  /** This page holds nothing of the contact any more. */
  readonly onEnd: (how: End, contact: string) => void
}

/** Puts a contact together: its core, its engines and its documented face. It is not entered yet. */
export async function openContact(
  options: OpenContactOptions,
): Promise<{ readonly core: ContactCore; readonly contact: LiveContact }> {
  const { link, service, role, record, environment, resumed, leave, onMove = () => {}, onEnd } = options
  const { tab, clock, log, inspect, offerLifetime, upload } = environment
  const kept = (contact: string): Kept => new Kept(tab, keptKey(service, contact))
  const { unsent } = kept(record.id)
  let { id } = record
  const forget = (): void =>
    [seenKey(service, id), controlsKey(service, { role, contact: id })].forEach((key) =>
      environment.store.removeItem(key),
    )
  const code = Promise.all([environment.engines(), record.telephone ? later.telephone() : null])
  const [engines, phone] = await loaded('open the contact', code, environment)
  const core = new ContactCore({
    ...{
      link,
      service,
      upload,
      role,
      record,
      clock,
      log,
      inspect,
      offerLifetime,
      kept,
      resumed,
      leave,
      telephone: phone ? new phone.ContactTelephone() : undefined,
    },
    capabilities: withFiles(await environment.capabilities(), record.files),
    pipes: () => loaded('connect directly', environment.pipes(), environment),
    seen: environment.store,
    onMove: (next) => {
      const before = id
      forget()
      id = next
      onMove(next, before)
    },
    onEnd: (how) => {
      stopWatching()
      if (how === 'over') forget()
      onEnd(how, id)
    },
  })
  const stopWatching = environment.onDevices((availability) => core.capabilities.available(availability))
  await addEngines(core, engines)
  for (const entry of unsent) core.write(entry)
  return { core, contact: new LiveContact(core) }
}

/** One that fails is left out, and that is told. */
async function addEngines(core: ContactCore, engines: readonly MediaEngine[]): Promise<void> {
  for (const engine of engines) {
    const used = engine.id === 'Native' ? (core.options.telephone ?? engine) : engine
    await core.media
      .addEngine(used)
      .catch((cause: unknown) => core.delivery.emit('error', notThere(engine.id, cause)))
  }
}

const notThere = (engine: string, cause: unknown): ContactError =>
  new ContactError('engine_failed', `unable to use the engine ${engine}; it failed`, { cause })

/** Capabilities with what the service takes of files. */
function withFiles(capabilities: MediaCapabilities, rules: FileRules | undefined): MediaCapabilities {
  const files = rules
    ? { FileTransfer: true, MaxFileSize: rules.maxFileSize, FileTypes: rules.types }
    : { FileTransfer: false }
  return {
    ...capabilities,
    Media: { ...capabilities.Media, Sharing: { Engines: {}, ...capabilities.Media.Sharing, ...files } },
  }
}
