import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { ApiError } from '../http/api-error.ts';
import { encodeContent, sendContent } from '../http/content.ts';
import { READ_METHODS, requireMethod } from '../http/methods.ts';
import type { ConsoleBudget } from '../limits/console-budget.ts';
import type { FairQueue } from '../limits/fair-queue.ts';
import { serveAssets } from './assets.ts';
import type { ConsoleContext } from './context.ts';
import { enter, noteAccount } from './entry.ts';
import { answerErrors } from './errors.ts';
import { isFileForm } from './file-form.ts';
import { readForm } from './form.ts';
import { renderPage, type Visitor } from './layout.ts';
import { showOverBudget } from './over-budget.ts';
import { type Page, type PageReply, type ShownPage, statusOf } from './page.ts';
import { PageError } from './page-error.ts';
import { menu, pages } from './pages/index.ts';
import { AttemptsByAddress } from './session/attempts.ts';
import { readSessionToken } from './session/cookie.ts';
import { findCurrentSession, type SessionSources } from './session/current-session.ts';
import { ENDED_FORM, showEndedForm, showFormAgain } from './session/ended-form.ts';
import { formTokenOf, requireFormToken, requireSameSite } from './session/forgery.ts';
import { showInvitation } from './session/invitation-page.ts';
import type { OpenIdProvider } from './session/openid-provider.ts';
import { showStrayForm } from './session/other-account.ts';
import { followLink, showLink, showSignIn, signOut } from './session/public-pages.ts';
import { safeReturnAddress } from './session/return-address.ts';
import type { SignInContext } from './session/sign-in-context.ts';
import { finishSignIn, startSignIn } from './session/sign-in-pages.ts';

/**
 * A page runs only its own scripts and styles, shows only its own images, and sends forms and requests only to its own
 * address.
 */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
    "base-uri 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  // Browsers without Sec-Fetch-Site send the Origin of a form only under this policy.
  'Referrer-Policy': 'same-origin',
};
/** The wait before a request is sent again whose account has too many under way, in seconds. */
const BUSY_SECONDS = 2;
const MAX_FAILED_ATTEMPTS = 20;
const MAX_SIGN_INS = 60;

export interface ConsoleOptions extends Pick<SessionSources, 'sessionPool'> {
  context: ConsoleContext;
  /** The service's public address; null if every address is accepted. */
  publicUrl: string | null;
  provider: OpenIdProvider | null;
  budget: ConsoleBudget;
  /** The turns of pages and forms, by account. */
  turns: FairQueue;
  /** The turns of forms with files, from the first byte on, because files are in memory meanwhile. */
  uploads: FairQueue;
  /** The turns of forms that wait for receivers, which can be silent for long: other pages do not wait for these. */
  receivers: FairQueue;
}

async function sendToSignIn(ctx: Context): Promise<void> {
  if (ctx.method === 'POST') return showEndedForm(ctx);
  ctx.status = 303;
  ctx.redirect(`/console/sign-in?return_to=${encodeURIComponent(safeReturnAddress(ctx.url))}`);
}

/** Shows the form of an ended session to the session that the person has now. */
async function answerEndedForm(
  ctx: Context,
  { sessionPool, budget, context: { clock } }: ConsoleOptions,
): Promise<void> {
  const current = await findCurrentSession(ctx, { sessionPool, clock });
  if (current === null) return showEndedForm(ctx);
  const { token, session } = current;
  noteAccount(ctx, session);
  const form = await readForm(ctx);
  const csrf = formTokenOf(token, session.accountId);
  const seconds = budget.admit(session);
  if (seconds > 0) {
    ctx.set('Retry-After', String(seconds));
    return showPage(ctx, showOverBudget(form, ctx.url, seconds), { session, csrf });
  }
  const query = new URLSearchParams(ctx.querystring);
  await showPage(ctx, showFormAgain({ query, form, token }, session), { session, csrf });
}

/** Answers a form with a file when the account's turn has come. */
async function answerFileForm(ctx: Context, page: Page, options: ConsoleOptions): Promise<void> {
  const { sessionPool, context, uploads } = options;
  const current = await findCurrentSession(ctx, { sessionPool, clock: context.clock });
  if (current === null) return sendToSignIn(ctx);
  const closed = watchClose(ctx);
  const client = { share: current.session.accountId, gone: closed };
  await uploads.run(() => answerPage(ctx, page, options, closed), client);
}

/** Aborts when the connection closes. */
function watchClose({ res }: Context): AbortSignal {
  const closed = new AbortController();
  res.once('close', () => closed.abort());
  return closed.signal;
}

