import { readSubmission } from '../../administration/rejections/describe.ts';
import type { Rejection } from '../../schemas/submission.ts';
import { count, showControls } from '../table.ts';
import type { Outcome } from './follow.ts';

/** The most rejections that are listed singly. */
const MAX_NAMED = 50;

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

/** The rejected submissions with their reasons, a line each up to a bound, then their number by code. */
export function formatRejections(rejections: readonly Rejection[]): string[] {
  const ordered = [...rejections].sort((a, b) => a.partition - b.partition || a.offset - b.offset);
  const lines = ordered.slice(0, MAX_NAMED).map(formatRejection);
  if (rejections.length > MAX_NAMED) lines.push(`... and ${count(rejections.length - MAX_NAMED)} more`);
  const byCode = Map.groupBy(rejections, ({ code }) => code);
  const codes = [...byCode].sort(([, a], [, b]) => b.length - a.length);
  if (codes.length > 0)
    lines.push(`Rejected: ${codes.map(([code, all]) => `${count(all.length)} ${code}`).join(', ')}.`);
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
