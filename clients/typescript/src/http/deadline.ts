import { BallotEndorsementsError, NetworkError, TimeoutError } from '../errors.ts';
import { onAbort } from './on-abort.ts';
import { MAX_TIMER_MS } from './sleep.ts';

/** Ends a request when its caller aborts it, or when the service is silent for too long. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  #leaveCaller: () => void = () => {};
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The error's message when time is up. */
  #expired: string | null = null;

  constructor(caller: AbortSignal | undefined) {
    this.#caller = caller;
    if (caller?.aborted) this.#abort();
    else if (caller) this.#leaveCaller = onAbort(caller, this.#abort);
  }

  readonly #abort = () => this.#controller.abort(this.#caller?.reason);

  /** The signal of the request. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Settles as the work does, or as soon as the request ends: a function that finds the key has no signal, and a `fetch`
   * that is not the global one may ignore its own.
   */
  race<Value>(work: Promise<Value>): Promise<Value> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const abort = () => reject(this.explain(signal.reason));
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort);
      work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    });
  }

  /** Starts the time again. @param what the missing part, such as "an answer", for the error */
  start(ms: number, what: string): void {
    this.pause();
    this.#timer = setTimeout(
      () => {
        this.#expired = `The service has sent ${what} within ${ms} ms.`;
        this.#controller.abort();
      },
      Math.min(ms, MAX_TIMER_MS),
    );
  }

  /** Stops the time while nothing is expected from the service. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** Closes the connection if it is still open. */
  end(): void {
    this.pause();
    this.#leaveCaller();
    this.#controller.abort();
  }

  /** Translates an error of `fetch` or of reading the body into the caller's reason or an error of this package. */
  explain(error: unknown): unknown {
    if (this.#caller?.aborted) return this.#caller.reason;
    if (error instanceof BallotEndorsementsError) return error;
    if (this.#expired !== null) return new TimeoutError(this.#expired);
    return new NetworkError(describe(error), { cause: error });
  }
}

/** `fetch` of Node hides the reason, such as ECONNREFUSED, in the cause. */
function describe(error: unknown): string {
  const reasons: string[] = [];
  // Not `instanceof`: each realm of a runtime has its own Error.
  for (let each = error; typeof each === 'object' && each !== null; ) {
    const { message, code, name, cause } = each as Record<'message' | 'code' | 'name' | 'cause', unknown>;
    const text = [message, code, name].find((value) => typeof value === 'string' && value !== '');
    if (text !== undefined && !reasons.includes(String(text))) reasons.push(String(text));
    each = cause;
  }
  return `The service could not be reached, or the connection broke: ${reasons.join(': ') || String(error)}.`;
}
