import { afterEach, expect, test } from '@jest/globals';
import { type Leadership, startLeadership, type Term } from '../../consumers/leadership.ts';
import { KafkaUnavailableError } from '../../service/failure.ts';
import { createLog } from '../../service/log.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { TcpProxy } from '../helpers/faults/tcp-proxy.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { captureLog } from '../helpers/service/captured-log.ts';
import { until } from '../helpers/until.ts';

const database = useTestDatabase();
const LOCKS = { leader: 4711, working: 4712 };
const started: Leadership[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.stop()));
});

const verify = async () => {};

/** Starts a process whose work succeeds when the test says so. */
function start(check = verify) {
  const begun = Promise.withResolvers<Term>();
  const leadership = startLeadership({
    ...{ name: 'the work', where: 'apply', databaseUrl: database.url, locks: LOCKS },
    onLead: () => {},
    log: createLog('test', 'silent'),
    verify: check,
    lead: async (term) => {
      begun.resolve(term);
      await new Promise((resolve) => term.signal.addEventListener('abort', resolve));
    },
  });
  started.push(leadership);
  return { leadership, begun: begun.promise };
}

test('a stand-by that takes over is not ready until its own work has succeeded', async () => {
  const first = start();
  await (await first.begun).succeeded();
  const second = start();
  await until('it stands by', () => second.leadership.isReady());
  await first.leadership.stop();
  const term = await second.begun;
  expect([second.leadership.isReady(), second.leadership.leads()]).toEqual([false, false]);
  await term.succeeded();
  expect([second.leadership.isReady(), second.leadership.leads()]).toEqual([true, true]);
});

test('a stand-by that could not lead is not ready, and one that can is checked again before it leads', async () => {
  const first = start();
  await (await first.begun).succeeded();
  const wrong = start(() => Promise.reject(new OperatorError('Correct TOPIC_PREFIX.')));
  let checks = 0;
  const right = start(async () => {
    checks += 1;
  });
  await until('the other stands by', () => right.leadership.isReady());
  await until('it says why', () => wrong.leadership.findObstacle() === 'Correct TOPIC_PREFIX.');
  expect(checks).toBe(1);
  await Promise.all([first.leadership.stop(), wrong.leadership.stop()]);
  await right.begun;
  expect(checks).toBe(2);
});

test('an outage is reported once, however many terms it ends, and so is the next outage', async () => {
  const { log, lines } = captureLog('warn');
  let terms = 0;
  const leadership = startLeadership({
    ...{ name: 'the work', where: 'apply', databaseUrl: database.url, locks: LOCKS },
    onLead: () => {},
    log,
    verify,
    lead: async (term) => {
      terms += 1;
      if (terms === 3) await term.succeeded();
      throw new KafkaUnavailableError('away');
    },
  });
  started.push(leadership);
  await until('the terms', () => terms === 5);
  await leadership.stop();
  expect(lines.map(({ msg }) => msg)).toEqual(
    Array(2).fill('the work was interrupted; starting again (Kafka does not answer)'),
  );
});

test('a term ends although Postgres has fallen silent, and another begins once it answers', async () => {
  const way = await TcpProxy.open(database.url);
  let terms = 0;
  const leadership = startLeadership({
    ...{ name: 'the work', where: 'apply', databaseUrl: way.url, locks: LOCKS },
    onLead: () => {},
    log: createLog('test', 'silent'),
    verify,
    lead: async (term) => {
      terms += 1;
      if (terms === 1) {
        way.silence();
        throw new Error('Kafka is away as well.');
      }
      await new Promise((resolve) => term.signal.addEventListener('abort', resolve));
    },
  });
  started.push(leadership);
  await until('the first term', () => terms === 1);
  way.mend();
  way.forgetSilenced();
  await until('the second term', () => terms === 2);
  await leadership.stop();
  await way.close();
});
