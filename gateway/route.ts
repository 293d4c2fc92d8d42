import type { ServerResponse } from 'node:http';
import type { JsonSchema } from '../schemas/http/json-schema.ts';
import type { Scope } from '../schemas/vocabulary.ts';
import type { StoredKey } from '../store/api-keys.ts';
import type { GatewayContext } from './context.ts';
import {
  compileParameters,
  compilePathParameters,
  type ParameterSchemas,
  type Parameters,
} from './parameters.ts';

/** A request as a route sees it: authenticated, and with its parameters read. */
interface RouteRequest<Query extends ParameterSchemas, Path extends ParameterSchemas> {
  query: Parameters<Query>;
  path: Parameters<Path>;
  /** The value of the Last-Event-ID header. */
  lastEventId: string | undefined;
  key: StoredKey;
  /** Given when the client has gone away. */
  closed: AbortSignal;
}

/** What a route answers: the text of a JSON body, or headers and a writer that takes the connection over. */
export type Reply =
  | { json: string }
  | { headers: Readonly<Record<string, string>>; stream: (response: ServerResponse) => Promise<void> };

/** One endpoint, said once: validation, documentation and the tests' check of answers all come from it. */
export interface RouteDeclaration<Query extends ParameterSchemas, Path extends ParameterSchemas> {
  method: 'GET';
  /** With the names of its parameters in braces: `/v1/contests/{id}`. */
  path: string;
  summary: string;
  /** What the API key must be allowed to do. */
  scope: Scope;
  query: Query;
  /** The parameters in the path, by name; none where it is left out. */
  parameters?: Path;
  /** The schema of the JSON body of a 200; null for a stream of Server-Sent Events. */
  response: JsonSchema | null;
  handle(request: RouteRequest<Query, Path>, context: GatewayContext): Promise<Reply>;
}

/** A request as it comes, its parameters unread. */
type RawRequest = Omit<RouteRequest<never, never>, 'query' | 'path'> & {
  /** The raw query string, without its question mark. */
  query: string;
  /** The parts of the path by parameter name, percent-decoded. */
  path: Readonly<Record<string, string>>;
};

/** A route that is ready to be called, whatever its parameters are. */
export interface Route extends Omit<RouteDeclaration<ParameterSchemas, ParameterSchemas>, 'handle'> {
  call(request: RawRequest, context: GatewayContext): Promise<Reply>;
}

/** Makes a route of its declaration. */
export function defineRoute<
  const Query extends ParameterSchemas,
  const Path extends ParameterSchemas = Record<never, never>,
>(declaration: RouteDeclaration<Query, Path>): Route {
  const readQuery = compileParameters(declaration.query);
  const readPath = compilePathParameters(declaration.parameters ?? ({} as Path));
  const { handle, ...rest } = declaration;
  return {
    ...rest,
    call: async ({ query, path, ...request }, context) =>
      handle({ ...request, path: readPath(path), query: readQuery(query) }, context),
  };
}
