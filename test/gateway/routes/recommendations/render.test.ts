import { expect, test } from '@jest/globals';
import { renderElections } from '../../../../gateway/routes/recommendations/render.ts';
import type { StoredContest, StoredRecommendations } from '../../../../store/reads/recommendations.ts';

const lines = (count: number, line: (n: number) => unknown) =>
  Array.from({ length: count }, (_, n) => JSON.stringify(line(n))).join('\n');

/** A contest in which each of 50 endorsers backs one of ten choices. */
function storedContest(id: number, electionId: number): StoredContest {
  const choices = Array.from({ length: 10 }, (_, n) => ({ id: n, withdrawn: false }));
  const picks = Array.from({ length: 50 }, (_, n) => ({ endorser: n, choice: n % 10, rank: null }));
  const rules = { vote_method: 'plurality', votes_allowed: 1, ranks_allowed: null };
  return {
    electionId,
    record: JSON.stringify({ id }),
    endorsed: JSON.stringify({ ...rules, choices, picks }),
    choices: lines(10, (n) => ({ id: n })),
    picks: lines(50, () => ({ rank: null })),
  };
}

/** Two elections with this many contests each. */
function storedState(contests: number): StoredRecommendations {
  return {
    contests: [1, 2].flatMap((election) =>
      Array.from({ length: contests }, (_, n) => storedContest(1000 * election + n, election)),
    ),
    elections: new Map([1, 2].map((id) => [id, JSON.stringify({ id })])),
    endorsers: new Map(Array.from({ length: 50 }, (_, id) => [id, JSON.stringify({ id })])),
  };
}

async function render(stored: StoredRecommendations, closed = new AbortController().signal) {
  const pieces: string[] = [];
  for await (const piece of renderElections(stored, closed)) pieces.push(piece);
  return pieces;
}

test('the pieces form every election with its contests, in order', async () => {
  for (const contests of [0, 1, 900]) {
    const elections = JSON.parse((await render(storedState(contests))).join(''));
    const ids = (first: number) => Array.from({ length: contests }, (_, n) => first + n);
    expect(
      elections.map((election: { contests: { id: number }[] }) => election.contests.map(({ id }) => id)),
    ).toEqual(contests === 0 ? [] : [ids(1000), ids(2000)]);
  }
});

test('other work gets a turn after every piece', async () => {
  let turns = 0;
  let rendering = true;
  const takeTurn = () => {
    turns += 1;
    if (rendering) setImmediate(takeTurn);
  };
  takeTurn();
  const pieces = await render(storedState(900));
  rendering = false;
  expect(pieces.length).toBeGreaterThan(3);
  expect(turns).toBeGreaterThanOrEqual(pieces.length - 1);
});

test('rendering ends after the current piece when the client disconnects', async () => {
  const closed = new AbortController();
  closed.abort();
  expect(await render(storedState(900), closed.signal)).toHaveLength(1);
});
