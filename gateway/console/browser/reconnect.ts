/** Why a connection of the stream ended or failed to begin. */
export type Ending =
  /** The network failed, or the connection was silent for too long. */
  | { kind: 'lost' }
  /** The service closed the connection, and said when to return if it could. */
  | { kind: 'closed'; retryMs: number | null }
  /** The service answered with an error, or ended the stream with one. */
  | Refusal;

export interface Refusal {
  kind: 'refused';
  /** The status of the answer; null for an error within the stream. */
  status: number | null;
  code: string;
  /** The message of the service. */
  message: string;
  /** The retry delay that the service asked for, in milliseconds; null if it named none. */
  retryAfterMs: number | null;
}

/** A client's next step: to reconnect after a wait, or to stop. */
export type NextStep =
  | { kind: 'wait'; waitMs: number; reason: string }
  | { kind: 'stop'; why: 'expired' | 'signed-out' | 'refused'; reason: string };

export interface Circumstances {
  /** The delay before the next connection that the stream asked for, in milliseconds. */
  retryMs: number;
  /** The number of failed connections in a row before this one. */
  failures: number;
}

const MAX_WAIT_MS = 30_000;
/** Errors within a stream that a new connection would meet again, or that it would cause for another page. */
const LASTING = new Set([
  'account_suspended',
  'insufficient_scope',
  'not_found',
  'subscription_not_found',
  'too_many_streams',
]);

/** Decides what to do after a connection ends, as docs/streaming.md tells clients. */
export function decideNext(ending: Ending, { retryMs, failures }: Circumstances): NextStep {
  const patientMs = Math.min(MAX_WAIT_MS, retryMs * 2 ** Math.min(failures, 10));
  if (ending.kind === 'lost') {
    return { kind: 'wait', waitMs: patientMs, reason: 'The connection was lost.' };
  }
  if (ending.kind === 'closed') {
    const waitMs = ending.retryMs ?? patientMs;
    return {
      kind: 'wait',
      waitMs,
      reason: 'The service ended the connection, as it does from time to time.',
    };
  }
  const { status, code, message, retryAfterMs } = ending;
  if (status === 410 || code === 'cursor_expired') return { kind: 'stop', why: 'expired', reason: message };
  if (status === 401 || code.endsWith('_api_key'))
    return { kind: 'stop', why: 'signed-out', reason: message };
  const isLasting = status === null ? LASTING.has(code) : status < 500 && status !== 408 && status !== 429;
  if (isLasting) return { kind: 'stop', why: 'refused', reason: message };
  return { kind: 'wait', waitMs: retryAfterMs ?? patientMs, reason: message };
}

/** Asks the API as the page's session. @throws Error with the service's message if it refuses */
export async function askApi(path: string, options: RequestInit): Promise<Response> {
  const response = await fetch(`/console/api${path}`, options);
  if (response.ok) return response;
  throw new Error(readRefusal(response.status, null, await response.text()).message);
}

/** The service's message, or `otherwise` for an error of the browser, such as for a lost network. */
export function explainError(error: unknown, otherwise: string): string {
  return error instanceof Error && error.name === 'Error' ? error.message : otherwise;
}

/** Reads an error of the service. Answers of a proxy do not have its form. */
export function readRefusal(status: number | null, retryAfter: string | null, body: string): Refusal {
  const retryAfterMs = retryAfter !== null && /^[0-9]+$/.test(retryAfter) ? Number(retryAfter) * 1000 : null;
  const { code, message } = readError(body);
  const fallback = `The service answered with the status ${status}.`;
  return { kind: 'refused', status, code: code ?? '', message: message ?? fallback, retryAfterMs };
}

/** Reads `{"error": {"code", "message"}}` of an answer, or `{"code", "message"}` of an error within the stream. */
function readError(body: string): { code?: string; message?: string } {
  try {
    const parsed = JSON.parse(body);
    const { code, message } = parsed.error ?? parsed;
    return { ...(typeof code === 'string' && { code }), ...(typeof message === 'string' && { message }) };
  } catch {
    return {};
  }
}
