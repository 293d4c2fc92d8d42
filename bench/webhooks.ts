/**
 * Measures the time from the submission of a change to its receipt by webhooks, beside a client of the stream, and the
 * processor time of a delivery. Of `--webhooks`, 5 % lead to receivers that never answer, and 5 % to receivers that take
 * five seconds; with `--healthy`, all answer at once. Each change matches one in `--endorsers` of the webhooks. `--rate`
 * changes come a second, for `--seconds`, after as long a time without changes.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { topicNames } from '../kafka/topic-names.ts';
import { openProducer } from '../kafka/writing/submissions-producer.ts';
import { createKey } from '../ops/commands/keys.ts';
import { startProcess } from '../test/helpers/service/process.ts';
import { startSystem } from '../test/helpers/service/system.ts';
import { readEvents } from '../test/helpers/stream/event-stream.ts';
import { until } from '../test/helpers/until.ts';
import { WEBHOOK_ENV } from '../test/helpers/webhooks/webhook-env.ts';
import { endorse, type Subject } from './endorse.ts';
import { formatDurations } from './statistics.ts';
import { findSubjects } from './stream/latency.ts';
import { cpuMsOf } from './stream/process-usage.ts';
import { type Counts, delayOf, type Told } from './webhooks/receivers.ts';

const PER_ACCOUNT = 10;
const { values } = parseArgs({
  options: {
    webhooks: { type: 'string', default: '1000' },
    endorsers: { type: 'string', default: '10' },
    healthy: { type: 'boolean', default: false },
    rate: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '60' },
  },
});
const total = Number(values.webhooks);
const endorsers = Number(values.endorsers);
const rate = Number(values.rate);
const seconds = Number(values.seconds);
const unwell = values.healthy ? 0 : Math.round(total / 20);
const counts: Counts = { slow: unwell, dead: unwell, good: total - 2 * unwell };

const system = await startSystem(WEBHOOK_ENV);
const receivers = fork(fileURLToPath(new URL('webhooks/receivers.ts', import.meta.url)), [
  JSON.stringify(counts),
]);
const [{ ports }] = (await once(receivers, 'message')) as [Extract<Told, { ports: unknown }>];
const client = new pg.Client({ connectionString: system.databaseUrl });
await client.connect();
const subjects = await findSubjects(system.databaseUrl, endorsers);

/** Creates webhooks, ten for each account, over all endorsers and kinds of receivers alike. */
async function createWebhooks(): Promise<void> {
  const all = (['good', 'slow', 'dead'] as const).flatMap((kind) => ports[kind]);
  const mixed = all
    .map((port, index) => ({ port, order: (index * 7919) % all.length }))
    .sort((a, b) => a.order - b.order);
  for (let from = 0; from < mixed.length; from += PER_ACCOUNT) {
    const account = `account-${from}`;
    const key = await createKey({ databaseUrl: system.databaseUrl, account, plan: 'internal' });
    await Promise.all(
      mixed.slice(from, from + PER_ACCOUNT).map(async ({ port }, index) => {
        const filter = { endorsers: [subjects[(from + index) % subjects.length]?.endorser] };
        const response = await fetch(`${system.base}/v1/webhooks`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ name: `n${index}`, url: `http://127.0.0.1:${port}/`, filter }),
        });
        if (response.status !== 201) throw new Error(await response.text());
      }),
    );
  }
}

/** Submits changes at the rate, of each endorser in turn. */
async function submit(changes: number): Promise<void> {
  const topic = topicNames().submissions;
  const producer = await openProducer(system.brokers, topic);
  const startedAt = performance.now();
  for (let index = 0; index < changes; index += 1) {
    await sleep(Math.max(0, startedAt + (index * 1000) / rate - performance.now()));
    const subject = subjects[index % subjects.length] as Subject;
    await producer.send([endorse(subject, { statement: `${index}@${Date.now()}` })]);
  }
  await producer.close();
}

try {
  await createWebhooks();
  const { databaseUrl, brokers } = system;
  const deliverer = startProcess('consumers/main.ts', {
    ...{ DATABASE_URL: databaseUrl, KAFKA_BROKERS: brokers.addresses.join(','), ROLES: 'deliver' },
    ...WEBHOOK_ENV,
  });
  await until('all webhooks are held', async () => {
    const { rows } = await client.query(
      'SELECT count(*)::int AS held FROM webhooks WHERE deliverer_id IS NOT NULL',
    );
    return rows[0].held === total;
  });
  const streamed: number[] = [];
  const stream = await fetch(`${system.base}/v1/stream`, {
    headers: { Authorization: `Bearer ${system.key}` },
  });
  void readEvents(stream, {
    onEvent: ({ event, data }) => {
      const delay = event === 'endorsement' ? delayOf(JSON.parse(data), Date.now()) : null;
      if (delay !== null) streamed.push(delay);
    },
  }).catch(() => {});
  await submit(endorsers * 2);
  await sleep(3000);
  receivers.send('report');
  await once(receivers, 'message');
  streamed.length = 0;
  const idleFrom = cpuMsOf(deliverer.pid);
  await sleep(seconds * 1000);
  const idleMs = cpuMsOf(deliverer.pid) - idleFrom;
  const before = cpuMsOf(deliverer.pid);
  const changes = Math.round(rate * seconds);
  await submit(changes);
  await sleep(3000);
  const cpuMs = cpuMsOf(deliverer.pid) - before;
  receivers.send('report');
  const [{ delays }] = (await once(receivers, 'message')) as [Extract<Told, { delays: unknown }>];
  const attempts = delays.good.length + delays.slow.length + delays.dead.length;
  process.stdout.write(
    `${total} webhooks, ${counts.dead} of them dead and ${counts.slow} slow; ${changes} changes, ${rate} a second, each to ${total / endorsers}\n` +
      `to webhooks that answer:   ${formatDurations(delays.good)}\n` +
      `to a client of the stream: ${formatDurations(streamed)}\n` +
      (counts.slow > 0 ? `to slow webhooks:          ${formatDurations(delays.slow)}\n` : '') +
      `processor time of a deliverer: ${(cpuMs / attempts).toFixed(2)} ms for each event sent, ` +
      `${((cpuMs - idleMs) / attempts).toFixed(2)} ms more than without changes; ` +
      `${(idleMs / seconds).toFixed(0)} ms a second without changes\n`,
  );
  await deliverer.kill('SIGTERM');
} finally {
  receivers.kill();
  await client.end();
  await system.stop();
}
process.exit(0);
