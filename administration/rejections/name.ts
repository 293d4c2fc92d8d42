import type { Rejection } from '../../schemas/submission.ts';
import { OperatorError } from '../../service/operator-error.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A place in the submissions topic. */
export interface Origin {
  partition: number;
  offset: number;
}

/** Parses `PARTITION/OFFSET`. @throws OperatorError if the form is wrong */
export function parseOrigin(text: string): Origin {
  const [, partition, offset] = /^([0-9]{1,9})\/([0-9]{1,15})$/.exec(text) ?? [];
  if (partition === undefined || offset === undefined) {
    throw new OperatorError(`"${text}" is not an origin; it must be like 3/1201, PARTITION/OFFSET.`);
  }
  return { partition: Number(partition), offset: Number(offset) };
}

/** The place of a rejection's submission, `PARTITION/OFFSET`. */
export function originOf({ partition, offset }: Rejection): string {
  return `${partition}/${offset}`;
}

/**
 * The name of a rejection, `PARTITION/OFFSET@TIME`. If the topic of submissions is made anew, offsets restart
 * at 0; the time then tells later rejections from earlier ones.
 */
export function nameOf(rejection: Rejection): string {
  return `${originOf(rejection)}@${new Date(rejection.rejected_at).toISOString()}`;
}

/** The subject of an audit entry about these rejections. */
export function subjectOf(chosen: readonly Rejection[]): string {
  const [first] = chosen;
  return first && chosen.length === 1 ? `submission ${originOf(first)}` : 'rejected submissions';
}

/** @throws OperatorError if a text is neither `PARTITION/OFFSET` nor `PARTITION/OFFSET@TIME` */
export function checkName(text: string): void {
  const [origin = '', ...times] = text.split('@');
  parseOrigin(origin);
  if (times.length > 1 || !times.every((time) => TIME.test(time))) {
    throw new OperatorError(
      `"${text}" is not the name of a rejection; it must be like 3/1201 or 3/1201@2026-05-03T10:00:00.000Z, ` +
        'with the time from "rejected list".',
    );
  }
}

/** Finds the rejections of a name. A name without a time can match several. */
export function findNamed(rejections: readonly Rejection[], name: string): Rejection[] {
  const [origin] = name.split('@');
  return rejections.filter((one) => originOf(one) === origin && (name === origin || name === nameOf(one)));
}
