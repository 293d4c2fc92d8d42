import type { TProperties, TSchema } from 'typebox';
import type { Sql } from '../../store/reads/json.ts';
import { requireScope } from '../auth/authentication.ts';
import type { GatewayContext } from '../context.ts';
import { ApiError } from '../http/api-error.ts';
import { compileBody } from '../http/body.ts';
import type { Caller } from '../http/caller.ts';
import { compileParameters, compilePathParameters, type Parameters } from '../http/parameters.ts';
import type { Endpoint, RawRequest, Reply, Route } from '../http/route.ts';
import type { FairQueue, QueueClient } from '../limits/fair-queue.ts';
import { type Share, shareOfConsole } from '../limits/share.ts';

/** A request for a route's handler: authorized, with parsed parameters. */
interface RouteRequest<Query extends TProperties, Path extends TProperties>
  extends Pick<RawRequest, 'header' | 'acceptsGzip' | 'unchangedSince' | 'id' | 'onClose' | 'closed'> {
  query: Parameters<Query>;
  path: Parameters<Path>;
  /** The JSON body, which matches its schema; undefined if the route has none. */
  body: unknown;
  caller: Caller;
}

interface RouteDeclaration<Query extends TProperties, Path extends TProperties, LineQuery extends TProperties>
  extends Omit<Route, 'query'> {
  query?: Query;
  parameters?: Path;
  handle(request: RouteRequest<Query, Path>, context: GatewayContext): Promise<Reply>;
  /** The queue for making this answer, if it is costly. A kept answer takes no turn. */
  turns?(query: Parameters<Query>, context: GatewayContext): FairQueue | null;
  lines?: {
    query: LineQuery;
    record: TSchema;
    /** SQL of rows with the column `record`, by id. */
    select(query: Parameters<LineQuery>, context: GatewayContext): Sql;
  };
}

/** A route with its handler, before it belongs to a gateway. */
export interface RouteDefinition extends Route {
  answer(request: RawRequest, context: GatewayContext): Promise<Reply>;
}

/** Compiles the checks of a declared route. */
export function defineRoute<
  const Query extends TProperties = Record<never, never>,
  const Path extends TProperties = Record<never, never>,
  const LineQuery extends TProperties = Record<never, never>,
>(declaration: RouteDeclaration<Query, Path, LineQuery>): RouteDefinition {
  const { handle, turns, query: queryFields = {} as Query, ...route } = declaration;
  const readQuery = compileParameters(queryFields);
  const { lines } = declaration;
  const readLineQuery = lines && compileParameters(lines.query);
  const readPath = compilePathParameters(declaration.parameters ?? ({} as Path));
  const checkBody = route.body && compileBody(route.body.checked ?? route.body.schema, route.body.refusal);
  return {
    ...route,
    query: queryFields,
    async answer(request, context) {
      const { header, acceptsGzip, unchangedSince, id, caller, url, onClose } = request;
      requireScope(caller, route.scope);
      if (lines && readLineQuery && request.acceptsLines()) {
        const select = lines.select(readLineQuery(request.query), context);
        const closed = context.accessWatch.watchAnswer(caller.credential, request.closed);
        const client = { accountId: caller.accountId, requestId: id, closed };
        const begun = context.exports.begin(select, client).catch((error: unknown) => {
          throw closed.reason instanceof ApiError ? closed.reason : error;
        });
        return { lines: await begun };
      }
      const path = readPath(request.path);
      const query = readQuery(request.query);
      const clientOf = (share: Share): QueueClient => ({
        share,
        get gone() {
          return request.closed;
        },
      });
      const client = clientOf(caller.accountId);
      const body = checkBody?.(await request.readBody((work) => context.bodies.run(work, client)));
      const checked = {
        path,
        query,
        body,
        header,
        acceptsGzip,
        ...(unchangedSince !== undefined && { unchangedSince }),
        id,
        caller,
        onClose,
        // Most handlers never read the signal, and reading it registers a listener.
        get closed() {
          return request.closed;
        },
      };
      const isPersonal = 'subscription' in query;
      const { shows } = route;
      const costly = turns?.(query, context);
      const queue = costly ?? (shows && !isPersonal ? context.reads : null);
      // People in the console do not wait for the programs of their account.
      const isAPerson = !costly && 'session' in caller.credential;
      const reader = isAPerson ? clientOf(shareOfConsole(caller.accountId)) : client;
      const inTurn = queue && ((work: () => Promise<Reply>) => queue.run(work, reader));
      // An account sees its own writes immediately, so its own data is read from the primary.
      if (!shows || isPersonal) {
        const answer = () => handle(checked, context);
        return inTurn ? inTurn(answer) : answer();
      }
      return context.replicas.read(({ pool, data, isReplica }) =>
        context.responseCache.answer(
          { name: url, shows, data, isGone: () => request.isClosed(), ...(inTurn && { inTurn }) },
          (loadState) => handle(checked, { ...context, pool, isReplica, loadState }),
        ),
      );
    },
  };
}

/** Connects a route to the gateway that serves it. */
export function createEndpoint({ answer, ...route }: RouteDefinition, context: GatewayContext): Endpoint {
  return { ...route, answer: (request) => answer(request, context) };
}
