import { countRemovals, type ElectionRemoval } from '../../domain/removal-guard.ts';
import { count } from '../table.ts';

/** The most elections that are named. */
const MAX_NAMED = 20;

/** Says what an import would take away, by election, and what to do. */
export function describeRemovals(removals: readonly ElectionRemoval[]): string {
  const lines = removals
    .slice(0, MAX_NAMED)
    .map(
      ({ election, contests, choices, endorsements, ofContests, ofEndorsements }) =>
        `  ${election}: ${count(contests)} of ${count(ofContests)} contests, ${count(choices)} choices, ` +
        `${count(endorsements)} of ${count(ofEndorsements)} endorsements`,
    );
  const more = removals.length - lines.length;
  return [
    'Nothing was loaded: the files lack parts of elections, which would be removed with their endorsements:',
    ...lines,
    ...(more > 0 ? [`  and ${count(more)} more elections`] : []),
    `If the files have only a part of an election, add --keep-missing. If this is intended, add --allow-removals ${countRemovals(removals)}.`,
  ].join('\n');
}
