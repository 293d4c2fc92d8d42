import type { Rejection } from '../../schemas/submission.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { parseOrigin } from './origin.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The place of a rejection's submission, `PARTITION/OFFSET`. */
export function originOf({ partition, offset }: Rejection): string {
  return `${partition}/${offset}`;
}

/**
 * The name of a rejection, `PARTITION/OFFSET@TIME`. Offsets begin at 0 again when the topic of submissions is made anew,
 * and the time tells later rejections from those of before.
 */
export function nameOf(rejection: Rejection): string {
  return `${originOf(rejection)}@${new Date(rejection.rejected_at).toISOString()}`;
}

/** @throws OperatorError if a text is neither `PARTITION/OFFSET` nor `PARTITION/OFFSET@TIME` */
export function checkName(text: string): void {
  const [origin = '', ...times] = text.split('@');
  parseOrigin(origin);
  if (times.length > 1 || !times.every((time) => TIME.test(time))) {
    throw new OperatorError(
      `"${text}" names no rejection; it must be like 3/1201 or 3/1201@2026-05-03T10:00:00.000Z, with the time as "rejected list" shows it.`,
    );
  }
}

/** Finds the rejections of a name; a name without a time can have several. */
export function findNamed(rejections: readonly Rejection[], name: string): Rejection[] {
  const [origin] = name.split('@');
  return rejections.filter((one) => originOf(one) === origin && (name === origin || name === nameOf(one)));
}
