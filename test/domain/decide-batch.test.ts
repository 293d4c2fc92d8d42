import { describe, expect, test } from '@jest/globals';
import { type Ballot, decideBatch, positionKey } from '../../domain/decide-batch.ts';
import type { Position } from '../../domain/position.ts';
import type { Refusal } from '../../domain/refusal.ts';
import type { ChangeBody } from '../../schemas/change.ts';
import type { Submission } from '../../schemas/submission.ts';
import { CONTEST, ENDORSER, submit } from '../helpers/ballots/mayoral-submissions.ts';
import { pick } from '../helpers/ballots/submissions.ts';

const OTHER_ENDORSER = 'oregon-voice';
const OTHER_CONTEST = 'or-2026-11-03-general/auditor';

const endorser = (id: number, slug: string): ChangeBody['endorser'] => ({
  id,
  slug,
  name: slug,
  category: { slug: 'labor', name: 'Labor' },
  state: 'OR' as const,
});
const choice = (id: number, label: string): ChangeBody['choice'] => ({
  id,
  label,
  measure_answer: null,
  candidate: null,
  party: null,
  withdrawn: false,
});
const contest = (id: number) => ({
  contest: {
    id,
    title: 'Mayor',
    short_title: 'Mayor',
    kind: 'candidate' as const,
    vote_method: 'plurality' as const,
    votes_allowed: 1,
    ranks_allowed: null,
    measure_code: null,
    district: { id: 1, name: 'Portland', level: 'city' as const, ocd_id: null, state: 'OR' as const },
  },
  election: {
    id: 1,
    slug: 'or-2026-11-03-general',
    name: 'General',
    date: '2026-11-03',
    state: 'OR' as const,
    type: 'general' as const,
  },
  choices: new Map([
    ['ann', choice(10 * id + 1, 'Ann')],
    ['bob', choice(10 * id + 2, 'Bob')],
  ]),
});
const BALLOT: Ballot = {
  endorsers: new Map([
    [ENDORSER, endorser(1, ENDORSER)],
    [OTHER_ENDORSER, endorser(2, OTHER_ENDORSER)],
  ]),
  contests: new Map([
    [CONTEST, contest(1)],
    [OTHER_CONTEST, contest(2)],
  ]),
};
const KEY = positionKey(ENDORSER, CONTEST);
const NOTHING_HELD = new Map<string, Position>();

/** The changes as text, such as "created ann of bakers-local-1 in 1". */
function changesOf(submissions: (Submission | Refusal)[], held = NOTHING_HELD): string[] {
  return decideBatch(BALLOT, held, submissions).changes.map(
    (made) => `${made.type} ${made.pick.choice} of ${made.endorser.slug} in ${made.contest.contest.id}`,
  );
}

describe('each submission of a batch is decided on the outcome of those before it', () => {
  test('created, then updated, then deleted', () => {
    const { changes, positions } = decideBatch(BALLOT, NOTHING_HELD, [
      submit('endorse', 'ann'),
      submit('endorse', pick('ann', { statement: 'why' })),
      submit('withdraw', 'ann'),
    ]);
    expect(changes.map(({ type, pick: { statement } }) => [type, statement])).toEqual([
      ['created', null],
      ['updated', 'why'],
      ['deleted', 'why'],
    ]);
    expect(positions.get(KEY)?.picks).toEqual(new Map());
  });

  test('INV-9: a repeated submission changes nothing the second time', () => {
    expect(changesOf([submit('endorse', 'ann'), submit('endorse', 'ann')])).toEqual([
      `created ann of ${ENDORSER} in 1`,
    ]);
  });

  test('also if the endorser held a position before', () => {
    const held = new Map([[KEY, new Map([['ann', pick('ann')]])]]);
    const submissions = [submit('withdraw', 'ann'), submit('withdraw', 'ann'), submit('endorse', 'ann')];
    expect(changesOf(submissions, held)).toEqual([
      `deleted ann of ${ENDORSER} in 1`,
      `created ann of ${ENDORSER} in 1`,
    ]);
  });

  test('INV-9: a pick that is held already makes no change, but its position is in the outcome', () => {
    const held = new Map([[KEY, new Map([['ann', pick('ann')]])]]);
    const { changes, positions } = decideBatch(BALLOT, held, [submit('endorse', 'ann')]);
    expect(changes).toEqual([]);
    expect([...positions.keys()]).toEqual([KEY]);
  });

  test('endorsers and contests do not affect each other', () => {
    const submissions = [
      submit('endorse', 'ann'),
      { ...submit('endorse', 'ann'), endorser: OTHER_ENDORSER },
      { ...submit('endorse', 'ann'), contest: OTHER_CONTEST },
      submit('position', 'bob'),
    ];
    expect(changesOf(submissions)).toEqual([
      `created ann of ${ENDORSER} in 1`,
      `created ann of ${OTHER_ENDORSER} in 1`,
      `created ann of ${ENDORSER} in 2`,
      `deleted ann of ${ENDORSER} in 1`,
      `created bob of ${ENDORSER} in 1`,
    ]);
  });

  test('a change has the index of the submission that makes it', () => {
    const { changes } = decideBatch(BALLOT, NOTHING_HELD, [
      submit('endorse', 'nobody'),
      submit('position', 'ann', 'bob'),
      submit('endorse', 'ann'),
      submit('withdraw', 'ann'),
    ]);
    expect(changes.map(({ index, type }) => [index, type])).toEqual([
      [1, 'created'],
      [1, 'created'],
      [3, 'deleted'],
    ]);
  });

  test('a change has the choice of the ballot', () => {
    const [change] = decideBatch(BALLOT, NOTHING_HELD, [submit('endorse', 'bob')]).changes;
    expect(change?.choice).toEqual(choice(12, 'Bob'));
  });

  test('the positions before the batch are not modified', () => {
    const held = new Map([[KEY, new Map([['ann', pick('ann')]])]]);
    decideBatch(BALLOT, held, [submit('position', 'bob')]);
    expect(held).toEqual(new Map([[KEY, new Map([['ann', pick('ann')]])]]));
  });
});

