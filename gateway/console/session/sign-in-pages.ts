import type { Context } from 'koa';
import { hashToken, isWellFormedToken } from '../../../schemas/console-token.ts';
import { maskEmailAddress } from '../../../schemas/email-address.ts';
import { shorten } from '../../../schemas/problems.ts';
import { showControls } from '../../../schemas/show-controls.ts';
import { recordAudit } from '../../../store/accounts/audit-log.ts';
import { inTransaction } from '../../../store/connection/transaction.ts';
import { acceptInvitation, findInvitation } from '../../../store/console/invitations.ts';
import {
  findFirstAccount,
  type Identity,
  noteAccountSeen,
  refreshPerson,
} from '../../../store/console/people.ts';
import { endSession, startSession } from '../../../store/console/sessions.ts';
import { beginSignIn, type SignIn, takeSignIn } from '../../../store/console/sign-ins.ts';
import { PageError } from '../page-error.ts';
import { readSessionToken, readSignInToken, setSessionToken, setSignInToken } from './cookie.ts';
import { readIdentity } from './identity.ts';
import { type OpenIdProvider, ProviderAwayError, ProviderRefusalError } from './openid-provider.ts';
import { safeReturnAddress } from './return-address.ts';
import type { SignInContext } from './sign-in-context.ts';
import {
  describeOtherAddress,
  describeRefusal,
  describeStranger,
  INVITATION_SPENT,
  MAX_CODE_LENGTH,
  PROBLEMS,
  type Problem,
  showProblem,
} from './sign-in-problems.ts';

function requireProvider({ provider }: SignInContext): OpenIdProvider {
  if (provider) return provider;
  throw new PageError(404, 'There is nothing at this address.');
}

/** The hash of the invitation to accept. @throws PageError 404 if it cannot be accepted */
async function findInvitationHash(ctx: Context, { pool, failures }: SignInContext): Promise<Buffer | null> {
  const token = new URLSearchParams(ctx.querystring).get('invitation');
  if (token === null) return null;
  failures.require(ctx.ip);
  const hash = hashToken(token);
  if (isWellFormedToken(token) && (await findInvitation(pool, hash))) return hash;
  failures.note(ctx.ip);
  throw new PageError(404, INVITATION_SPENT);
}

/**
 * Sends the browser to the provider. Only a page of the console begins a sign-in, and other sites are sent to that
 * page. So nobody signs in or joins an account without a click of their own.
 */
export async function startSignIn(ctx: Context, context: SignInContext): Promise<void> {
  const provider = requireProvider(context);
  const query = new URLSearchParams(ctx.querystring);
  const returnTo = safeReturnAddress(query.get('return_to'));
  if (/^(cross|same)-site$/.test(ctx.get('Sec-Fetch-Site'))) {
    ctx.status = 303;
    return ctx.redirect(`/console/sign-in?return_to=${encodeURIComponent(returnTo)}`);
  }
  const { starts, pool, isSecure } = context;
  starts.require(ctx.ip);
  starts.note(ctx.ip);
  const invitation = await findInvitationHash(ctx, context);
  try {
    const { url, secrets } = await provider.begin({ asksAgain: query.has('again') });
    setSignInToken(ctx, await beginSignIn(pool, { ...secrets, returnTo, invitation }), isSecure);
    ctx.status = 303;
    ctx.redirect(url.href);
  } catch (error) {
    showProblem(ctx, describeFailure(error, context));
  }
}

/** Handles the return from the provider: starts a session, or says why it cannot. */
export async function finishSignIn(ctx: Context, context: SignInContext): Promise<void> {
  const provider = requireProvider(context);
  const { pool, isSecure } = context;
  const token = readSignInToken(ctx);
  const state = new URLSearchParams(ctx.querystring).get('state');
  const signIn = token !== null && state !== null ? await takeSignIn(pool, token, state) : null;
  if (!signIn) return showProblem(ctx, PROBLEMS.stale);
  setSignInToken(ctx, null, isSecure);
  const result = await identify(ctx.querystring, signIn, { ...context, provider });
  if ('problem' in result) return showProblem(ctx, result.problem);
  const begun = await beginSession(result.identity, { signIn, before: readSessionToken(ctx) }, context);
  if ('problem' in begun) return showProblem(ctx, begun.problem);
  setSessionToken(ctx, begun.session, isSecure);
  ctx.status = 303;
  ctx.redirect(signIn.returnTo);
}

async function identify(
  query: string,
  signIn: SignIn,
  context: SignInContext & { provider: OpenIdProvider },
): Promise<{ identity: Identity } | { problem: Problem }> {
  const { provider } = context;
  try {
    const read = readIdentity(await provider.finish(query, signIn), provider.assumesVerified);
    return 'problem' in read ? { problem: PROBLEMS[read.problem] } : read;
  } catch (error) {
    return { problem: describeFailure(error, context) };
  }
}

/** Begins a person's session, after accepting the invitation of the sign-in. It ends the browser's previous session. */
async function beginSession(
  identity: Identity,
  { signIn, before }: { signIn: SignIn; before: string | null },
  { pool }: SignInContext,
): Promise<{ session: string } | { problem: Problem }> {
  return inTransaction(pool, async (client) => {
    if (signIn.invitation) {
      const accepted = await acceptInvitation(client, signIn.invitation, identity);
      if ('problem' in accepted) {
        return accepted.problem === 'spent'
          ? { problem: PROBLEMS.invitation_spent }
          : { problem: describeOtherAddress(maskEmailAddress(accepted.email)) };
      }
    }
    const personId = await refreshPerson(client, identity);
    const account = personId !== null && (await findFirstAccount(client, personId));
    if (!account) return { problem: describeStranger(identity.email) };
    const { id: accountId, name, role } = account;
    if (account.isSuspended && role !== 'operator') return { problem: PROBLEMS.suspended };
    if (before !== null) await endSession(client, before);
    await noteAccountSeen(client, personId, accountId);
    await recordAudit(
      client,
      { osUser: null, person: identity.email },
      { action: 'session.started', subject: `account ${name}`, accountId, details: { role, by: 'provider' } },
    );
    return { session: await startSession(client, { accountId, personId }) };
  });
}

/** Says why a sign-in failed. The log gets the provider's error code, never a token or an authorization code. */
function describeFailure(error: unknown, { log }: SignInContext): Problem {
  if (error instanceof ProviderRefusalError) {
    // An address of the console can have any code.
    const code = error.code && showControls(shorten(error.code, MAX_CODE_LENGTH));
    log.info({ code, reason: error.message }, 'the sign-in provider refused a sign-in');
    return error.code === 'access_denied' ? PROBLEMS.declined : describeRefusal(error.code);
  }
  if (error instanceof ProviderAwayError) {
    log.warn({ reason: error.message, cause: causeOf(error) }, 'the sign-in provider does not answer');
    return PROBLEMS.away;
  }
  throw error;
}

/** The innermost reason of a failure, such as a refused connection. */
function causeOf({ cause }: Error): string | undefined {
  return cause instanceof Error ? (causeOf(cause) ?? cause.message) : undefined;
}
