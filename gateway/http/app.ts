import Router from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import type { Logger } from '../../service/log.ts';
import { reportFailure } from '../../service/report-failure.ts';
import { nameRequestSpan } from '../../service/tracing.ts';
import { answerGuides } from '../guides/guides.ts';
import { acceptsLines } from './accepts-lines.ts';
import { ApiError } from './api-error.ts';
import { readJsonBody } from './body.ts';
import { compressIfAccepted } from './compression.ts';
import { answerHealth, type Readiness } from './health.ts';
import { requireMethod } from './methods.ts';
import { logAccess } from './middleware/access-log.ts';
import { readConsoleApi } from './middleware/console-api.ts';
import { handleErrors } from './middleware/errors.ts';
import { requestId } from './middleware/request-id.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { requireSingleHeaders } from './middleware/single-headers.ts';
import { createOpenApi } from './openapi.ts';
import { requirePercentEncoding } from './percent-encoding.ts';
import { answerReference } from './reference.ts';
import { sendReply } from './reply.ts';
import { findRetiredPath } from './retired.ts';
import type { Endpoint } from './route.ts';
import { answerSignposts } from './signposts.ts';

/** Calls a listener when the response closes: after it was sent in full, or when the client disconnects. */
function onClose({ res }: Context, listener: () => void): void {
  if (res.closed) listener();
  else res.once('close', listener);
}

/** Making an error with its stack for each response would take longer than ending it. */
const CLOSED = new Error('The response is closed.');

function signalClosed(ctx: Context): AbortSignal {
  const closed = new AbortController();
  onClose(ctx, () => closed.abort(CLOSED));
  return closed.signal;
}

/** The value of a header. Node joins several with commas; equal ones count once, since some clients repeat them. */
function readHeader(ctx: Context, name: string): string | undefined {
  if (ctx.headers[name.toLowerCase()] === undefined) return undefined;
  const [first, ...others] = ctx.get(name).split(', ');
  if (others.some((other) => other !== first)) {
    throw new ApiError('invalid_parameter', `${name} is given several times, with different values.`);
  }
  return first;
}

/** Drops everything that a stream does not need: its request lives as long as the connection. */
function forgetRequest({ req, res }: Context): void {
  req.headers = {};
  req.rawHeaders = [];
  // Koa's listeners for the end of the response take 3 KB together with its context. This event, which Node
  // does not use for responses, makes Koa remove them.
  res.emit('end');
}

function mount(router: Router, endpoint: Endpoint, log: Logger): void {
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1');
  const answer: Middleware = async (ctx) => {
    if (endpoint.lines) ctx.vary('Accept');
    let closed: AbortSignal | undefined;
    const reply = await endpoint.answer({
      url: `${ctx.path}?${ctx.querystring}`,
      query: ctx.querystring,
      path: ctx.params,
      readBody: (inTurn) => readJsonBody(ctx, inTurn),
      header: (name) => readHeader(ctx, name),
      acceptsGzip: () => ctx.acceptsEncodings('gzip', 'identity') === 'gzip',
      acceptsLines: () => acceptsLines(ctx),
      caller: ctx.state.caller,
      id: ctx.state.requestId,
      onClose: (listener) => onClose(ctx, listener),
      get closed() {
        closed ??= signalClosed(ctx);
        return closed;
      },
      isClosed: () => ctx.res.closed,
    });
    await sendReply(ctx, reply, log);
  };
  router.register(path, [endpoint.method], answer, { name: endpoint.path });
}

/** Names the route of a request before the request can be refused, so that refusals count for their route. */
function nameRoute(router: Router): Middleware {
  return (ctx, next) => {
    const route = router.match(ctx.path, ctx.method).pathAndMethod.at(-1)?.name;
    ctx.state.route = route;
    if (route) nameRequestSpan(ctx.method, route);
    return next();
  };
}

/** The message for an unknown path. */
function describeNothing(path: string): string {
  const nothing = `There is nothing at ${path}.`;
  if (path.endsWith('/') && path !== '/') return `${nothing} No path ends in a slash.`;
  return /^\/v1(\/|$)/.test(path)
    ? `${nothing} /openapi.json lists every endpoint.`
    : `${nothing} Endpoints begin with /v1; /openapi.json lists them.`;
}

