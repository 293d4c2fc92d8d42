/** A failed request that will be sent again. */
export interface Retry {
  /** The reason: an ApiError, NetworkError, TimeoutError or UnexpectedAnswerError. */
  error: unknown;
  /** The path of the request. */
  path: string;
  /** The number of failures in a row. */
  failures: number;
  /** The wait before the next attempt, in milliseconds. */
  waitMs: number;
}

export interface ClientOptions {
  /**
   * The address of the service, such as `https://ballot.example`. In a browser, use the path of your own site that
   * passes requests on to the service, such as `/ballot`, or an empty text for its root.
   */
  baseUrl: string;
  /**
   * The API key, or a function that returns the current one. With a function, streams, event loops, exports and mirrors
   * continue with another key when theirs is refused. Leave it out if your own site adds the key.
   */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The longest duration of an attempt, and the longest silence of an export, in milliseconds; 30,000 by default. */
  timeoutMs?: number | undefined;
  /** The number of retries of a failed request; 4 by default. Streams, event loops and mirrors never give up. */
  maxRetries?: number | undefined;
  /** Called before each retry, for your log. */
  onRetry?: ((retry: Retry) => void) | undefined;
  /** Replaces the global `fetch`, for example to go through a proxy. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** Options of one call. */
export interface CallOptions {
  /** Ends the call, which then throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Replaces the client's. */
  timeoutMs?: number | undefined;
  /** Replaces the client's. */
  maxRetries?: number | undefined;
}

/** Options of `publish`. */
export interface PublishOptions extends CallOptions {
  /**
   * Calls with the same key and the same submissions publish once, within a day. Give one to repeat a call that failed,
   * also in another process. It has 1 to 255 ASCII characters without spaces. By default each call has its own, which
   * makes its retries safe.
   */
  idempotencyKey?: string | undefined;
}
