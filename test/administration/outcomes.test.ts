import { beforeAll, expect, test } from '@jest/globals';
import type { ClientBase } from 'pg';
import { loadOutcomes } from '../../administration/publishing/outcomes.ts';
import { appendChanges, lockStreamHead } from '../../store/stream/change-log.ts';
import { reconcileTopic, resetConsumerOffset } from '../../store/stream/consumer-offsets.ts';
import { keepReasons } from '../../store/stream/rejected-submissions.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { CHANGE_BODY } from '../helpers/stream/change-body.ts';

const { client } = useTestDatabase({ pipeline: true });
const TOPIC = 'submissions';
const PUBLICATION = {
  ...{ id: 1, topicId: 'topic', afterSequence: 0, afterRejection: 0 },
  ...{ endorsers: ['acme'], contests: ['a/b'], partitions: [0] },
};

beforeAll(async () => {
  // The changes have no election, so the trigger for its activity must not run.
  await client.query('SET session_replication_role = replica');
  await reconcileTopic(client, TOPIC, { topicId: 'topic', clusterId: 'cluster' });
});

/** Applies the submission at an offset, which makes a number of changes. */
async function applySubmission(offset: number, count: number): Promise<void> {
  const submission = { partition: 0, offset, submittedAt: null, traceparent: null, sender: null };
  const change = { type: 'created' as const, body: CHANGE_BODY, submission };
  await client.query('BEGIN');
  await appendChanges(
    client,
    await lockStreamHead(client),
    Array.from({ length: count }, () => change),
  );
  await resetConsumerOffset(client, TOPIC, 0, offset + 1);
  await client.query('COMMIT');
}

test('INV-8: a submission that is applied while its outcome is looked up is on its way, not without an effect', async () => {
  await resetConsumerOffset(client, TOPIC, 0, 4);
  let isApplied = false;
  /** Applies the submission after the first look at the progress or at the changes. */
  const query = async (given: string | { text: string }, values?: unknown[]) => {
    const answer = await client.query(given as string, values);
    const isLook = /consumer_offsets|change_log/.test(typeof given === 'string' ? given : given.text);
    if (isLook && !isApplied) {
      isApplied = true;
      await applySubmission(4, 1);
    }
    return answer;
  };
  const looking = { query } as unknown as ClientBase;
  expect(await loadOutcomes(looking, TOPIC, { ...PUBLICATION, offsets: [4] })).toEqual([
    { status: 'submitted' },
  ]);
  expect(isApplied).toBe(true);
});

test('a submission is on its way until Kafka has all of its changes', async () => {
  await applySubmission(5, 2);
  const { rows } = await client.query<{ last: number }>('SELECT last_sequence::int AS last FROM stream_head');
  const last = rows[0]?.last ?? 0;
  const relay = (from: number, to: number) =>
    client.query(
      `INSERT INTO relay_batches (first_sequence, last_sequence, offsets, acknowledged_at) VALUES ($1, $2, '{0}', now())`,
      [from, to],
    );
  const load = () => loadOutcomes(client, TOPIC, { ...PUBLICATION, offsets: [5] });
  await relay(1, last - 1);
  expect(await load()).toEqual([{ status: 'submitted' }]);
  await relay(last, last);
  expect(await load()).toEqual([{ status: 'applied', events: [expect.any(String), expect.any(String)] }]);
});

test('each of several submissions has its own outcome, in the order of the request', async () => {
  const lastSequence = async () => {
    const { rows } = await client.query<{ last: number }>(
      'SELECT last_sequence::int AS last FROM stream_head',
    );
    return rows[0]?.last ?? 0;
  };
  const before = await lastSequence();
  await applySubmission(6, 25);
  await client.query(
    `INSERT INTO relay_batches (first_sequence, last_sequence, offsets, acknowledged_at) VALUES ($1, $2, '{0}', now())`,
    [before + 1, await lastSequence()],
  );
  // Nothing comes of 7, and the batch from 8 to 9 cannot be read.
  await keepReasons(client, [
    { partition: 0, offset: 8, lastOffset: 9, code: 'undecodable', message: 'No.' },
  ]);
  await resetConsumerOffset(client, TOPIC, 0, 10);
  const load = (places: readonly [partition: number, offset: number][], topicId = 'topic', topic = TOPIC) =>
    loadOutcomes(client, topic, {
      ...{ ...PUBLICATION, topicId },
      ...{ partitions: places.map(([partition]) => partition), offsets: places.map(([, offset]) => offset) },
    });
  const several = [
    [0, 9],
    [0, 7],
    [0, 10],
    [0, 6],
    [1, 0],
  ] as const;
  const outcomes = await load(several.map(([partition, offset]) => [partition, offset]));
  expect(outcomes?.map(({ status }) => status)).toEqual([
    ...['rejected', 'unchanged', 'submitted', 'applied', 'submitted'],
  ]);
  expect(outcomes?.[0]).toEqual({ status: 'rejected', reason: { code: 'undecodable', message: 'No.' } });
  // A single submission names all of its events, one of several the first twenty.
  const eventsOf = (outcome: object | undefined) =>
    (outcome as { events: string[] } | undefined)?.events ?? [];
  const all = eventsOf((await load([[0, 6]]))?.[0]);
  expect(all).toHaveLength(25);
  expect(all).toEqual(all.toSorted());
  expect(eventsOf(outcomes?.[3])).toEqual(all.slice(0, 20));
  await resetConsumerOffset(client, TOPIC, 1, 7);
  expect(await load([[1, 6]])).toEqual([{ status: 'unchanged' }]);
  // An earlier topic's submission may have had its place.
  const later = { ...PUBLICATION, afterSequence: await lastSequence(), offsets: [6] };
  expect(await loadOutcomes(client, TOPIC, later)).toEqual([{ status: 'unchanged' }]);
  expect(await load([[0, 6]], 'former')).toBeNull();
  expect(await load([[0, 6]], 'topic', 'never consumed')).toEqual([{ status: 'submitted' }]);
});
