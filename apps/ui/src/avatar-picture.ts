import { html, nothing } from 'lit'
import type { TemplateResult } from 'lit'
import { initials } from './avatar.ts'

/** A picture over the initials of `nick`, which are seen where there is none or it cannot be had. */
export const avatarPicture = (nick: string, url: string | null): TemplateResult =>
  html`${initials(nick)}
  ${
    url
      ? html`<img
          src=${url}
          alt=""
          referrerpolicy="no-referrer"
          data-testid="avatar"
          @error=${show(false)}
          @load=${show(true)}
        />`
      : nothing
  }`

const show =
  (isThere: boolean) =>
  ({ currentTarget }: Event): void => {
    if (currentTarget instanceof HTMLElement) currentTarget.hidden = !isThere
  }
