import type { Context } from 'koa';
import { hashToken, isWellFormedToken } from '../../../schemas/console-token.ts';
import { maskEmailAddress } from '../../../schemas/email-address.ts';
import type { Role } from '../../../schemas/vocabulary.ts';
import { findInvitation } from '../../../store/console/invitations.ts';
import { html } from '../html.ts';
import { renderPublicPage } from '../layout.ts';
import { PageError } from '../page-error.ts';
import type { SignInContext } from './sign-in-context.ts';
import { INVITATION_SPENT } from './sign-in-problems.ts';

const OFFERS: Readonly<Record<Role, string>> = {
  member: 'as a member: you can read the data and the stream, and change subscriptions',
  editor: 'as an editor: you can also publish endorsements',
  owner: 'as an owner: you can do everything, also make API keys and invite people',
  operator: 'as an operator: you can see every account',
};

/** Shows an invitation, which leads to the provider's sign-in. It stays open until somebody accepts it. */
export async function showInvitation(
  ctx: Context,
  token: string,
  { pool, failures, provider }: SignInContext,
): Promise<void> {
  failures.require(ctx.ip);
  const invitation = isWellFormedToken(token) ? await findInvitation(pool, hashToken(token)) : null;
  if (!invitation) {
    failures.note(ctx.ip);
    throw new PageError(404, INVITATION_SPENT);
  }
  const { account, email, role, invitedBy } = invitation;
  const address = html`<strong>${maskEmailAddress(email)}</strong>`;
  const start = `/console/sign-in/start?invitation=${token}`;
  ctx.body = renderPublicPage({
    title: `Join ${account}`,
    body: html`
      <p>${invitedBy} invites you to the account <strong>${account}</strong>, ${OFFERS[role]}.</p>
      ${
        provider
          ? html`
          <p>The invitation is for the address ${address}. Sign in with it at ${provider.host}.</p>
          <p><a class="button" href=${start}>Sign in and join</a></p>
          <p><a href=${`${start}&again`}>Sign in as somebody else and join</a></p>`
          : html`<p>The invitation is for the address ${address}. It cannot be accepted now, because this service has no sign-in provider any more. Ask your operator for a link.</p>`
      }`,
  });
}
