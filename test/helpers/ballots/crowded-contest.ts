import type { CatalogueLine } from './catalogue.ts';
import { choice, contest } from './catalogue-records.ts';

/** The choices of the contest `crowd`: to endorse all of them takes one whole batch of an upload. */
export const CROWD = Array.from({ length: 500 }, (_, at) => `person-${at}`);

export const CROWDED_CONTEST: CatalogueLine = [
  'contests',
  contest('crowd', { choices: CROWD.map((key) => choice(key)) }),
];