async function answerPage(
  ctx: Context,
  page: Page,
  options: ConsoleOptions,
  closed: AbortSignal = watchClose(ctx),
): Promise<void> {
  const { pool, clock } = options.context;
  const { sessionPool, budget } = options;
  const entry = await enter(ctx, page, { sessionPool, pool, clock, budget });
  if (!entry) return sendToSignIn(ctx);
  const { token, session, form, file, stray, waitSeconds } = entry;
  const csrf = formTokenOf(token, session.accountId);
  const refuse = (seconds: number) => {
    ctx.set('Retry-After', String(seconds));
    const sent = page.method === 'POST' ? form : null;
    return showPage(ctx, showOverBudget(sent, ctx.url, seconds), { session, csrf });
  };
  if (waitSeconds > 0) return refuse(waitSeconds);
  const request = {
    path: ctx.params,
    query: new URLSearchParams(ctx.querystring),
    form,
    file,
    session,
    publicUrl: options.publicUrl ?? `${ctx.protocol}://${ctx.host}`,
    id: ctx.state.requestId,
    closed,
  };
  const handle = () => (stray ? showStrayForm(stray, pool) : page.handle(request, options.context));
  const client = { share: session.accountId, gone: closed };
  const turns = page.awaitsReceiver ? options.receivers : options.turns;
  const reply = await turns.run<PageReply>(handle, client).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'too_many_requests_in_flight') return null;
    throw error;
  });
  if (reply === null) return refuse(BUSY_SECONDS);
  if ('redirect' in reply) {
    ctx.status = 303;
    return ctx.redirect(reply.redirect);
  }
  if ('table' in reply) {
    ctx.type = 'text/csv; charset=utf-8';
    ctx.set('Content-Disposition', `attachment; filename="${reply.name}"`);
    return sendContent(ctx, encodeContent(Buffer.from(reply.table)));
  }
  if (page.comesBack) {
    // A browser asks for any other page again when the person goes back to it, which it cannot do after a form. With
    // another cookie, thus another session, it does not show this answer.
    ctx.set('Cache-Control', 'private, max-age=0');
    ctx.vary('Cookie');
  }
  await showPage(ctx, reply, { session, csrf });
}

async function showPage(
  ctx: Context,
  page: ShownPage,
  visitor: Pick<Visitor, 'session' | 'csrf'>,
): Promise<void> {
  ctx.status = statusOf(page);
  ctx.body = await renderPage(page, { ...visitor, path: ctx.path, menu });
}

function createRouter(options: ConsoleOptions): Router {
  const { pool, clock, log } = options.context;
  const signIn: SignInContext = {
    pool,
    failures: new AttemptsByAddress(MAX_FAILED_ATTEMPTS, clock),
    starts: new AttemptsByAddress(MAX_SIGN_INS, clock),
    isSecure: options.publicUrl?.startsWith('https:') ?? false,
    provider: options.provider,
    log,
  };
  const router = new Router({ sensitive: true, strict: true });
  router.get('/console/sign-in', (ctx) => showSignIn(ctx, signIn));
  router.get('/console/sign-in/start', (ctx) => startSignIn(ctx, signIn));
  router.get('/console/sign-in/callback', (ctx) => finishSignIn(ctx, signIn));
  router.get('/console/links/:token', (ctx) => showLink(ctx, ctx.params.token ?? '', signIn));
  router.post('/console/links/:token', (ctx) => followLink(ctx, ctx.params.token ?? '', signIn));
  router.get('/console/invitations/:token', (ctx) => showInvitation(ctx, ctx.params.token ?? '', signIn));
  router.post(ENDED_FORM, (ctx) => answerEndedForm(ctx, options));
  router.post('/console/sign-out', async (ctx) => {
    const token = readSessionToken(ctx);
    if (token !== null) requireFormToken(await readForm(ctx), token);
    await signOut(ctx, signIn);
  });
  for (const page of pages) {
    const path = page.path.replaceAll(/\{(\w+)\}/g, ':$1');
    router.register(path, [page.method], (ctx) =>
      page.takesFile && isFileForm(ctx) ? answerFileForm(ctx, page, options) : answerPage(ctx, page, options),
    );
  }
  return router;
}

/** Serves the console below /console, to people with a session. Another module serves the API below /console/api. */
export function createConsole(options: ConsoleOptions): Middleware {
  const router = createRouter(options);
  const answer = router.routes();
  return async (ctx, next) => {
    if (ctx.path !== '/console' && !ctx.path.startsWith('/console/')) return next();
    ctx.set(HEADERS);
    ctx.set('Cache-Control', 'no-store');
    ctx.state.route = '/console';
    await answerErrors(ctx, options.context.log, () =>
      serveAssets(ctx, async () => {
        if (!READ_METHODS.includes(ctx.method)) requireSameSite(ctx, options.publicUrl);
        await answer(ctx as never, async () => {
          const allowed = router.match(ctx.path, ctx.method).path.flatMap(({ methods }) => methods);
          if (allowed.length > 0) requireMethod(ctx, [...new Set(allowed)].sort());
          throw new PageError(404, 'There is nothing at this address.');
        });
      }),
    );
  };
}
