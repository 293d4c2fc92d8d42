import { hash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import {
  DIGEST_BYTES,
  type ElectionBallot,
  measureBallot,
  PICK_NUMBERS,
  packBallots,
  replacePicks,
} from '../../../gateway/ballots/election-ballot.ts';
import { storedBallots, type TestContest } from '../../helpers/ballots/stored-ballots.ts';

const pack = async (contests: readonly TestContest[]) => {
  const [ballot] = await packBallots(storedBallots(contests));
  if (!ballot) throw new Error('There is no ballot.');
  return ballot;
};

/** The picks of a contest: endorser, choice, rank and record. */
function picksOf(ballot: ElectionBallot, contest: number): unknown[] | null {
  const picks = ballot.contestsById.get(contest)?.picks;
  if (!picks) return null;
  const found: unknown[] = [];
  for (let at = 0; at < picks.facts.length; at += PICK_NUMBERS) {
    const [endorser, choice, rank, end] = picks.facts.slice(at, at + PICK_NUMBERS);
    const record = picks.records.subarray(picks.facts[at - 1] ?? 0, end).toString();
    found.push([endorser, choice, rank, JSON.parse(`{${record}`).statement]);
  }
  return found;
}

test('the contests of each election are packed with their own picks, and the digests of their texts', async () => {
  const ballots = await packBallots(
    storedBallots([
      {
        id: 1,
        picks: [
          { endorser: 5, choice: 11, rank: 2, statement: 'é\u2028' },
          { endorser: 6, choice: 10 },
        ],
      },
      { id: 2 },
      { id: 3, election: 2, picks: [{ endorser: 6, choice: 12, statement: 'Third.' }] },
    ]),
  );
  expect(ballots.map(({ election, contests }) => [election.id, contests.map(({ id }) => id)])).toEqual([
    [1, [1, 2]],
    [2, [3]],
  ]);
  const [first, second] = ballots as [ElectionBallot, ElectionBallot];
  expect([picksOf(first, 1), picksOf(first, 2), picksOf(second, 3)]).toEqual([
    [
      [5, 11, 2, 'é\u2028'],
      [6, 10, 0, ''],
    ],
    null,
    [[6, 12, 0, 'Third.']],
  ]);
  expect(first.contestsById.get(1)?.picks?.records.toString()).not.toContain('\u2028');
  expect(JSON.parse(`${first.head}]}`)).toEqual({ id: 1, slug: 'election-1', contests: [] });
  expect(JSON.parse(`[${first.text}]`)).toMatchObject([
    { id: 1, title: 'Contest 1', choices: [{ id: 10, endorsed_by: [], endorsement_count: 0 }, {}, {}] },
    { id: 2 },
  ]);
  for (const { text, digests, contests } of ballots) {
    for (const [index, { start, head, choices, end }] of contests.entries()) {
      expect(digests.subarray(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES)).toEqual(
        hash('sha1', text.subarray(start, end), 'buffer'),
      );
      expect(text.subarray(start, head).toString()).toMatch(/"choices":\[$/);
      expect(JSON.parse(`${text.subarray(choices[2], choices[3])}}`)).toEqual({
        ...{ id: 11, label: 'Choice 11 \u2028' },
      });
    }
  }
});

test('the picks of the loaded contests are replaced, and those of others stay', async () => {
  const contests: TestContest[] = [1, 2, 3].map((id) => ({ id, picks: [{ endorser: 5, choice: 10 }] }));
  const ballot = await pack(contests);
  const { text, endorsers } = ballot;
  const loaded = storedBallots([
    { id: 1, picks: [{ endorser: 7, choice: 12, statement: 'New.' }] },
    // Loaded too, but not asked for.
    { id: 3, picks: [{ endorser: 7, choice: 11 }] },
    { id: 99, picks: [{ endorser: 7, choice: 11 }] },
  ]);
  await replacePicks(ballot, loaded, [1, 2, 99]);
  expect([1, 2, 3, 99].map((id) => picksOf(ballot, id))).toEqual([
    [[7, 12, 0, 'New.']],
    null,
    [[5, 10, 0, '']],
    null,
  ]);
  expect(ballot.text).toBe(text);
  expect([...endorsers.keys()]).toEqual([5, 7]);
  expect(endorsers.get(7)?.opening.toString()).toMatch(/^,\{"endorser":\{"id":7,.*\},$/);
});

test('the memory of a ballot counts its texts, its picks and its endorsers', async () => {
  const sizeOf = async (...contests: TestContest[]) => measureBallot(await pack(contests));
  const empty = await sizeOf({ id: 1 });
  const one = await sizeOf({ id: 1, picks: [{ endorser: 5, choice: 10 }] });
  const long = await sizeOf({ id: 1, picks: [{ endorser: 5, choice: 10, statement: 'x'.repeat(1000) }] });
  const two = await sizeOf({ id: 1, picks: [5, 6].map((endorser) => ({ endorser, choice: 10 })) });
  const more = await sizeOf({ id: 1 }, { id: 2 });
  expect(empty).toBeGreaterThan(1000);
  expect(long - one).toBe(1000);
  expect(one - empty).toBeGreaterThan(300);
  expect(two - one).toBeGreaterThan(300);
  expect(more - empty).toBeGreaterThan(1000 + DIGEST_BYTES);
});
