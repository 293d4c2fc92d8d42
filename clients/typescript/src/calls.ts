import { ApiError, UnexpectedAnswerError } from './errors.ts';
import type { Connection, Request } from './http/connection.ts';
import { retry } from './http/retries.ts';
import type { CallOptions, PublishOptions } from './options.ts';

/** The form of an Idempotency-Key that the service takes. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** Sends requests until they succeed, and returns the `data` of their answers. */
export class Calls {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Reads one record. */
  async readRecord<Item>(path: string, query?: object, options?: CallOptions): Promise<Item> {
    return requireRecord(await this.#read(path, query, options));
  }

  /** Reads a whole list. */
  async readList<Item>(path: string, query?: object, options?: CallOptions): Promise<Item[]> {
    return requireList<{ data: Item[] }>(await this.#read(path, query, options)).data;
  }

  /** Reads a page of a list, with its cursors. */
  async readPage<Body extends { data: unknown; next_cursor: string | null }>(
    path: string,
    query?: object,
    options?: CallOptions,
  ): Promise<Body> {
    const page = requireList<Body>(await this.#read(path, query, options));
    if (page.next_cursor === null || typeof page.next_cursor === 'string') return page;
    throw createShapeError('next_cursor');
  }

  #read(path: string, query: object = {}, options: CallOptions = {}): Promise<unknown> {
    return this.#send({ path, query: query as NonNullable<Request['query']> }, options);
  }

  /**
   * Creates a record. Repeating the request is safe, because the service carries out all requests with the same
   * Idempotency-Key once.
   *
   * @throws TypeError for a key of another form, which would be lost on the way, or look like a failure of the network
   */
  async create<Item>(
    path: string,
    body: object,
    { idempotencyKey = crypto.randomUUID(), ...options }: PublishOptions = {},
  ): Promise<Item> {
    if (!IDEMPOTENCY_KEY.test(idempotencyKey)) {
      throw new TypeError(
        `idempotencyKey must have 1 to 255 ASCII characters without spaces; it is ${JSON.stringify(idempotencyKey)}.`,
      );
    }
    const headers = { 'Idempotency-Key': idempotencyKey };
    return requireRecord(await this.#send({ method: 'POST', path, body, headers }, options));
  }

  async replace<Item>(path: string, body: object, options: CallOptions = {}): Promise<Item> {
    return requireRecord(await this.#send({ method: 'PUT', path, body }, options));
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

function requireRecord<Item>(body: unknown): Item {
  const data = readData(body);
  if (typeof data === 'object' && data !== null && !Array.isArray(data)) return data as Item;
  throw createShapeError('record as data');
}

function requireList<Body extends { data: unknown }>(body: unknown): Body {
  if (Array.isArray(readData(body))) return body as Body;
  throw createShapeError('list as data');
}

const readData = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined;

const createShapeError = (missing: string) =>
  new UnexpectedAnswerError(`The answer has no ${missing}. Check that baseUrl leads to this service.`);
