/** The ballot of the soak: hundreds of endorsers, filters like those of clients, and endless changes. */
import type { StreamFilter } from '../../domain/stream-filter.ts';
import type { Random } from '../../ops/demo/random.ts';
import type { Submission } from '../../schemas/submission.ts';
import { type CatalogueLine, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { category, choice, contest, election, endorser } from '../helpers/ballots/catalogue-records.ts';
import { endorse, withdraw } from '../helpers/ballots/submissions.ts';

const CATEGORIES = Array.from({ length: 10 }, (_, index) => `category-${index}`);
const STATES = ['OR', 'CA', 'WY', 'national'];
const ENDORSERS = Array.from({ length: 300 }, (_, index) => ({
  slug: `endorser-${index}`,
  category: CATEGORIES[index % CATEGORIES.length] ?? '',
  state: STATES[index % STATES.length] ?? '',
}));
const CHOICES = ['ann', 'bob', 'cyd', 'dee'];

export const SOAK_BALLOT: CatalogueLine[] = [
  ...CATEGORIES.map((slug): CatalogueLine => ['endorser-categories', category({ slug, name: slug })]),
  ...ENDORSERS.map((values): CatalogueLine => ['endorsers', endorser({ ...values, name: values.slug })]),
  ...SMALL_BALLOT,
];

/** A client's filter: most clients want a few endorsers or a category, one in fifty wants everything. */
export function chooseFilter(random: Random): StreamFilter {
  const slug = () => random.pick(ENDORSERS).slug;
  const kind = random.next();
  if (kind < 0.02) return {};
  if (kind < 0.6) return { endorsers: [...new Set([slug(), slug(), slug()])] };
  if (kind < 0.8) return { categories: [random.pick(CATEGORIES)] };
  if (kind < 0.9) return { categories: [random.pick(CATEGORIES)], endorser_states: [random.pick(STATES)] };
  if (kind < 0.95)
    return { states: ['CA'], endorser_states: ['national', 'CA'], types: ['created', 'deleted'] };
  return { levels: ['federal'] };
}

/** The change with this number: an endorser makes a new endorsement, and now and then withdraws one. */
export function createSubmission(number: number, random: Random): Submission {
  const { slug } = random.pick(ENDORSERS);
  if (random.chance(0.1)) return withdraw(slug, 'mayor', random.pick(CHOICES));
  if (random.chance(0.1)) return endorse(slug, 'prop-1', 'yes', { statement: `Change ${number}.` });
  return endorse(slug, 'mayor', random.pick(CHOICES), { statement: `Change ${number}.` });
}

/** An endorsement with this statement, by each endorser in turn. */
export function createStatement(number: number, statement: string): Submission {
  const { slug } = ENDORSERS[number % ENDORSERS.length] as (typeof ENDORSERS)[number];
  return endorse(slug, 'mayor', 'ann', { statement });
}

/** The edit of the catalogue with this number: lines to import. It may undo an earlier edit. */
export function createEdit(number: number, random: Random): CatalogueLine[] {
  const name = `Edit ${number}`;
  const kind = random.next();
  if (kind < 0.4) {
    const values = { name, category: random.pick(CATEGORIES), state: random.pick(STATES) };
    return [['endorsers', endorser({ slug: random.pick(ENDORSERS).slug, ...values })]];
  }
  if (kind < 0.55) return [['endorser-categories', category({ slug: random.pick(CATEGORIES), name })]];
  // All contests of the election must be named, in its state. Now and then an endorsed choice is missing.
  const state = random.pick(['OR', 'CA']);
  const choices = CHOICES.map((key) => choice(key, { withdrawn: random.chance(0.2) })).filter(
    (_, index) => index === 0 || random.chance(0.9),
  );
  const level = random.pick(['city', 'county', 'federal']);
  const district = { ocd_id: null, name: 'Fernville', level, type: 'place', state };
  const others = { choices: CHOICES.map((key) => choice(key)), district: { ...district, level: 'city' } };
  return [
    ['elections', election({ name, state })],
    ['contests', contest('mayor', { title: name, choices, district })],
    ['contests', contest('council', others)],
    ['contests', contest('sheriff', others)],
  ];
}
