import { Counter } from 'prom-client';
import { STREAM_GAP, StreamGapError } from '../../feed/stream-gap-error.ts';
import type { ErrorCode } from '../../schemas/errors.ts';
import type { ReconnectReason } from '../../schemas/http/events.ts';
import type { Logger } from '../../service/log.ts';

/** How a stream ends: the client is asked to reconnect, gets an error, has disconnected, or has vanished silently. */
export type StreamEnding =
  | { reconnect: ReconnectReason }
  | { error: ErrorCode; message: string }
  | { gone: true }
  | { vanished: true };

/** The end of a stream that has failed. */
export function endingAfter(error: unknown): StreamEnding {
  if (error instanceof StreamGapError) return { error: 'cursor_expired', message: STREAM_GAP };
  return { error: 'internal_error', message: 'The stream failed; reconnect to continue from here.' };
}

const endedStreams = new Counter({
  name: 'streams_ended_total',
  help: 'Streams of Server-Sent Events that have ended, by reason.',
  labelNames: ['reason'],
});

/** The reasons of errors, in words for operators. */
const ERROR_REASONS: Partial<Record<ErrorCode, string>> = {
  revoked_api_key: 'key_revoked',
  expired_api_key: 'key_expired',
  invalid_api_key: 'key_deleted',
  cursor_expired: 'change_lost',
  internal_error: 'defect',
};

function reasonOf(ending: StreamEnding): string {
  if ('gone' in ending) return 'client_closed';
  if ('vanished' in ending) return 'client_vanished';
  if ('reconnect' in ending) return ending.reconnect;
  return ERROR_REASONS[ending.error] ?? ending.error;
}

/**
 * Counts and logs the end of a stream.
 *
 * @param lasted.seconds how long the stream lasted
 * @param lasted.delivered the number of endorsement events that were written
 */
export function noteStreamEnd(
  log: Logger,
  ending: StreamEnding = { gone: true },
  { seconds, delivered }: { seconds: number; delivered: number },
): void {
  const reason = reasonOf(ending);
  endedStreams.inc({ reason });
  log.info({ reason, seconds, delivered }, 'a stream ended');
}
