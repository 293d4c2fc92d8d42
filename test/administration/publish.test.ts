import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import {
  ForeignEndorserError,
  PositionChangedError,
  publish,
  UnconfirmedError,
} from '../../administration/publishing/publish.ts';
import { changeRights } from '../../administration/publishing/rights.ts';
import type { Message, Place } from '../../kafka/writing/submissions-producer.ts';
import { type Submission, submissionCodec } from '../../schemas/submission.ts';
import { IdempotencyKeyReusedError } from '../../store/access/idempotency.ts';
import { ADVISORY_LOCKS } from '../../store/connection/advisory-locks.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { addBatch, findNextBatch, listBatches } from '../../store/console/uploads.ts';
import { reconcileTopic } from '../../store/stream/consumer-offsets.ts';
import { applySubmissions, SUBMISSIONS_TOPIC } from '../helpers/ballots/apply.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { createAccount } from '../helpers/postgres/accounts.ts';
import { useClient, useTestDatabase } from '../helpers/postgres/database.ts';
import { isWaiting } from '../helpers/postgres/overlap.ts';
import { openReadPool } from '../helpers/postgres/read-pool.ts';
import { saveTable } from '../helpers/postgres/uploads.ts';
import { until } from '../helpers/until.ts';

const { url, client } = useTestDatabase();
const other = useClient(url);
let pool: DatabasePool;
beforeAll(async () => {
  await loadCatalogue(url, SMALL_BALLOT);
  await reconcileTopic(client, SUBMISSIONS_TOPIC, { topicId: 'topic-1', clusterId: 'cluster' });
  pool = await openReadPool(url, { maxConnections: 2, statementTimeoutMs: 60_000 });
});
afterAll(() => pool.end());

test('an author is confirmed when the turn of the account has come, not before', async () => {
  const accountId = await createAccount(client);
  await other.query('BEGIN');
  await other.query('SELECT pg_advisory_xact_lock($1, $2)', [ADVISORY_LOCKS.publishing, accountId]);
  const confirm = jest.fn(async () => {
    throw new Error('no longer');
  });
  const openProducer = jest.fn<Parameters<typeof publish>[1]>();
  const publishing = publish(pool, openProducer, {
    ...{ accountId, author: { key: 1 }, submissions: [endorse('acme', 'mayor', 'ann')], idempotency: null },
    ...{ now: new Date(), unchangedSince: null, confirm },
  });
  await until('it waits for its turn', () => isWaiting(client));
  expect(confirm).not.toHaveBeenCalled();
  await other.query('COMMIT');
  await expect(publishing).rejects.toThrow('no longer');
  expect(openProducer).not.toHaveBeenCalled();
});

/** An account that may publish for the gazette, with a stand-in for Kafka that notes what it is sent. */
async function createPublisher() {
  const accountId = await createAccount(client);
  const right = { given: ['coast-gazette'], isAllowed: true };
  await changeRights(client, { id: accountId, name: 'a' }, right, { osUser: 'ada', person: null });
  const sent: { messages: readonly Message[]; sender: string | undefined }[] = [];
  /** Fails the next sending. */
  const kafka = { failure: null as Error | null, nextOffset: 1_000_000 };
  const openProducer: Parameters<typeof publish>[1] = async () => ({
    identifyTopic: async () => 'topic-1',
    async send(messages, sender) {
      sent.push({ messages, sender });
      if (kafka.failure) throw kafka.failure;
      return messages.map((_, index): Place => ({ partition: 7 - index, offset: kafka.nextOffset++ }));
    },
    close: async () => {},
  });
  const send = (submissions: Submission[], more: Partial<Parameters<typeof publish>[2]> = {}) =>
    publish(pool, openProducer, {
      ...{ accountId, author: { key: 1 }, submissions, idempotency: null, now: new Date() },
      ...{ unchangedSince: null, confirm: async () => {}, ...more },
    });
  const saved = async () => {
    const { rows } = await client.query(
      `SELECT topic_id, endorsers, contests, partitions, offsets::int[] FROM publications WHERE account_id = $1 ORDER BY id`,
      [accountId],
    );
    return rows;
  };
  return { accountId, sent, kafka, send, saved };
}

const MAYOR = 'or-2026-11-03-general/mayor';
const of = (by: string, choice = 'ann') => endorse(by, 'mayor', choice);
const keyOf = (text: string) => ({ key: 'edition-7', requestHash: Buffer.from(text) });