describe('INV-9: a bad submission does not stop others', () => {
  const undecodable: Refusal = { code: 'undecodable', message: 'These bytes are not a submission.' };

  test.each<[string, Submission | Refusal, Refusal]>([
    ['an undecodable message', undecodable, undecodable],
    [
      'an unknown endorser',
      { ...submit('endorse', 'ann'), endorser: 'nobody' },
      { code: 'unknown_endorser', message: 'No endorser has the slug "nobody".' },
    ],
    [
      'an unknown contest',
      { ...submit('endorse', 'ann'), contest: 'nowhere/mayor' },
      { code: 'unknown_contest', message: 'No contest has the key "nowhere/mayor".' },
    ],
    [
      'an unknown choice',
      submit('endorse', 'eve'),
      { code: 'unknown_choice', message: `Contest ${CONTEST} has no choice "eve".` },
    ],
    [
      'a position with one wrong pick',
      submit('position', 'bob', 'eve'),
      { code: 'unknown_choice', message: `Contest ${CONTEST} has no choice "eve".` },
    ],
  ])('%s is refused, and the submissions around it are applied', (_, bad, refusal) => {
    const { changes, refusals, positions } = decideBatch(BALLOT, NOTHING_HELD, [
      submit('endorse', 'ann'),
      bad,
      submit('withdraw', 'ann'),
    ]);
    expect(refusals).toEqual(new Map([[1, refusal]]));
    expect(changes.map(({ type }) => type)).toEqual(['created', 'deleted']);
    expect([...positions.keys()]).toEqual([KEY]);
  });
});

describe('a position with an event that would be too large', () => {
  const large = pick('bob', { statement: 'x'.repeat(60_000) });

  test('is refused whole, and the next submission builds on the position before it', () => {
    const { changes, refusals, positions } = decideBatch(BALLOT, new Map(), [
      submit('endorse', 'ann'),
      submit('position', large),
      submit('endorse', pick('ann', { statement: 'Yes.' })),
    ]);
    expect([...refusals].map(([index, { code }]) => [index, code])).toEqual([[1, 'event_too_large']]);
    expect(changes.map(({ index, type }) => [index, type])).toEqual([
      [0, 'created'],
      [2, 'updated'],
    ]);
    expect([...(positions.get(positionKey(ENDORSER, CONTEST))?.picks.keys() ?? [])]).toEqual(['ann']);
  });

  test('can be withdrawn, if it was accepted before', () => {
    const held = new Map([[positionKey(ENDORSER, CONTEST), new Map([['bob', large]])]]);
    const { changes, refusals } = decideBatch(BALLOT, held, [submit('withdraw', 'bob')]);
    expect([changes.map(({ type }) => type), refusals.size]).toEqual([['deleted'], 0]);
  });
});
