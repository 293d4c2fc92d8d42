import type { Submission, SubmittedPick } from '../../../schemas/submission.ts';
import { CALIFORNIA } from './catalogue.ts';

const OREGON = 'or-2026-11-03-general';

/** A pick of a choice, by default without other values. */
export function pick(key: string, values: Partial<SubmittedPick> = {}): SubmittedPick {
  return {
    choice: key,
    rank: null,
    statement: null,
    statement_es: null,
    source_url: null,
    published_on: null,
    details: null,
    ...values,
  };
}

/** A submission about a contest of the small ballot: `endorse('bakers-local-1', 'mayor', 'ann')`. */
export function endorse(
  by: string,
  of: string,
  key: string,
  values: Partial<SubmittedPick> = {},
): Submission {
  return { action: 'endorse', endorser: by, contest: contestKey(of), picks: [pick(key, values)] };
}

export function withdraw(by: string, of: string, key: string): Submission {
  return { action: 'withdraw', endorser: by, contest: contestKey(of), picks: [pick(key)] };
}

export function position(by: string, of: string, picks: SubmittedPick[]): Submission {
  return { action: 'position', endorser: by, contest: contestKey(of), picks };
}

function contestKey(slug: string): string {
  return `${slug.startsWith('prop') ? CALIFORNIA : OREGON}/${slug}`;
}
