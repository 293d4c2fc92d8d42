import { expect, test } from '@jest/globals';
import type { AnswerChange } from '../../domain/answer-scope.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { loadAnswerChanges } from '../../store/reads/answer-changes.ts';
import { type DataState, DataWatch } from '../../store/reads/data-watch.ts';
import { CHANGE_BODY } from '../helpers/stream/change-body.ts';

/** Watches a database whose change of each sequence is one of the contest of that number. */
function createWatch() {
  const database = { sequence: 1, catalogue: '1', isAway: false };
  const changeOf = (contestId: number) => ({ facets: {}, contestId, endorsementId: 1 }) as AnswerChange;
  const watch = new DataWatch({
    loadVersions: async () => ({ ...database, epoch: '1', officeholders: '1' }),
    async loadChanges(from, to) {
      if (database.isAway) throw new Error('away');
      return Array.from({ length: to - from + 1 }, (_, index) => changeOf(from + index));
    },
  });
  const advance = async (sequence: number) => {
    database.sequence = sequence;
    return watch.next();
  };
  return { database, watch, advance };
}

/** The contests that the changes after a sequence touched. */
const contestsOf = (state: DataState, after: number) =>
  state.changes(after)?.map(({ contestId }) => contestId);

test('INV-1: a change that could not be loaded at first is loaded later', async () => {
  const { database, watch, advance } = createWatch();
  await advance(1);
  await advance(2);
  database.isAway = true;
  await expect(advance(3)).rejects.toThrow('away');
  database.isAway = false;
  const state = await watch.next();
  expect(contestsOf(state, 2)).toEqual([3]);
});

test('INV-1: for a state that a database has lost since, the changes since are not known', async () => {
  const { advance } = createWatch();
  await advance(1);
  const lost = await advance(3);
  expect(contestsOf(lost, 2)).toEqual([3]);
  await advance(2);
  expect(lost.changes(2)).toBeNull();
});

test('INV-1: after more changes than it loads at a time, it knows the later ones alone', async () => {
  const { advance } = createWatch();
  await advance(1);
  await advance(3);
  await advance(504);
  const state = await advance(506);
  expect([state.changes(1), state.changes(503)]).toEqual([null, null]);
  expect(contestsOf(state, 504)).toEqual([505, 506]);
  expect(contestsOf(state, 505)).toEqual([506]);
});

test('a database that lost changes, an edit of the catalogue or both begins another history, once', async () => {
  const { database, watch, advance } = createWatch();
  const histories = [(await advance(3)).history];
  const lose = async (sequence: number, catalogue: string) => {
    database.catalogue = catalogue;
    await advance(sequence);
    histories.push((await watch.next()).history);
  };
  await lose(4, '9');
  await lose(3, '9');
  await lose(3, '8');
  await lose(2, '7');
  await lose(5, '10');
  expect(histories).toEqual(['1.0', '1.0', '1.1', '1.2', '1.3', '1.3']);
});

test('INV-1: changes are unknown if the change log lacks one of them', async () => {
  const row = { type: 'created', packed: null, body: CHANGE_BODY };
  const load = (rows: object[]) =>
    loadAnswerChanges({ any: async () => rows } as unknown as DatabasePool, 1, 2);
  expect(await load([row, row])).toHaveLength(2);
  expect(await load([row])).toBeNull();
});
