import { showControls } from '../../schemas/show-controls.ts';
import type { Rejection } from '../../schemas/submission.ts';
import { readSubmission } from './describe.ts';

/** The most bytes to show of an undecodable value. */
const DUMPED_BYTES = 512;
const BYTES_PER_LINE = 16;

/** One rejection in full, as lines that a terminal can show. */
export function showRejection(rejection: Rejection): string[] {
  const { code, message, topic, partition, offset, last_offset, rejected_at, value, truncated } = rejection;
  const lines = [
    `reason:    ${code}: ${message}`,
    `origin:    ${topic}, partition ${partition}, offset ${offset}${last_offset === null ? '' : ` to ${last_offset}`}`,
    `rejected:  ${new Date(rejected_at).toISOString()}`,
    `size:      ${value === null ? 'none; the record had no value' : `${truncated?.size ?? value.length} bytes`}`,
  ];
  if (truncated) {
    lines.push(
      `kept:      the first ${value?.length ?? 0} bytes, so it cannot be sent again`,
      `SHA-256:   ${truncated.sha256.toString('hex')} of the whole value`,
    );
  }
  const submission = readSubmission(rejection);
  if (submission) lines.push('submission:', ...JSON.stringify(submission, null, 2).split('\n'));
  else if (value && value.length > 0) lines.push(...dump(value));
  return lines.map(showControls);
}

function dump(value: Buffer): string[] {
  const shown = value.subarray(0, DUMPED_BYTES);
  const lines = [`first bytes:`];
  for (let start = 0; start < shown.length; start += BYTES_PER_LINE) {
    const bytes = shown.subarray(start, start + BYTES_PER_LINE);
    const hex = bytes.toString('hex').replace(/..(?=.)/g, '$& ');
    // Other characters could be an instruction to the terminal.
    const text = bytes.toString('latin1').replace(/[^ -~]/g, '.');
    lines.push(`${start.toString(16).padStart(8, '0')}  ${hex.padEnd(3 * BYTES_PER_LINE)} ${text}`);
  }
  return lines;
}
