import type { ServerResponse } from 'node:http';
import type { ErrorCode } from '../schemas/errors.ts';
import type { JsonSchema } from '../schemas/http/json-schema.ts';
import type { Scope } from '../schemas/vocabulary.ts';
import type { StoredKey } from '../store/api-keys.ts';
import { compileBody } from './body.ts';
import type { GatewayContext } from './context.ts';
import {
  compileParameters,
  compilePathParameters,
  type ParameterSchemas,
  type Parameters,
  type PathParameters,
} from './parameters.ts';
import type { PiecedText } from './pieced-text.ts';

/** A request as a route sees it: authenticated, and with its parameters read. */
interface RouteRequest<Query extends ParameterSchemas, Path extends ParameterSchemas> {
  query: Parameters<Query>;
  path: PathParameters<Path>;
  /** The JSON body, held to its schema; undefined where the route takes none. */
  body: unknown;
  /** The value of a header, or undefined where it was not sent or is empty. */
  header(name: 'Last-Event-ID' | 'Idempotency-Key'): string | undefined;
  key: StoredKey;
  /** Given when the client has gone away. */
  closed: AbortSignal;
}

/**
 * What a route answers: the text of a JSON body, whole or in pieces, with the status and headers that it needs beyond the ordinary;
 * nothing (204); or headers and a writer that takes the connection over.
 */
export type Reply =
  | { json: string | Buffer | PiecedText; status?: 201; headers?: Readonly<Record<string, string>> }
  | { empty: true }
  | { headers: Readonly<Record<string, string>>; stream: (response: ServerResponse) => Promise<void> };

/** One endpoint, said once: validation, documentation and the tests' check of answers all come from it. */
export interface RouteDeclaration<Query extends ParameterSchemas, Path extends ParameterSchemas> {
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
  body?: { schema: JsonSchema; refusal: ErrorCode };
  /** The status of success; 200 where it is left out. */
  success?: 200 | 201 | 204;
  /** The schema of the JSON body of success; null for a stream of Server-Sent Events, and for no body at all. */
  response: JsonSchema | null;
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
  const checkBody = declaration.body && compileBody(declaration.body.schema, declaration.body.refusal);
  const { handle, ...rest } = declaration;
  return {
    ...rest,
    async call(request, context) {
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
      return handle(read, context);
    },
  };
}
