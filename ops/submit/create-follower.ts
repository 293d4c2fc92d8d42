import { OperatorError } from '../../service/operator-error.ts';
import { type CommandIo, UnfinishedError } from '../command.ts';
import type { OpsConfig } from '../config.ts';
import { withTotal } from '../progress.ts';
import { count } from '../table.ts';
import { followSubmissions, prepareToFollow } from './follow.ts';
import { formatOutcome, formatRejections } from './report-outcome.ts';
import { SentOffsets } from './sent-offsets.ts';

/** Follows submissions for an operator: with a progress bar, a time limit, Ctrl-C, and a final report. */
export interface Follower {
  /** Receives the offsets of all sent submissions. */
  sent: SentOffsets;
  /** Lets Ctrl-C end the wait, no longer the program. Call this when everything is sent. */
  listen(): void;
  /**
   * Waits until all submissions are applied, and reports the outcome.
   *
   * @throws OperatorError if some were rejected, or a server fails
   * @throws UnfinishedError if the wait ends before all are applied
   */
  follow(): Promise<void>;
}

/**
 * Call this before sending anything.
 *
 * @param timeoutSeconds the longest wait; without limit if undefined
 * @throws OperatorError if a server cannot be used
 */
export async function createFollower(
  config: OpsConfig,
  io: CommandIo,
  timeoutSeconds: number | undefined,
): Promise<Follower> {
  const start = await prepareToFollow(config);
  const sent = new SentOffsets();
  const interrupted = new AbortController();
  let forget = () => {};
  return {
    sent,
    listen: () => {
      forget = io.onInterrupt(() => interrupted.abort());
    },
    follow: () =>
      follow(config, io, { start, sent, timeoutSeconds, interrupted: interrupted.signal }).finally(forget),
  };
}

interface Following {
  start: Awaited<ReturnType<typeof prepareToFollow>>;
  sent: SentOffsets;
  timeoutSeconds: number | undefined;
  interrupted: AbortSignal;
}

async function follow(
  config: OpsConfig,
  io: CommandIo,
  { start, sent, timeoutSeconds, interrupted }: Following,
): Promise<void> {
  const signals = [interrupted];
  if (timeoutSeconds !== undefined) signals.push(AbortSignal.timeout(timeoutSeconds * 1000));
  const onStall = () =>
    io.err(
      'No submissions were applied for 10 seconds. A large batch can take that long; otherwise, do the consumers run? ' +
        '"npm run ops -- lag" shows how many submissions wait.',
    );
  const signal = AbortSignal.any(signals);
  const outcome = await withTotal(io.terminal, 'Applying', sent.count, (onProgress) =>
    followSubmissions(config, { start, sent, signal, onProgress, onStall }),
  );
  io.out(formatOutcome(outcome));
  for (const line of formatRejections(outcome.rejections)) io.err(line);
  const waiting = sent.count - outcome.applied;
  if (waiting > 0) {
    const reason = interrupted.aborted ? 'You pressed Ctrl-C' : `${timeoutSeconds} seconds have passed`;
    throw new UnfinishedError(
      `${reason}: ${count(waiting)} submissions are in Kafka but not applied yet. They will be, without another ` +
        '"submit"; "npm run ops -- lag" shows how many wait.',
    );
  }
  if (outcome.rejected > 0) {
    throw new OperatorError(
      `${count(outcome.rejected)} submissions were rejected. Correct them and submit them again, or mend the catalogue ` +
        'and run "npm run ops -- rejected retry".',
    );
  }
}
