import type { Random } from '../../../ops/demo/random.ts';
import type { Submission } from '../../../schemas/submission.ts';
import { endorse, pick, position, withdraw } from '../../helpers/ballots/submissions.ts';

const ENDORSERS = ['bakers-local-1', 'coast-gazette', 'nation-herald'];
const CHOICES: Record<string, readonly string[]> = {
  mayor: ['ann', 'bob', 'cyd', 'dee'],
  council: ['ann', 'bob', 'cyd', 'dee'],
  'prop-1': ['yes', 'no'],
};

/** The expected endorsements, from a minimal interpretation of the submissions. */
export class EndorsementModel {
  readonly #random: Random;
  /** By endorser and contest: the statement of each endorsed choice. */
  readonly #positions = new Map<string, Map<string, string>>();
  #made = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Makes random submissions, and applies them to the model. */
  submissions(count: number): Submission[] {
    return Array.from({ length: count }, () => this.#submission());
  }

  /** Every endorsement as a line of text, sorted. */
  get lines(): string[] {
    const all = [...this.#positions].flatMap(([place, picks]) =>
      [...picks].map(([key, statement]) => `${place} ${key}: ${statement}`),
    );
    return all.sort();
  }

  #submission(): Submission {
    const random = this.#random;
    this.#made += 1;
    const endorser = random.pick(ENDORSERS);
    const contest = random.pick(Object.keys(CHOICES));
    const choice = random.pick(CHOICES[contest] ?? []);
    const statement = `Statement ${this.#made}.`;
    const place = `${endorser} ${contest}`;
    const picks = this.#positions.get(place) ?? new Map<string, string>();
    this.#positions.set(place, picks);
    const kind = random.next();
    if (kind < 0.2) {
      picks.delete(choice);
      return withdraw(endorser, contest, choice);
    }
    if (kind < 0.4) {
      picks.clear();
      picks.set(choice, statement);
      return position(endorser, contest, [pick(choice, { statement })]);
    }
    picks.set(choice, statement);
    return endorse(endorser, contest, choice, { statement });
  }
}
