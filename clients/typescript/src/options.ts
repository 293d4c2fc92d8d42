/** A request that failed and is about to be sent again. */
export interface Retry {
  /** The reason: an ApiError, NetworkError, TimeoutError or UnexpectedAnswerError. */
  error: unknown;
  /** The path of the request. */
  path: string;
  /** How many times in a row it has failed. */
  failures: number;
  /** When it is sent again, in milliseconds from now. */
  waitMs: number;
}

export interface ClientOptions {
  /**
   * The address of the service, such as `https://ballot.example`. In a browser, the path of your own site at which it
   * passes requests on to the service, such as `/ballot`, or an empty text for its root.
   */
  baseUrl: string;
  /** The API key, or a function that gives the present one. Leave it out if your own site adds the key. */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** How long an attempt may take, and how long an export may be silent, in milliseconds; 30,000 by default. */
  timeoutMs?: number | undefined;
  /** How often a failed request is sent again; 4 times by default. Streams, event loops and mirrors never give up. */
  maxRetries?: number | undefined;
  /** Called before a failed request is sent again, to log why. */
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
