import { isCalendarDate } from '../schemas/catalogue/formats.ts';
import { joinField, type Problem, showValue } from '../schemas/problems.ts';
import type { Submission } from '../schemas/submission.ts';
import type { Refusal } from './refusal.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The picks of a submission that were published later than a day. A withdrawal's date is of no use, and is not looked at. */
function publishedAfter({ action, picks }: Submission, day: string, problem: string): Problem[] {
  if (action === 'withdraw') return [];
  return picks.flatMap(({ published_on: on }, index) => {
    if (on === null || on <= day) return [];
    const field = action === 'position' ? joinField(`picks[${index}]`, 'published_on') : 'published_on';
    return [{ field, message: `${problem}, is ${showValue(on)}` }];
  });
}

/**
 * The dates of publication that are later than tomorrow (contract, "Catalogue and submission files"). Somewhere it is
 * tomorrow already.
 *
 * @param now milliseconds since 1970
 */
export function findUnpublished(submission: Submission, now: number): Problem[] {
  const tomorrow = new Date(now + DAY_MS).toISOString().slice(0, 10);
  return publishedAfter(submission, tomorrow, `must not be later than tomorrow, ${tomorrow}`);
}

/** The refusal of a submission for dates that are later than tomorrow. */
export function refuseUnpublished(submission: Submission, now: number): Refusal | undefined {
  const problems = findUnpublished(submission, now);
  if (problems.length === 0) return undefined;
  const message = `${problems.map(({ field, message: text }) => `${field} ${text}`).join('; ')}.`;
  return { code: 'not_yet_published', message };
}

/**
 * The dates of publication that are later than the election, which may be mistakes. Slugs of elections have the date
 * after the state; without one, nothing is known.
 */
export function findLate(submission: Submission): Problem[] {
  const [, day = ''] = /^[a-z]{2}-([0-9]{4}-[0-9]{2}-[0-9]{2})[-/]/.exec(submission.contest) ?? [];
  if (!isCalendarDate(day)) return [];
  return publishedAfter(submission, day, `should not be after the election on ${day}`);
}
