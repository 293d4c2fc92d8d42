/** A catalogue with random edits, and matching submissions, for tests of the resulting copies. */
import type { Random } from '../../../ops/demo/random.ts';
import type { Submission } from '../../../schemas/submission.ts';
import type { FacetField } from '../../../schemas/vocabulary.ts';
import type { CatalogueLine } from './catalogue.ts';
import { category, choice, contest, election, endorser } from './catalogue-records.ts';
import { pick } from './submissions.ts';

const STATES = ['OR', 'CA', 'WY'];
const HOMES = [...STATES, 'national'];
const CATEGORIES = ['labor', 'newspaper', 'party', 'advocacy'];
const LEVELS = ['federal', 'state', 'county', 'city'];
const KINDS = ['candidate', 'retention'];

type Fields = Record<string, unknown>;

interface Named {
  slug: string;
  fields: Fields;
}

interface ModelContest {
  slug: string;
  fields: Fields;
  isPresent: boolean;
  choices: { key: string; fields: Fields; isPresent: boolean }[];
}

interface ModelElection {
  slug: string;
  fields: Fields;
  /** Whether it was removed as a whole. */
  isRemoved: boolean;
  contests: ModelContest[];
}

/** An edit: files to import, perhaps with only a part of their elections, or an election to remove. */
export type Edit = { import: CatalogueLine[]; keepMissing: boolean } | { removeElection: string };

