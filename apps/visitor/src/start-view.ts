/** What the panel shows while there is no contact: the form, or the visitor's earlier contacts. */
import { html } from 'lit'
import type { TemplateResult } from 'lit'
import type { Words } from '../../ui/src/index.ts'
import { hoursText } from './hours-text.ts'
import { isOpenAt } from './opening-hours.ts'
import type { StartEvent } from './start-form.ts'
import type { Start, VisitorModel } from './visitor-model.ts'
import type { WidgetSettings } from './widget-api.ts'

/** What the site has set, and what the visitor has done. */
type StartHost = Pick<
  Required<WidgetSettings>,
  'greeting' | 'fields' | 'hours' | 'timeZone' | 'identity' | 'secure'
> & {
  readonly isLookingBack: boolean
}

interface StartView {
  readonly model: VisitorModel
  readonly words: Words
  /** What stands in the form. */
  readonly written: { readonly nick: string; readonly question: string }
  readonly start: (event: Event) => void
  /** To the earlier contacts, and back. */
  readonly lookBack: () => void
}

/** Outside of the hours that the site has set. */
export const isClosed = ({ hours, timeZone }: Pick<StartHost, 'hours' | 'timeZone'>): boolean =>
  hours !== '' && !isOpenAt(hours, Date.now(), timeZone)

/** What a visitor who has filled in the form starts. */
export function startOf(
  widget: StartHost & Pick<Required<WidgetSettings>, 'tags' | 'data'>,
  { nick, firstMessage, answers }: StartEvent,
  lang: string,
): Start {
  const { secure, tags, data } = widget
  return {
    ...(nick && { nick }),
    firstMessage,
    lang,
    data: [...answers, ...data],
    secure,
    tags: tags.split(/[\s,]+/).filter(Boolean),
    // The two parties of a secure contact must meet first.
    ...(!secure && { later: isClosed(widget) || 'unattended' }),
  }
}

export function startView(
  widget: StartHost,
  { model, words, written, start, lookBack }: StartView,
): TemplateResult {
  if (model.phase === 'resuming' || model.phase === 'unreachable')
    return html`<p class="resuming" role="status" data-testid="resuming" data-phase=${model.phase}>
      ${words.t(model.phase === 'resuming' ? 'connecting' : 'unreachable')}
    </p>`
  if (widget.isLookingBack)
    return html`<duolog-earlier
      .words=${words}
      .source=${model.earlier}
      .first=${model.answered}
      .isIdentified=${widget.identity !== ''}
      @back=${lookBack}
    ></duolog-earlier>`
  const { hours, timeZone, secure } = widget
  const closed = isClosed(widget)
  return html`<duolog-start-form
    .words=${words}
    .greeting=${widget.greeting}
    .fields=${widget.fields}
    .hours=${closed ? hoursText(hours, timeZone, words) : ''}
    .isClosed=${closed}
    .isForLater=${!secure}
    .isUnattended=${model.isUnattended}
    .isIdentified=${widget.identity !== ''}
    .hasEarlier=${widget.identity !== '' || model.answered !== null}
    .failure=${model.failure}
    .starting=${model.phase === 'starting'}
    .nick=${written.nick}
    .firstMessage=${written.question}
    @start=${start}
    @earlier=${lookBack}
  ></duolog-start-form>`
}

/** To the earlier contacts, once their code is there, and back to the form. */
export async function turnBack(widget: { isLookingBack: boolean }): Promise<void> {
  const isBack = widget.isLookingBack
  const isLoaded =
    isBack ||
    (await import('./earlier-element.ts').then(
      () => true,
      () => false,
    ))
  widget.isLookingBack = !isBack && isLoaded
}
