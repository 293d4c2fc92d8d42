import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import type pg from 'pg';
import { AppliedWatch } from '../../../gateway/publishing/applied-watch.ts';
import { createLog } from '../../../service/log.ts';
import { ManualClock, settle } from '../../helpers/service/manual-clock.ts';
import { type Answer, useTestService } from '../../helpers/service/service.ts';
import { until } from '../../helpers/until.ts';

/** The wait for what became of submissions, while the consumers are stopped, begin and end. */
const service = useTestService({ gateways: 2 });

beforeAll(() => service.allow(['coast-gazette']));
beforeEach(() => service.stopConsumers());

let made = 0;
/** Publishes a submission that changes something. @returns the path of its publication */
async function publish(headers: Record<string, string> = {}): Promise<string> {
  made += 1;
  const submissions = [
    {
      ...{ endorser: 'coast-gazette', contest: 'or-2026-11-03-general/mayor', choice: 'ann' },
      statement: `Statement ${made}.`,
    },
  ];
  const accepted = await service.send('POST', '/v1/submissions', { submissions }, { headers });
  expect(accepted.status).toBe(202);
  return accepted.headers.get('location') ?? '';
}
const statusOf = ({ body }: Answer) => body.data.submissions[0].status;

/** A request that waits on the second gateway. */
function wait(path: string, seconds: number, headers: Record<string, string> = {}) {
  let isOver = false;
  const answer = service.get(`${path}?wait=${seconds}`, { gateway: 1, headers }).finally(() => {
    isOver = true;
  });
  return { answer, isOver: () => isOver };
}

/** Whether a gateway has looked at the progress within a second. */
async function isLooking(): Promise<boolean> {
  const looks = await service.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
       AND query LIKE '%oldestWaitedSeconds%' AND query_start > now() - interval '1 second'`,
  );
  return looks.length > 0;
}

test('ends when nothing is on its way: applied, and on the stream', async () => {
  const path = await publish();
  const { answer, isOver } = wait(path, 25);
  await service.startConsumers(['apply']);
  await until('the submission to be applied', async () => {
    const changes = await service.query('SELECT FROM change_log');
    return changes.length > 0;
  });
  await until('the gateway to look', isLooking);
  expect(isOver()).toBe(false);
  // Its change is in the log, and its event not yet on the stream.
  expect(statusOf(await service.get(path))).toBe('submitted');
  await service.stopConsumers();
  await service.startConsumers(['relay']);
  const settled = await answer;
  expect(statusOf(settled)).toBe('applied');
  const [event] = settled.body.data.submissions[0].events;
  await until('the event', async () => (await service.events()).data.some(({ id }) => id === event));
});

test('ends when its time is over, with what is known', async () => {
  expect(statusOf(await wait(await publish(), 1).answer)).toBe('submitted');
});

test('without seconds does not wait', async () => {
  expect(statusOf(await wait(await publish(), 0).answer)).toBe('submitted');
});

test.each([26, -1, 1.5])('of %d seconds is refused', async (seconds) => {
  const { status, body } = await service.get(`/v1/submissions/1?wait=${seconds}`);
  expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
  expect(body.error.message).toContain('wait must be a whole number from 0 to 25');
});

test('ends with the error of a new request when the key is revoked', async () => {
  const account = 'revoked';
  const key = await service.createKey(account, 'internal');
  await service.allow(['coast-gazette'], account);
  const headers = { Authorization: `Bearer ${key}` };
  const { answer } = wait(await publish(headers), 25, headers);
  await until('the gateway to look', isLooking);
  await service.query(
    'UPDATE api_keys SET revoked_at = now() WHERE account_id = (SELECT id FROM accounts WHERE name = $1)',
    [account],
  );
  const { status, body } = await answer;
  expect([status, body.error.code]).toEqual([401, 'revoked_api_key']);
});

test('ends when the gateway stops, with what is known', async () => {
  const { answer } = wait(await publish(), 25);
  await until('the gateway to look', isLooking);
  await service.gateways[1]?.stop();
  expect(statusOf(await answer)).toBe('submitted');
  await service.startGateway(1);
});

test('of a client that disconnects leaves no look behind', async () => {
  const path = await publish();
  const leaving = new AbortController();
  const left = fetch(service.url(`${path}?wait=25`, 1), {
    headers: { Authorization: `Bearer ${service.key}` },
    signal: leaving.signal,
  });
  await until('the gateway to look', isLooking);
  leaving.abort();
  await expect(left).rejects.toThrow();
  await until('the looks to end', async () => !(await isLooking()));
});

test('is of no use if the topic was made anew: nothing is known then', async () => {
  const path = await publish();
  await service.query("UPDATE publications SET topic_id = 'earlier'");
  const { status, body } = await wait(path, 25).answer;
  expect([status, body.error.code]).toEqual([404, 'not_found']);
  expect(body.error.message).toContain("Kafka's topic was replaced");
});

test('of a publication older than a week finds nothing', async () => {
  const path = await publish();
  await service.query("UPDATE publications SET created_at = now() - interval '7 days 1 second'");
  expect((await service.get(path)).status).toBe(404);
});

test('reports an outage of Postgres once, however long it lasts', async () => {
  const lines: string[] = [];
  const refuse = async () => {
    throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  };
  const clock = new ManualClock();
  const watch = new AppliedWatch({
    pool: { query: refuse } as unknown as pg.Pool,
    topic: 'endorsement-submissions',
    clock,
    log: createLog('test', 'warn', { write: (line) => lines.push(line) }),
  });
  const over = new AbortController();
  const waiting = watch.wait({ topicId: 'first', ends: new Map([[0, 1]]) }, over.signal);
  await settle();
  await clock.advance(30_000);
  expect(lines).toHaveLength(1);
  over.abort();
  await waiting;
  await clock.advance(1000);
});

test('ends once all partitions are applied, and the changes until then are on the stream, whatever comes later', async () => {
  const clock = new ManualClock();
  let store = {
    offsets: [
      [0, 5],
      [1, 7],
    ],
    logged: 40,
    relayed: 40,
  };
  /** A commit between two statements of a look. */
  let commit: typeof store | null = null;
  const query = async (asked: string | { text: string }) => {
    const text = typeof asked === 'string' ? asked : asked.text;
    if (text.includes('consumed_topics')) return { rows: [{ topic_id: 'first' }] };
    const { offsets, ...progress } = store;
    [store, commit] = [commit ?? store, null];
    return { rows: text.includes('consumer_offsets') ? offsets : [progress] };
  };
  const watch = new AppliedWatch({
    ...{ pool: { query } as unknown as pg.Pool, topic: 'endorsement-submissions', clock },
    log: createLog('test', 'silent'),
  });
  const ends = new Map([
    [0, 5],
    [1, 8],
  ]);
  let isOver = false;
  const waiting = watch.wait({ topicId: 'first', ends }, new AbortController().signal).then(() => {
    isOver = true;
  });
  const isOverAfter = async (change: Partial<typeof store>) => {
    store = { ...store, ...change };
    await clock.advance(200);
    return isOver;
  };
  expect(await isOverAfter({})).toBe(false);
  commit = {
    ...store,
    offsets: [
      [0, 5],
      [1, 8],
    ],
    logged: 50,
  };
  expect(await isOverAfter({})).toBe(false);
  expect(await isOverAfter({ logged: 60, relayed: 49 })).toBe(false);
  expect(await isOverAfter({ relayed: 50 })).toBe(true);
  await waiting;
});
