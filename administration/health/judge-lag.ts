import type { ServiceLag } from '../lag.ts';
import type { OldestWork } from '../oldest-work.ts';
import { type Finding, warning } from './finding.ts';

/** More waiting submissions are reported, as by the alert SubmissionsPileUp. */
export const MAX_SUBMISSIONS = 10_000;
/** A change that waits longer is reported, in seconds. The alert ChangesUnrelayed has more patience. */
export const MAX_UNRELAYED_SECONDS = 10;

const number = new Intl.NumberFormat('en-US');

/**
 * The problems that the lag shows, each with the way to mend it; none if all is well.
 *
 * @param oldest since when the work waits
 * @param now milliseconds since 1970
 */
export function judgeLag(
  { submissions, changes, rejections }: ServiceLag,
  { oldest, now }: { oldest: OldestWork; now: number },
): Finding[] {
  const waiting = submissions.reduce((sum, each) => sum + each.stable_lag, 0);
  const held = submissions.reduce((sum, each) => sum + each.lag - each.stable_lag, 0);
  const findings: Finding[] = [];
  if (waiting > MAX_SUBMISSIONS) {
    const text = `${number.format(waiting)} submissions wait to be applied. If the number does not fall, look at the log of the process that leads apply, and at the disk and locks of Postgres.`;
    findings.push(warning('apply', text, { since: oldest.submission, alert: 'SubmissionsPileUp' }));
  }
  if (held > 0) {
    const text = `An open transaction of a producer holds back ${number.format(held)} submissions. Kafka ends it within 15 minutes; tell the owner of the producer.`;
    findings.push(warning('apply', text, { since: oldest.held, alert: 'TransactionOpen' }));
  }
  if (changes.oldest_seconds > MAX_UNRELAYED_SECONDS) {
    const text = `${number.format(changes.lag)} changes wait to be relayed. If Kafka runs, the log of the process that leads relay has its answer.`;
    const since = new Date(now - changes.oldest_seconds * 1000);
    findings.push(warning('relay', text, { since, alert: 'ChangesUnrelayed' }));
  }
  if (rejections.lag > 0) {
    const text = `${number.format(rejections.lag)} rejections wait for the rejected topic. If the number does not fall, run "npm run ops -- topics check".`;
    findings.push(warning('rejected', text, { since: oldest.rejection, alert: 'RejectionsWait' }));
  }
  return findings;
}
