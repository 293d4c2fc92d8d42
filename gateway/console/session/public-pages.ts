import type { Context } from 'koa';
import { isWellFormedToken } from '../../../schemas/console-token.ts';
import { recordAudit } from '../../../store/accounts/audit-log.ts';
import { inTransaction } from '../../../store/connection/transaction.ts';
import { type ConsoleLink, findLink, useLink } from '../../../store/console/links.ts';
import { endSession, startSession } from '../../../store/console/sessions.ts';
import { html } from '../html.ts';
import { renderPublicPage } from '../layout.ts';
import { PageError } from '../page-error.ts';
import { readReturnAddress, readSessionToken, setReturnAddress, setSessionToken } from './cookie.ts';
import { HOME, safeReturnAddress } from './return-address.ts';
import type { SignInContext } from './sign-in-context.ts';

/** The same for a used link and for one that never existed. */
const SPENT = 'This link was used already, has expired, or never existed. Ask for a new one.';

/** @throws PageError 403 if the account has no console for the person of the link, because it is suspended */
function requireOpenAccount({ account, role, isSuspended }: ConsoleLink): void {
  if (!isSuspended || role === 'operator') return;
  throw new PageError(
    403,
    `The account ${account} is suspended, and the link was not used. Ask the operator of this service to resume the account.`,
  );
}

/** Shows the account and role of a link. The link stays usable, because mail scanners open links in advance. */
export async function showLink(
  ctx: Context,
  token: string,
  { pool, failures }: SignInContext,
): Promise<void> {
  failures.require(ctx.ip);
  const link = isWellFormedToken(token) ? await findLink(pool, token) : null;
  if (!link) {
    failures.note(ctx.ip);
    throw new PageError(404, SPENT);
  }
  requireOpenAccount(link);
  ctx.body = renderPublicPage({
    title: 'Sign in',
    body: html`
      <p>Sign in as <strong>${link.person}</strong>, ${link.role} of the account <strong>${link.account}</strong>.</p>
      <form method="post"><button>Sign in</button></form>
      <p class="muted">The link works once.</p>`,
  });
}

/** Uses up a link, ends the browser's previous session, and starts a new one. */
export async function followLink(ctx: Context, token: string, context: SignInContext): Promise<void> {
  const { pool, failures, isSecure } = context;
  failures.require(ctx.ip);
  const before = readSessionToken(ctx);
  const session = await inTransaction(pool, async (client) => {
    const link = isWellFormedToken(token) ? await useLink(client, token) : null;
    if (!link) return null;
    requireOpenAccount(link);
    if (before !== null) await endSession(client, before);
    const { accountId, account, role, person } = link;
    await recordAudit(
      client,
      { osUser: null, person },
      { action: 'session.started', subject: `account ${account}`, accountId, details: { role, by: 'link' } },
    );
    return startSession(client, { accountId, linkPerson: person, linkRole: role });
  });
  if (session === null) {
    failures.note(ctx.ip);
    throw new PageError(404, SPENT);
  }
  setSessionToken(ctx, session, isSecure);
  const returnTo = safeReturnAddress(readReturnAddress(ctx));
  setReturnAddress(ctx, null, isSecure);
  ctx.status = 303;
  ctx.redirect(returnTo);
}

/** Ends the session of a browser. */
export async function signOut(ctx: Context, { pool, isSecure }: SignInContext): Promise<void> {
  const token = readSessionToken(ctx);
  if (token !== null) await endSession(pool, token);
  setSessionToken(ctx, null, isSecure);
  ctx.set('Clear-Site-Data', '"cache"');
  ctx.status = 303;
  ctx.redirect('/console/sign-in?signed-out');
}

/** Says how to sign in. The provider is behind a link, because the policy allows no form to another site. */
export function showSignIn(ctx: Context, { provider, isSecure }: SignInContext): void {
  const returnTo = safeReturnAddress(new URLSearchParams(ctx.querystring).get('return_to'));
  setReturnAddress(ctx, returnTo === HOME ? null : returnTo, isSecure);
  ctx.body = renderPublicPage({
    title: 'Sign in',
    body: html`
      ${'signed-out' in ctx.query && html`<p class="notice good" role="status">You are signed out.</p>`}
      ${'left' in ctx.query && html`<p class="notice good" role="status">You have left the account, and are signed out of it.</p>`}
      ${
        provider &&
        html`
        <p><a class="button" href=${`/console/sign-in/start?return_to=${encodeURIComponent(returnTo)}`}>Sign in</a></p>
        <p class="muted">You sign in at ${provider.host}, and come back here.</p>
        <h2>With a link</h2>`
      }
      <p>Open the link that you were given, or ask your operator for one:</p>
      <pre tabindex="0"><code>npm run ops -- console link --account NAME</code></pre>
      <p class="muted">A link works once, within 15 minutes.</p>`,
  });
}
