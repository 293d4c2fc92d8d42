import Router from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import compress from 'koa-compress';
import { admit } from '../auth/admission.ts';
import { requireScope } from '../auth/authentication.ts';
import type { GatewayContext } from '../context.ts';
import { routes } from '../routes/index.ts';
import { ApiError } from './api-error.ts';
import { readJsonBody } from './body.ts';
import { encodeContent, sendContent } from './content.ts';
import { answerHealth } from './health.ts';
import { requireMethod } from './methods.ts';
import { logAccess } from './middleware/access-log.ts';
import { handleErrors } from './middleware/errors.ts';
import { requireHost } from './middleware/host.ts';
import { requestId } from './middleware/request-id.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { answerReference } from './reference.ts';
import { findRetiredPath } from './retired.ts';
import type { Reply, Route } from './route.ts';

/** What is smaller than this does not get smaller enough by compression. */
const COMPRESS_FROM_BYTES = 1024;
const ENCODINGS = ['zstd', 'br', 'gzip', 'deflate', 'identity'];

/** Compresses answers for those who take that. Who forbids every form, the plain one too, is given the plain one. */
function compressWhereTaken(): Middleware {
  const compressAnswer = compress({ threshold: COMPRESS_FROM_BYTES });
  return (ctx, next) => {
    if (ctx.acceptsEncodings(ENCODINGS) === false) ctx.compress = false;
    return compressAnswer(ctx, next);
  };
}

/** A signal that is given when the connection is done with this request, be it that the client goes away. */
function signalClosed({ res }: Context): AbortSignal {
  const closed = new AbortController();
  if (res.closed) closed.abort();
  res.once('close', () => closed.abort());
  return closed.signal;
}

function send(ctx: Context, reply: Reply): void {
  if ('empty' in reply) {
    ctx.status = 204;
    return;
  }
  ctx.set(reply.headers ?? {});
  if ('json' in reply) {
    ctx.type = 'application/json; charset=utf-8';
    ctx.set('Cache-Control', 'private, no-cache');
    ctx.vary('Authorization');
    sendContent(ctx, encodeContent(reply.json), reply.status);
    return;
  }
  ctx.status = 200;
  if (ctx.method === 'HEAD') return;
  // The stream outlives the middleware, which is done once the answer has begun.
  ctx.respond = false;
  void reply.stream(ctx.res);
}

function mount(router: Router, route: Route, context: GatewayContext): void {
  const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1');
  router.register(path, [route.method], async (ctx) => {
    ctx.state.route = route.path;
    requireScope(ctx.state.key, route.scope);
    const { shows, reply } = await route.check(
      {
        query: ctx.querystring,
        path: ctx.params,
        readBody: () => readJsonBody(ctx),
        header: (name) => ctx.get(name) || undefined,
        key: ctx.state.key,
        // Made where a route asks for it: most answers are complete before anybody could go away.
        get closed() {
          return signalClosed(ctx);
        },
      },
      context,
    );
    if (shows === undefined) return send(ctx, await reply());
    const question = { name: `${ctx.path}?${ctx.querystring}`, shows, isGone: () => ctx.res.closed };
    send(ctx, await context.answers.answer(question, reply));
  });
}

/** The gateway as a Koa application. Everything below `/v1` needs a key, paths that do not exist too. */
export function createApp(context: GatewayContext): Koa {
  // Each proxy adds whom it forwards for at the end: what stands before the trusted ones' is the client's own word.
  const { trustedProxies } = context.config;
  const app = new Koa({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies });
  // As admission reads paths: what it takes for none of its own must lead nowhere.
  const router = new Router({ sensitive: true });
  for (const route of routes) mount(router, route, context);

  app.use(requestId);
  app.use(securityHeaders);
  app.use(async (ctx, next) => {
    // A client that kept its connection would come back to a gateway that is about to end.
    if (context.draining.aborted) ctx.set('Connection', 'close');
    await next();
  });
  app.use(logAccess(context.log));
  app.use(handleErrors(context.log));
  app.use(requireHost);
  app.use(answerHealth(context));
  app.use(admit(context));
  app.use(compressWhereTaken());
  app.use(answerReference(routes));
  app.use(router.routes());
  app.use((ctx) => {
    const allowed = router.match(ctx.path, ctx.method).path.flatMap(({ methods }) => methods);
    if (allowed.length > 0) requireMethod(ctx, [...new Set(allowed)].sort());
    const retired = findRetiredPath(ctx.path);
    if (retired !== undefined) throw new ApiError('not_found', retired);
    throw new ApiError('not_found', `There is nothing at ${ctx.path}. Endpoints begin with /v1.`);
  });
  app.on('error', (error) => context.log.debug({ error }, 'a connection failed'));
  return app;
}