/** A small catalogue in which every value may change. */
export class BallotModel {
  readonly #random: Random;
  #edits = 0;
  readonly #categories: Named[] = CATEGORIES.map((slug) => ({ slug, fields: {} }));
  readonly #endorsers: Named[] = Array.from({ length: 12 }, (_, index) => ({
    slug: `endorser-${index}`,
    fields: { category: CATEGORIES[index % 4], state: HOMES[index % 3] },
  }));
  readonly elections: ModelElection[] = Array.from({ length: 4 }, (_, index) => ({
    slug: `election-${index}`,
    fields: { state: STATES[index % 3] },
    isRemoved: false,
    contests: Array.from({ length: 3 }, (_, number) => ({
      slug: `contest-${number}`,
      fields: { district: district(LEVELS[(index + number) % 4] ?? '', 'Anywhere') },
      isPresent: true,
      choices: ['ann', 'bob', 'cyd'].map((key) => ({ key, fields: {}, isPresent: true })),
    })),
  }));

  constructor(random: Random) {
    this.#random = random;
  }

  /** Everything, as files to import. */
  get all(): CatalogueLine[] {
    return [
      ...this.#categories.map((one) => this.#lineOfCategory(one)),
      ...this.#endorsers.map((one) => this.#lineOfEndorser(one)),
      ...this.elections.flatMap((one) => this.#linesOfElection(one)),
    ];
  }

  #lineOfCategory({ slug, fields }: Named): CatalogueLine {
    return ['endorser-categories', category({ slug, name: slug, ...fields })];
  }

  #lineOfEndorser({ slug, fields }: Named): CatalogueLine {
    return ['endorsers', endorser({ slug, name: slug, ...fields })];
  }

  #linesOfElection({ slug, fields, contests }: ModelElection): CatalogueLine[] {
    const present = contests.filter(({ isPresent }) => isPresent);
    return [
      ['elections', election({ slug, name: slug, ...fields })],
      ...present.map(
        (one): CatalogueLine => [
          'contests',
          contest(one.slug, {
            election: slug,
            ...one.fields,
            choices: one.choices
              .filter((item) => item.isPresent)
              .map((item) => choice(item.key, item.fields)),
          }),
        ],
      ),
    ];
  }

  /** Edits one to three records at random. A removed election stays removed until an edit imports it again. */
  edit(): Edit {
    const random = this.#random;
    if (random.chance(0.06)) {
      const chosen = random.pick(this.elections);
      if (!chosen.isRemoved) {
        chosen.isRemoved = true;
        return { removeElection: chosen.slug };
      }
    }
    // Lines are made at the end, because a file may contain each record only once, in its final form.
    const lines = new Map<object, () => CatalogueLine[]>();
    for (let left = 1 + random.below(3); left > 0; left -= 1) {
      const kind = random.next();
      if (kind < 0.15) {
        const one = this.#editCategory();
        lines.set(one, () => [this.#lineOfCategory(one)]);
      } else if (kind < 0.4) {
        const one = this.#editEndorser();
        lines.set(one, () => [this.#lineOfEndorser(one)]);
      } else {
        const one = this.#editElection();
        lines.set(one, () => this.#linesOfElection(one));
      }
    }
    const all = [...lines.values()].flatMap((make) => make());
    if (random.chance(0.8)) return { import: all, keepMissing: false };
    const part = all.filter(([kind]) => kind !== 'contests' || random.chance(0.5));
    return { import: part, keepMissing: true };
  }

  #fresh(): string {
    this.#edits += 1;
    return `edit ${this.#edits}`;
  }

  #editCategory(): Named {
    const one = this.#random.pick(this.#categories);
    one.fields = { name: this.#fresh() };
    return one;
  }

  #editEndorser(): Named {
    const one = this.#random.pick(this.#endorsers);
    Object.assign(
      one.fields,
      this.#random.pick([
        { name: this.#fresh() },
        { category: this.#random.pick(CATEGORIES) },
        { state: this.#random.pick(HOMES) },
      ]),
    );
    return one;
  }

  #editElection(): ModelElection {
    const random = this.#random;
    const chosen = random.pick(this.elections);
    chosen.isRemoved = false;
    const kind = random.next();
    if (kind < 0.3) {
      const date = `2026-1${random.below(3)}-0${1 + random.below(9)}`;
      const values = [{ name: this.#fresh() }, { date }, { state: random.pick(STATES) }, { type: 'runoff' }];
      Object.assign(chosen.fields, random.pick(values));
    } else if (kind < 0.75) {
      this.#editContest(random.pick(chosen.contests));
    } else {
      const one = random.pick(chosen.contests);
      // At least one contest stays: an import ignores an election whose contests are all missing from the files.
      const others = chosen.contests.filter(({ isPresent }) => isPresent).length;
      if (!one.isPresent || others > 1) one.isPresent = !one.isPresent;
    }
    return chosen;
  }

  #editContest(one: ModelContest): void {
    const random = this.#random;
    const kind = random.next();
    if (kind < 0.5) {
      const values = [
        { title: this.#fresh() },
        { short_title: this.#fresh() },
        { kind: random.pick(KINDS) },
        { vote_method: 'approval', votes_allowed: 1 + random.below(3) },
        { vote_method: 'ranked_choice', votes_allowed: null },
        { vote_method: 'ranked_choice', votes_allowed: null },
        { vote_method: 'plurality', votes_allowed: null },
        { measure_code: this.#fresh() },
        { district: district(random.pick(LEVELS), random.pick(['Anywhere', this.#fresh()])) },
      ];
      Object.assign(one.fields, random.pick(values));
      return;
    }
    const item = random.pick(one.choices);
    if (kind < 0.7 && one.choices.filter(({ isPresent }) => isPresent).length > 1) {
      item.isPresent = !item.isPresent;
      return;
    }
    const values: Fields[] = [
      { label: this.#fresh() },
      { party: this.#fresh() },
      { withdrawn: random.chance(0.5) },
      { candidate: { full_name: this.#fresh() }, option: null },
      { candidate: { full_name: this.#fresh() }, option: null },
      // Several choices can be lines of this candidate.
      { candidate: { full_name: 'Ada of Several Lines', key: 'ada' }, option: null },
    ];
    // At most one choice of a contest may say this.
    if (item.key === 'cyd') values.push({ candidate: null, option: 'none_of_these' });
    Object.assign(item.fields, random.pick(values));
  }

  /** Some submissions, most of which match the catalogue. */
  submissions(): Submission[] {
    const random = this.#random;
    return Array.from({ length: 1 + random.below(6) }, (): Submission => {
      const chosen = random.pick(this.elections);
      const one = random.pick(chosen.contests);
      const item = random.pick(one.choices);
      const action = random.pick([
        'endorse',
        'endorse',
        'endorse',
        'withdraw',
        'position',
        'position',
      ] as const);
      const statement = action === 'withdraw' ? null : random.pick([null, this.#fresh()]);
      const isRanked = one.fields.vote_method === 'ranked_choice';
      const keys = action === 'position' ? one.choices.map(({ key }) => key) : [item.key];
      const picks = keys.map((key, index) =>
        pick(key, { statement, rank: isRanked && index > 0 ? index : null }),
      );
      const endorser = random.pick(this.#endorsers).slug;
      return { action, endorser, contest: `${chosen.slug}/${one.slug}`, picks };
    });
  }

  /** A filter with one to three fields, of values that change. */
  filter(): Record<string, string[]> {
    const random = this.#random;
    const values: Record<FacetField, () => string> = {
      categories: () => random.pick(CATEGORIES),
      endorsers: () => random.pick(this.#endorsers).slug,
      endorser_states: () => random.pick(HOMES),
      states: () => random.pick(STATES),
      elections: () => random.pick(this.elections).slug,
      contest_kinds: () => random.pick(KINDS),
      levels: () => random.pick(LEVELS),
    };
    const fields = Object.keys(values) as FacetField[];
    const chosen = Array.from({ length: 1 + random.below(3) }, () => random.pick(fields));
    return Object.fromEntries(
      chosen.map((field) => [field, [...new Set([values[field](), values[field]()])]]),
    );
  }
}

/** A district identified by its level, in no state, so that elections can move. Districts of one level share its name. */
function district(level: string, name: string): Fields {
  return { ocd_id: `ocd-division/country:us/${level}`, name, level, type: 'place', state: null };
}