/** Node's codes for a client that disconnects during the answer. */
const DISCONNECTED = new Set(['ECONNRESET', 'EPIPE', 'ECANCELED', 'ERR_STREAM_PREMATURE_CLOSE']);

/** Node's code if a response was destroyed before its stream began, such as while it waited its turn. */
const UNPIPEABLE = 'ERR_STREAM_UNABLE_TO_PIPE';

/** Whether an answer failed because its client has disconnected. */
function isDisconnected(error: Error, { res }: Context): boolean {
  const code = 'code' in error ? String(error.code) : '';
  return DISCONNECTED.has(code) || (code === UNPIPEABLE && res.destroyed);
}

/** Logs an error that reaches Koa itself because the answer could not be sent. */
function reportUnsent(error: Error, ctx: Context, log: Logger): void {
  if (isDisconnected(error, ctx)) log.debug({ error }, 'a connection failed');
  else reportFailure(log, error, { where: 'answer', message: 'an answer could not be sent' });
}

export interface AppOptions {
  endpoints: readonly Endpoint[];
  /** Counts answers for the usage of accounts. */
  countRequests: Middleware;
  /** Authenticates requests below `/v1` and applies their limits. */
  admission: Middleware;
  /** Bounds the answers that clients have not taken yet. */
  boundAnswers: Middleware;
  /** Serves the pages below `/console`, if this gateway has them. */
  console?: Middleware | undefined;
  readiness: Readiness;
  /** How many proxies in front of the gateway are trusted to name the client; 0 for none. */
  trustedProxies: number;
  /** Aborts when the gateway begins to shut down. */
  draining: AbortSignal;
  log: Logger;
}

/** Creates the gateway's Koa application. Everything below `/v1` needs a key, even paths that do not exist. */
export function createApp({
  endpoints,
  countRequests,
  admission,
  boundAnswers,
  console,
  readiness,
  trustedProxies,
  draining,
  log,
}: AppOptions): Koa {
  // Each proxy appends the address it forwards for, so entries before trusted proxies may be forged.
  const app = new Koa({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies });
  // Admission compares paths case-sensitively, so the router must too: otherwise /V1 would skip
  // authentication. A path with a slash at the end is another path.
  const router = new Router({ sensitive: true, strict: true });
  for (const endpoint of endpoints) mount(router, endpoint, log);

  app.use(requestId);
  app.use(securityHeaders);
  app.use(async (ctx, next) => {
    // Otherwise a client with a keep-alive connection would return to a gateway that is about to stop.
    if (draining.aborted) ctx.set('Connection', 'close');
    await next();
    // The request was refused because the gateway began to stop.
    if (draining.aborted && ctx.state.error) ctx.set('Connection', 'close');
    if (ctx.respond === false) forgetRequest(ctx);
  });
  if (console) app.use(readConsoleApi);
  app.use(nameRoute(router));
  app.use(logAccess(log));
  app.use(countRequests);
  app.use(handleErrors(log));
  app.use(requireSingleHeaders);
  // Before the following steps, so that their refusals count against the limits of the account.
  app.use(admission);
  app.use(requirePercentEncoding);
  app.use(answerHealth(readiness));
  app.use(compressIfAccepted());
  app.use(boundAnswers);
  app.use(answerSignposts({ hasConsole: console !== undefined }));
  if (console) app.use(console);
  app.use(answerReference(endpoints));
  app.use(answerGuides({ hasConsole: console !== undefined, describe: () => createOpenApi(endpoints) }));
  app.use(router.routes());
  app.use((ctx) => {
    const allowed = router.match(ctx.path, ctx.method).path.flatMap(({ methods }) => methods);
    if (allowed.length > 0) requireMethod(ctx, [...new Set(allowed)].sort());
    const retired = findRetiredPath(ctx.path);
    if (retired !== undefined) throw new ApiError('not_found', retired);
    throw new ApiError('not_found', describeNothing(ctx.path));
  });
  app.on('error', (error: Error, ctx: Context) => reportUnsent(error, ctx, log));
  return app;
}
