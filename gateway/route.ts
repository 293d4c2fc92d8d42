import type { ServerResponse } from 'node:http';
import type { JsonSchema } from '../schemas/http/json-schema.ts';
import type { Scope } from '../schemas/vocabulary.ts';
import type { StoredKey } from '../store/api-keys.ts';
import type { GatewayContext } from './context.ts';
import { compileParameters, type ParameterSchemas, type Parameters } from './parameters.ts';

/** A request as a route sees it: authenticated, and with its parameters read. */
interface RouteRequest<Schemas extends ParameterSchemas> {
  query: Parameters<Schemas>;
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
export interface RouteDeclaration<Schemas extends ParameterSchemas> {
  method: 'GET';
  path: string;
  summary: string;
  /** What the API key must be allowed to do. */
  scope: Scope;
  query: Schemas;
  /** The schema of the JSON body of a 200; null for a stream of Server-Sent Events. */
  response: JsonSchema | null;
  handle(request: RouteRequest<Schemas>, context: GatewayContext): Promise<Reply>;
}

/** A route that is ready to be called, whatever its parameters are. */
export interface Route extends Omit<RouteDeclaration<ParameterSchemas>, 'handle'> {
  /** @param query the raw query string, without its question mark. */
  call(
    request: Omit<RouteRequest<never>, 'query'> & { query: string },
    context: GatewayContext,
  ): Promise<Reply>;
}

/** Makes a route of its declaration. */
export function defineRoute<const Schemas extends ParameterSchemas>(
  declaration: RouteDeclaration<Schemas>,
): Route {
  const readQuery = compileParameters(declaration.query);
  const { handle, ...rest } = declaration;
  return {
    ...rest,
    call: async ({ query, ...request }, context) => handle({ ...request, query: readQuery(query) }, context),
  };
}
