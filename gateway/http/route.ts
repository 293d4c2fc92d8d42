import type { ServerResponse } from 'node:http';
import type { TProperties, TSchema } from 'typebox';
import type { ErrorCode } from '../../schemas/errors.ts';
import type { Scope } from '../../schemas/vocabulary.ts';
import type { StoredKey } from '../../store/access/api-keys.ts';
import type { DataPart } from '../../store/reads/data-versions.ts';
import type { GatewayContext } from '../context.ts';
import { compileBody } from './body.ts';
import type { Content } from './content.ts';
import { compileParameters, compilePathParameters, type Parameters } from './parameters.ts';

/** A request as a route sees it: authenticated, and with its parameters read. */
interface RouteRequest<Query extends TProperties, Path extends TProperties> {
  query: Parameters<Query>;
  path: Parameters<Path>;
  /** The JSON body, held to its schema; undefined where the route takes none. */
  body: unknown;
  /** The value of a header, or undefined where it was not sent or is empty. */
  header(name: 'Last-Event-ID' | 'Idempotency-Key'): string | undefined;
  key: StoredKey;
  /** Given when the client has gone away. */
  closed: AbortSignal;
}

/**
 * What a route answers: a JSON body, as text or encoded already, with the status and headers that it needs beyond the
 * ordinary; nothing (204); or headers and a writer that takes the connection over.
 */
export type Reply =
  | { json: string | Buffer | Content; status?: 201; headers?: Readonly<Record<string, string>> }
  | { empty: true }
  | { headers: Readonly<Record<string, string>>; stream: (response: ServerResponse) => Promise<void> };

/** One endpoint, said once: validation, documentation and the tests' check of answers all come from it. */
export interface RouteDeclaration<Query extends TProperties, Path extends TProperties> {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With the names of its parameters in braces: `/v1/contests/{id}`. */
  path: string;
  summary: string;
  /** What the API key must be allowed to do. */
  scope: Scope;
  query: Query;
  /** The parameters in the path, by name; none where it is left out. */
  parameters?: Path;
  /** The body that it takes, and what a body of another form is refused with. */
  body?: { schema: TSchema; refusal: ErrorCode };
  /** The status of success; 200 where it is left out. */
  success?: 200 | 201 | 204;
  /**
   * For answers that are the same for every account: the parts of the data that they are made of. While these are as
   * they were, an answer can be given again. What a subscription chooses is an account's own all the same.
   */
  shows?: readonly DataPart[];
  /** The schema of the JSON body of success; null for a stream of Server-Sent Events, and for no body at all. */
  response: TSchema | null;
  handle(request: RouteRequest<Query, Path>, context: GatewayContext): Promise<Reply>;
}

/** A request as it comes, its parameters unread. */
type RawRequest = Omit<RouteRequest<never, never>, 'query' | 'path' | 'body'> & {
  /** Reads the JSON body. */
  readBody: () => Promise<unknown>;
  /** The raw query string, without its question mark. */
  query: string;
  /** The parts of the path by parameter name, percent-decoded. */
  path: Readonly<Record<string, string>>;
};

/** A request whose parameters are read and right. */
interface CheckedRequest {
  /** As the route declares it; undefined where the answer is an account's own. */
  shows: readonly DataPart[] | undefined;
  reply(): Promise<Reply>;
}

/** A route that is ready to be called, whatever its parameters are. */
export interface Route extends Omit<RouteDeclaration<TProperties, TProperties>, 'handle'> {
  check(request: RawRequest, context: GatewayContext): Promise<CheckedRequest>;
}

/** Makes a route of its declaration. */
export function defineRoute<
  const Query extends TProperties,
  const Path extends TProperties = Record<never, never>,
>(declaration: RouteDeclaration<Query, Path>): Route {
  const readQuery = compileParameters(declaration.query);
  const readPath = compilePathParameters(declaration.parameters ?? ({} as Path));
  const checkBody = declaration.body && compileBody(declaration.body.schema, declaration.body.refusal);
  const { handle, ...rest } = declaration;
  return {
    ...rest,
    async check(request, context) {
      const parameters = { path: readPath(request.path), query: readQuery(request.query) };
      const body = checkBody?.(await request.readBody());
      const { header, key } = request;
      const read = {
        ...parameters,
        body,
        header,
        key,
        get closed() {
          return request.closed;
        },
      };
      const isPersonal = 'subscription' in parameters.query;
      return { shows: isPersonal ? undefined : declaration.shows, reply: () => handle(read, context) };
    },
  };
}
