import { ApiError, UnexpectedAnswerError } from './errors.ts';
import type { Connection, Request } from './http/connection.ts';
import { retry } from './http/retries.ts';
import type { CallOptions } from './options.ts';

/** Sends requests until they succeed, and returns the `data` of their answers. */
export class Calls {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Returns the body of a GET's answer. */
  async read<Body extends { data: unknown }>(
    path: string,
    query: object = {},
    options: CallOptions = {},
  ): Promise<Body> {
    const request = { path, query: query as NonNullable<Request['query']> };
    return requireData<Body>(await this.#send(request, options));
  }

  /**
   * Creates a record. Repeating the request is safe, because the service carries out all requests with the same
   * Idempotency-Key once.
   */
  async create<Body extends { data: unknown }>(
    path: string,
    body: object,
    options: CallOptions = {},
  ): Promise<Body> {
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    return requireData<Body>(await this.#send({ method: 'POST', path, body, headers }, options));
  }

  async replace<Body extends { data: unknown }>(
    path: string,
    body: object,
    options: CallOptions = {},
  ): Promise<Body> {
    return requireData<Body>(await this.#send({ method: 'PUT', path, body }, options));
  }

  async delete(path: string, options: CallOptions = {}): Promise<void> {
    await this.#send({ method: 'DELETE', path }, options);
  }

  #send(request: Request, options: CallOptions): Promise<unknown> {
    const { path } = request;
    const { signal, timeoutMs = this.#connection.timeoutMs } = options;
    const { maxRetries = this.#connection.maxRetries } = options;
    const attempt = (failures: number) =>
      this.#connection.readJson(request, { signal, timeoutMs }).catch((error: unknown) => {
        // An earlier attempt may have deleted the record, and its answer was lost.
        const isGone = failures > 0 && request.method === 'DELETE' && error instanceof ApiError;
        if (isGone && error.status === 404) return undefined;
        throw error;
      });
    return retry(attempt, { path, maxRetries, signal, onRetry: this.#connection.onRetry });
  }
}

function requireData<Body extends { data: unknown }>(body: unknown): Body {
  if (typeof body === 'object' && body !== null && 'data' in body) return body as Body;
  throw new UnexpectedAnswerError('The answer has no data. Check that baseUrl leads to this service.');
}
