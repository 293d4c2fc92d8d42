import { createApiError, NetworkError, UnexpectedAnswerError } from '../errors.ts';
import type { ClientOptions, Retry } from '../options.ts';
import { Deadline } from './deadline.ts';
import { formatQuery, type QueryValues } from './query.ts';
import { readRetryAfter } from './retry-after.ts';

/** A request to the service. */
export interface Request {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Begins with `/v1/`. */
  path: string;
  query?: QueryValues;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: unknown;
}

/** One attempt of a request. */
export interface Attempt {
  signal?: AbortSignal | undefined;
  timeoutMs: number;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_RETRIES = 4;

/** Sends each request once. It knows the address, the key, and the form of errors. */
export class Connection {
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly onRetry: (retry: Retry) => void;
  /** Whether a request may have another key than the one before. */
  readonly mayRenewKey: boolean;
  /** Whether the service has answered at this address. Then a wrong answer, such as a proxy's, is temporary. */
  isRecognized = false;
  readonly #base: string;
  readonly #apiKey: ClientOptions['apiKey'];
  readonly #fetch: typeof globalThis.fetch;
  readonly #isGlobalFetch: boolean;

  /** @throws TypeError if the address is invalid */
  constructor(options: ClientOptions) {
    const { baseUrl, apiKey, fetch = globalThis.fetch } = options;
    if (typeof baseUrl !== 'string' || !isAddress(baseUrl)) {
      // A password in it stays out of logs.
      const shown = String(baseUrl).replace(/\/\/[^/]*@/, '//…@');
      throw new TypeError(
        `baseUrl must begin with https:// or http:// and have no user name, query or fragment, or be a path; it is "${shown}".`,
      );
    }
    this.#base = baseUrl.replace(/\/+$/, '');
    this.#apiKey = apiKey;
    this.mayRenewKey = typeof apiKey === 'function';
    this.#isGlobalFetch = fetch === globalThis.fetch;
    // Browsers refuse a `fetch` that is called as a method of another object.
    this.#fetch = (...given) => fetch(...given);
    this.timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.maxRetries = options.maxRetries ?? DEFAULT_MAX_RETRIES;
    this.onRetry = options.onRetry ?? (() => {});
  }

  /**
   * Sends a request and reads its JSON answer; undefined if the answer is empty.
   *
   * @throws ApiError, NetworkError, TimeoutError, UnexpectedAnswerError, or the signal's reason
   */
  async readJson(request: Request, { signal, timeoutMs }: Attempt): Promise<unknown> {
    const deadline = new Deadline(signal);
    deadline.start(timeoutMs, 'no whole answer');
    try {
      const response = await this.#send(request, deadline);
      const text = await read(deadline, () => response.text());
      return text === '' ? undefined : parseJson(text);
    } finally {
      deadline.end();
    }
  }

  /**
   * Sends a request and passes the bytes of its answer to `take`, which reads them as they arrive. Afterwards the
   * connection ends.
   *
   * @param request.accept the media type that the answer must have
   * @param attempt.timeoutMs the longest wait for the status
   * @param attempt.silenceMs the longest silence after that
   * @throws ApiError, NetworkError, TimeoutError, UnexpectedAnswerError, or the signal's reason
   */
  async *open<Part>(
    { accept, headers, ...request }: Request & { accept: string },
    { signal, timeoutMs, silenceMs }: Attempt & { silenceMs: number },
    take: (pieces: AsyncIterable<Uint8Array>) => AsyncIterable<Part>,
  ): AsyncGenerator<Part, void> {
    const deadline = new Deadline(signal);
    deadline.start(timeoutMs, 'no answer');
    try {
      const response = await this.#send({ ...request, headers: { Accept: accept, ...headers } }, deadline);
      deadline.pause();
      const type = response.headers.get('Content-Type') ?? 'no content type';
      if (!type.startsWith(accept)) {
        throw new UnexpectedAnswerError(`${request.path} answered with ${type}, not with ${accept}.`);
      }
      yield* take(readPieces(response, deadline, silenceMs));
    } finally {
      deadline.end();
    }
  }

