import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { findChangedSince } from '../../store/endorsements/changed-since.ts';
import { findMendedSince, findMendingChange } from '../../store/endorsements/mended-since.ts';
import { applySubmissions } from '../helpers/ballots/apply.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { endorse, withdraw } from '../helpers/ballots/submissions.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { rewriteAsEarlier } from '../helpers/postgres/logged-changes.ts';

const { url, client } = useTestDatabase({ pipeline: true });

const ENDORSER = 'bakers-local-1';
const { contest: CONTEST } = endorse(ENDORSER, 'mayor', 'ann');
const ANN = endorse(ENDORSER, 'mayor', 'ann');

beforeAll(() => loadCatalogue(url, SMALL_BALLOT));
beforeEach(async () => {
  await client.query('TRUNCATE endorsements, change_log, consumer_offsets');
});

/** The time of the newest change, in milliseconds since 1970. */
async function lastChange(): Promise<number> {
  const { rows } = await client.query<{ at: Date }>('SELECT max(occurred_at) AS at FROM change_log');
  return rows[0]?.at.getTime() ?? Number.NaN;
}

/** The rules that find a later change of the endorser in the contest. */
async function found(at: number, { endorser = ENDORSER, contest = CONTEST } = {}) {
  const changed = await findChangedSince(client, [{ endorser, contest, at }]);
  // An offset after all others, so that only the time counts.
  const mended = await findMendedSince(client, [
    { endorser, contest, partition: 0, offset: 999, rejectedAt: at },
  ]);
  return { changed: changed.has(0), mended: mended.has(0) };
}

/** Longer than a transaction of apply, in milliseconds. */
const MINUTE_MS = 60_000;
const BOTH = { changed: true, mended: true };
const NEITHER = { changed: false, mended: false };

describe('a position has changed since', () => {
  test('if its endorsement is newer, even if the change log no longer has the change', async () => {
    await applySubmissions(client, ANN);
    const at = await lastChange();
    await client.query('TRUNCATE change_log');
    expect(await found(at - MINUTE_MS - 1)).toEqual(BOTH);
    for (const since of [at - MINUTE_MS, at]) {
      expect(await found(since)).toEqual({ changed: true, mended: false });
    }
    expect(await found(at + 1)).toEqual(NEITHER);
  });

  test('if the change log has a newer change, even if no endorsement is left', async () => {
    await applySubmissions(client, ANN);
    await applySubmissions(client, withdraw(ENDORSER, 'mayor', 'ann'));
    const at = await lastChange();
    expect(await found(at - MINUTE_MS - 1)).toEqual(BOTH);
    expect(await found(at - MINUTE_MS)).toEqual({ changed: true, mended: false });
    expect(await found(at + 1)).toEqual(NEITHER);
  });

  test('but not by another endorser, or in another contest', async () => {
    await applySubmissions(client, ANN);
    const { contest: council } = endorse(ENDORSER, 'council', 'ann');
    expect(await found(0, { endorser: 'coast-gazette' })).toEqual(NEITHER);
    expect(await found(0, { contest: council })).toEqual(NEITHER);
    expect(await found(0, { endorser: 'bak\0ers' })).toEqual(NEITHER);
  });
});

test('within a minute, only a change by a later submission mends', async () => {
  // Offset 1 of the partition.
  await applySubmissions(client, withdraw(ENDORSER, 'mayor', 'bob'), ANN);
  const at = await lastChange();
  const rejected = (partition: number, offset: number) => ({
    // A rejection has the time of the beginning of its batch.
    ...{ endorser: ENDORSER, contest: CONTEST, rejectedAt: at - 5 },
    ...{ partition, offset },
  });
  const mended = await findMendedSince(client, [rejected(0, 0), rejected(0, 2), rejected(1, 0)]);
  expect([...mended]).toEqual([0]);
  await applySubmissions(client, withdraw(ENDORSER, 'mayor', 'ann'));
  const mending = await Promise.all(
    [0, 1, 2].map((offset) => findMendingChange(client, rejected(0, offset))),
  );
  expect(mending.map((change) => change?.offset)).toEqual([1, 2, undefined]);
});

test('a withdrawal logged by an earlier version counts too', async () => {
  await applySubmissions(client, ANN);
  await applySubmissions(client, withdraw(ENDORSER, 'mayor', 'ann'));
  const at = await lastChange();
  await rewriteAsEarlier(client);
  expect(await found(at - MINUTE_MS - 1)).toEqual(BOTH);
  expect(await found(at + 1)).toEqual(NEITHER);
});

test("a change without a submission, such as an import's, mends nothing", async () => {
  await applySubmissions(client, ANN);
  await applySubmissions(client, withdraw(ENDORSER, 'mayor', 'ann'));
  const at = await lastChange();
  await client.query('UPDATE change_log SET submission_partition = NULL, submission_offset = NULL');
  expect((await found(at - MINUTE_MS - 1)).mended).toBe(false);
});
