import type { Submission, SubmittedPick } from '../../schemas/submission.ts';
import { demoStatement } from './positions.ts';
import type { Random } from './random.ts';

/** An endorser's current position in a contest of the demo. */
export interface DemoSituation {
  endorser: string;
  contest: string;
  voteMethod: string;
  /** Keys of the possible choices, in ballot order. */
  choices: string[];
  /** The endorser's picks in the contest, in rank order. */
  picks: { choice: string; rank: number | null }[];
}

/**
 * Makes one valid change of an endorser's position: a first endorsement, or else another statement, another order of a
 * ranking, or a withdrawal. Null if the contest has nobody to endorse.
 */
export function changeOf(situation: DemoSituation, today: string, random: Random): Submission | null {
  const { endorser, contest, voteMethod, choices, picks } = situation;
  const submission = (action: Submission['action'], changed: SubmittedPick[]): Submission => ({
    action,
    endorser,
    contest,
    picks: changed,
  });
  const createPick = (choice: string, rank: number | null): SubmittedPick => {
    const [statement, statement_es] = demoStatement(voteMethod, random);
    return { choice, rank, statement, statement_es, source_url: null, published_on: today, details: null };
  };
  const [first] = picks;
  if (!first) {
    if (choices.length === 0) return null;
    const rank = voteMethod === 'ranked_choice' ? 1 : null;
    return submission('endorse', [createPick(random.pick(choices), rank)]);
  }
  if (picks.length > 1 && first.rank !== null && random.chance(0.5)) {
    const [second, ...others] = picks.slice(1);
    const order = second ? [second, first, ...others] : [first];
    return submission(
      'position',
      order.map(({ choice }, index) => createPick(choice, index + 1)),
    );
  }
  const { choice, rank } = random.pick(picks);
  if (random.chance(0.4)) return submission('withdraw', [createPick(choice, null)]);
  return submission('endorse', [createPick(choice, rank)]);
}