  /** @returns the answer, with a status below 300 */
  async #send(
    { method = 'GET', path, query = {}, headers, body }: Request,
    deadline: Deadline,
  ): Promise<Response> {
    const address = `${this.#base}${path}${formatQuery(query)}`;
    // A retry would not help. Another `fetch` may complete a path by itself.
    if (address.startsWith('/') && this.#isGlobalFetch && !('location' in globalThis)) {
      throw new TypeError(`baseUrl is "${this.#base}", a path, which needs a page; give the whole address.`);
    }
    const init: RequestInit = {
      method,
      headers: { Accept: 'application/json', ...(await this.#authorize(deadline)), ...headers },
      signal: deadline.signal,
      cache: 'no-store',
      // Behind a redirect, a POST would become a GET. `error` would look like a network that fails.
      redirect: 'manual',
    };
    if (body !== undefined) {
      init.body = JSON.stringify(body);
      init.headers = { ...init.headers, 'Content-Type': 'application/json' };
    }
    const response = await read(deadline, () => this.#fetch(address, init));
    if (response.redirected || response.type === 'opaqueredirect' || isRedirect(response.status)) {
      const target = response.headers.get('Location');
      throw new UnexpectedAnswerError(
        `The answer is a redirect${target === null ? '' : ` to ${target}`}. Give the final address as baseUrl, which is "${this.#base}".`,
      );
    }
    if (response.ok) return response;
    const text = await read(deadline, () => response.text());
    throw createApiError({
      ...readError(response.status, text),
      status: response.status,
      requestId: response.headers.get('X-Request-Id'),
      retryAfterMs: readRetryAfter(response.headers),
    });
  }

  async #authorize(deadline: Deadline): Promise<Record<string, string>> {
    const given = this.#apiKey;
    const key = typeof given === 'function' ? await deadline.race(Promise.resolve(given())) : given;
    if (key === undefined) return {};
    if (typeof key === 'string' && /^[\x21-\x7e]+$/.test(key)) return { Authorization: `Bearer ${key}` };
    throw new TypeError('apiKey must be the text of a key, without spaces and line ends.');
  }
}

function isAddress(baseUrl: string): boolean {
  if (baseUrl === '' || /^\/(?!\/)/.test(baseUrl)) return true;
  try {
    const { username, password, search, hash } = new URL(baseUrl);
    return /^https?:\/\//i.test(baseUrl) && `${username}${password}${search}${hash}` === '';
  } catch {
    return false;
  }
}

const isRedirect = (status: number) => status >= 300 && status < 400;

/** Awaits a promise of the connection. */
async function read<Value>(deadline: Deadline, from: () => Promise<Value>): Promise<Value> {
  try {
    return await deadline.race(from());
  } catch (error) {
    throw deadline.explain(error);
  }
}

async function* readPieces(
  response: Response,
  deadline: Deadline,
  silenceMs: number,
): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  try {
    while (reader) {
      // Time runs only while bytes are awaited, not while the caller processes them.
      deadline.start(silenceMs, 'nothing');
      const { done, value } = await read(deadline, () => reader.read());
      deadline.pause();
      if (done) return;
      yield value;
    }
  } finally {
    reader?.cancel().catch(() => {});
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Without a length, an answer that a proxy has cut looks whole. All of the service's are objects.
    if (text.startsWith('{')) throw new NetworkError('The answer broke off within its JSON.');
    throw new UnexpectedAnswerError(`The answer is not JSON. It begins with: ${text.slice(0, 80)}`);
  }
}

/** Reads `{"error": {"code", "message"}}`. A proxy's answer has no such body. */
function readError(status: number, text: string): { code: string; message: string } {
  try {
    const { code, message } = JSON.parse(text).error;
    if (typeof code === 'string' && typeof message === 'string') return { code, message };
  } catch {
    // Another server has answered.
  }
  const start = text.trim().slice(0, 80);
  return { code: `http_${status}`, message: `The answer has the status ${status}${start && `: ${start}`}` };
}
