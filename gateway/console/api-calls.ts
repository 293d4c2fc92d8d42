import type { Clock } from '../../service/clock.ts';
import type { ConsoleSession } from '../../store/access/console-sessions.ts';
import { callerOf, requireUsableSession } from '../auth/sessions.ts';
import { ApiError } from '../http/api-error.ts';
import type { Content } from '../http/content.ts';
import { createOwnRequest } from '../http/own-request.ts';
import type { Endpoint, RawRequest } from '../http/route.ts';
import { senderOf, type UsageCounter } from '../usage/usage-counter.ts';

/** A request to the API. */
export interface ApiCall {
  method?: Endpoint['method'];
  /** The path as the API describes it: `/v1/contests/{id}`. */
  path: string;
  /** The parameters in the path, by name. */
  parameters?: Readonly<Record<string, string>>;
  query?: URLSearchParams;
  body?: unknown;
  /** The version that the record to replace must still have, as `RawRequest` explains. */
  unchangedSince?: string | undefined;
  idempotencyKey?: string;
}

/** The place that counts the calls. */
interface Accounting {
  usageCounter: UsageCounter;
  clock: Clock;
}

/** The page request for which the API is called. */
export type ApiCallOrigin = Pick<RawRequest, 'id' | 'closed'> & { session: ConsoleSession };

/**
 * Calls the API within the process, as the session's account. A page shows the same data as a client with a key of the
 * account would get. The calls do not count against the limits of the account's plan; the page was counted.
 */
export class ApiCalls {
  readonly #endpoints: ReadonlyMap<string, Endpoint>;
  readonly #accounting: Accounting;

  constructor(endpoints: readonly Endpoint[], accounting: Accounting) {
    this.#endpoints = new Map(endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint]));
    this.#accounting = accounting;
  }

  /**
   * Calls an endpoint that answers with JSON or nothing. The caller knows the answer's shape from the API's schemas.
   *
   * @returns the parsed body; undefined if it is empty
   * @throws ApiError as the endpoint does
   */
  async call<Body>({ session, id, closed }: ApiCallOrigin, call: ApiCall): Promise<Body> {
    const {
      method = 'GET',
      path,
      parameters = {},
      query = new URLSearchParams(),
      body,
      unchangedSince,
      idempotencyKey,
    } = call;
    const endpoint = this.#endpoints.get(`${method} ${path}`);
    if (!endpoint) throw new Error(`The API has no ${method} ${path}.`);
    const { usageCounter, clock } = this.#accounting;
    const caller = callerOf(requireUsableSession(session, clock.now()));
    const answered = { ...senderOf(caller), at: clock.now(), route: path };
    try {
      const pathname = fillPath(path, parameters);
      const reply = await endpoint.answer({
        ...createOwnRequest({ pathname, query: String(query), path: parameters, caller, id, closed }),
        readBody: async () => body,
        header: (name) => (name === 'Idempotency-Key' ? idempotencyKey : undefined),
        ...(unchangedSince !== undefined && { unchangedSince }),
      });
      if ('stream' in reply || 'lines' in reply) throw new Error(`${path} does not answer with JSON.`);
      usageCounter.count({ ...answered, status: endpoint.success ?? 200 });
      return 'empty' in reply ? (undefined as Body) : JSON.parse(textOf(reply.json));
    } catch (error) {
      if (error instanceof ApiError) {
        const { status, code, message } = error;
        usageCounter.count({ ...answered, status, error: { requestId: id, method, code, message } });
      }
      throw error;
    }
  }
}

/** The path of a request, with the values of its parameters. */
export function fillPath(path: string, parameters: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''));
}

function textOf(json: string | Buffer | Content): string {
  if (typeof json === 'string') return json;
  return Buffer.isBuffer(json) ? json.toString() : Buffer.concat(json.pieces).toString();
}
