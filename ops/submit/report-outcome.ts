import { readSubmission } from '../../administration/rejections/describe.ts';
import { showControls } from '../../schemas/show-controls.ts';
import type { Rejection } from '../../schemas/submission.ts';
import { count } from '../table.ts';
import type { Outcome } from './follow.ts';
import type { RejectionTally } from './rejection-tally.ts';

/** The total outcome in a line: `4 applied: 2 made changes, 1 changed nothing, 1 rejected`. */
export function formatOutcome({ applied, changed, rejected }: Outcome): string {
  const unchanged = applied - changed - rejected;
  const parts = [
    `${count(changed)} made changes`,
    `${count(unchanged)} changed nothing`,
    `${count(rejected)} rejected`,
  ];
  return `${count(applied)} applied: ${parts.join(', ')}`;
}

/** The first rejected submissions with their reasons, a line each, then their number by code. */
export function formatRejections({ first, count: total, byCode }: RejectionTally): string[] {
  const lines = first.map(formatRejection);
  if (total > first.length) lines.push(`... and ${count(total - first.length)} more`);
  if (total > 0) {
    lines.push(`Rejected: ${byCode.map(([code, number]) => `${count(number)} ${code}`).join(', ')}.`);
  }
  return lines;
}

function formatRejection(rejection: Rejection): string {
  const { partition, offset, code, message } = rejection;
  const submission = readSubmission(rejection);
  const picks = submission?.picks.map(({ choice }) => choice).join(', ') ?? '';
  const named = submission
    ? ` (${submission.endorser} in ${submission.contest}${picks === '' ? '' : `: ${picks}`})`
    : '';
  return showControls(`rejected ${partition}/${offset}: ${code}: ${message}${named}`);
}
