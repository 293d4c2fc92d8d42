import { OperatorError } from '../../service/operator-error.ts';
import { type CommandIo, UnfinishedError } from '../command.ts';
import type { OpsConfig } from '../config.ts';
import { startProgress } from '../progress.ts';
import { count } from '../table.ts';
import { followSubmissions, prepareToFollow } from './follow.ts';
import { formatOutcome, formatRejections } from './report-outcome.ts';
import { SentOffsets } from './sent-offsets.ts';

/** Follows submissions for a person: with a progress bar, a time limit, Ctrl-C, and a report at the end. */
export interface Follower {
  /** To be given the places of everything that is sent. */
  sent: SentOffsets;
  /**
   * Waits until all of it is applied, and reports what became of it.
   *
   * @throws OperatorError if some of it was rejected, or a server goes away
   * @throws UnfinishedError if the wait ends before all of it is applied
   */
  follow(): Promise<void>;
}

/**
 * To be called before anything is sent.
 *
 * @param timeoutSeconds the longest wait; for ever if undefined
 * @throws OperatorError if a server cannot be used
 */
export async function createFollower(
  config: OpsConfig,
  io: CommandIo,
  timeoutSeconds: number | undefined,
): Promise<Follower> {
  const start = await prepareToFollow(config);
  const sent = new SentOffsets();
  return { sent, follow: () => follow(config, io, { start, sent, timeoutSeconds }) };
}

interface Following {
  start: Awaited<ReturnType<typeof prepareToFollow>>;
  sent: SentOffsets;
  timeoutSeconds: number | undefined;
}

async function follow(
  config: OpsConfig,
  io: CommandIo,
  { start, sent, timeoutSeconds }: Following,
): Promise<void> {
  const interrupted = new AbortController();
  const forget = io.onInterrupt(() => interrupted.abort());
  const signals = [interrupted.signal];
  if (timeoutSeconds !== undefined) signals.push(AbortSignal.timeout(timeoutSeconds * 1000));
  const progress = startProgress(io.terminal, 'Applying', sent.count);
  const onStall = () =>
    io.err(
      'Nothing was applied for 10 seconds: do the consumers run? "npm run ops -- lag" shows how many submissions wait.',
    );
  const outcome = await followSubmissions(config, {
    ...{ start, sent, onStall },
    signal: AbortSignal.any(signals),
    onProgress: progress.advance,
  }).finally(() => {
    progress.stop();
    forget();
  });
  io.out(formatOutcome(outcome));
  for (const line of formatRejections(outcome.rejections)) io.err(line);
  const waiting = sent.count - outcome.applied;
  if (waiting > 0) {
    const reason = interrupted.signal.aborted
      ? 'You pressed Ctrl-C'
      : `${timeoutSeconds} seconds have passed`;
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