test('endorsers for whom an account may not publish are named once, in the order of the request, and nothing is sent', async () => {
  const { sent, send, saved } = await createPublisher();
  const by = ['nation-herald', 'coast-gazette', 'bakers-local-1', 'nation-herald', 'nobody'];
  const refused = send(by.map((each) => of(each)));
  await expect(refused).rejects.toThrow(ForeignEndorserError);
  await expect(refused).rejects.toMatchObject({ endorsers: ['nation-herald', 'bakers-local-1', 'nobody'] });
  expect([sent, await saved()]).toEqual([[], []]);
});

test('a publication keeps the place of each submission, in the order of the request, and names itself as their sender', async () => {
  const { sent, send, saved } = await createPublisher();
  const submissions = [of('coast-gazette'), endorse('coast-gazette', 'council', 'bob')];
  const { id, record } = await send(submissions);
  expect(JSON.parse(record)).toEqual({
    id,
    submissions: submissions.map(({ endorser, contest }) => ({ endorser, contest, status: 'submitted' })),
  });
  expect(sent.map(({ sender }) => sender)).toEqual([`publication ${id}`]);
  expect(sent[0]?.messages).toEqual(
    submissions.map((each) => ({ key: 'coast-gazette', value: submissionCodec.encode(each) })),
  );
  expect(await saved()).toEqual([
    {
      ...{ topic_id: 'topic-1', endorsers: ['coast-gazette', 'coast-gazette'] },
      ...{
        contests: [MAYOR, 'or-2026-11-03-general/council'],
        partitions: [7, 6],
        offsets: [1_000_000, 1_000_001],
      },
    },
  ]);
});

test('a key publishes once, only the same request, and remembers nothing that Kafka did not confirm', async () => {
  const { sent, kafka, send, saved } = await createPublisher();
  const again = (choice = 'ann') => send([of('coast-gazette', choice)], { idempotency: keyOf(choice) });
  kafka.failure = new Error('the broker is away');
  const failed = again();
  await expect(failed).rejects.toThrow(UnconfirmedError);
  await expect(failed).rejects.toMatchObject({ cause: kafka.failure });
  expect(await saved()).toEqual([]);
  kafka.failure = null;
  const made = await again();
  expect(await again()).toEqual(made);
  await expect(again('bob')).rejects.toThrow(IdempotencyKeyReusedError);
  expect([sent.length, (await saved()).length]).toEqual([2, 1]);
});

test('a batch of an upload is marked with the publication, for the account that has sent it', async () => {
  const [own, stranger] = [await createPublisher(), await createPublisher()];
  const id = await saveTable(client, own.accountId);
  for (const ordinal of [1, 2]) await addBatch(client, id, { ordinal, submissions: '[]', count: 1 });
  const { idempotencyKey = '' } = (await findNextBatch(client, id)) ?? {};
  const idempotency = { key: idempotencyKey, requestHash: Buffer.from('a') };
  await stranger.send([of('coast-gazette')], { idempotency });
  const marked = async () => (await listBatches(client, id)).map(({ publicationId }) => publicationId);
  expect(await marked()).toEqual([null, null]);
  const published = await own.send([of('coast-gazette')], { idempotency });
  expect(await marked()).toEqual([published.id, null]);
});

test('an author who has seen the last change of a position publishes; one who has not, or whose own are on their way, does not', async () => {
  const { sent, send } = await createPublisher();
  const last = async () => {
    const { rows } = await client.query<{ last: number }>(
      'SELECT last_sequence::int AS last FROM stream_head',
    );
    return rows[0]?.last ?? 0;
  };
  await applySubmissions(client, of('coast-gazette', 'bob'), endorse('coast-gazette', 'council', 'bob'));
  const seen = await last();
  const publishAfter = (unchangedSince: number | null) => send([of('coast-gazette')], { unchangedSince });
  await expect(publishAfter(seen - 2)).rejects.toThrow(PositionChangedError);
  expect(sent).toEqual([]);
  // The last change is about another position.
  await publishAfter(seen - 1);
  await expect(publishAfter(seen)).rejects.toThrow(PositionChangedError);
  expect(sent).toHaveLength(1);
  await publishAfter(null);
  expect(sent).toHaveLength(2);
});
