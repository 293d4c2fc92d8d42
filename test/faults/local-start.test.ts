/* Parts of `npm start` are taken away while it runs. */
import { once } from 'node:events';
import { readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import os from 'node:os';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { GroupOffsets } from '../../kafka/reading/group-offsets.ts';
import { identifyTopic } from '../../kafka/reading/read-topic.ts';
import { TopicReader } from '../../kafka/reading/topic-reader.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { openProducer } from '../../kafka/writing/submissions-producer.ts';
import { TopicWriter } from '../../kafka/writing/topic-writer.ts';
import { chooseRunner, inspectMachine } from '../../ops/local/servers/runner.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { StartTerminal } from '../helpers/commands/start-terminal.ts';
import { createFolder } from '../helpers/folder.ts';
import { until } from '../helpers/until.ts';

const isEmbedded = chooseRunner(await inspectMachine()) === 'embedded';
const embeddedTest = isEmbedded ? test : test.skip;
let folder: Awaited<ReturnType<typeof createFolder>>;
let terminal: StartTerminal;

beforeAll(async () => {
  if (!isEmbedded) return;
  folder = await createFolder({});
  terminal = await StartTerminal.open(folder.dir);
  // A proxy that cannot reach this machine's own addresses is for other ones.
  Object.assign(terminal.env, { HTTP_PROXY: 'http://127.0.0.1:1', NODE_USE_ENV_PROXY: '1' });
  await terminal.start();
  await loadCatalogue((await terminal.servers()).databaseUrl, SMALL_BALLOT);
}, 150_000);
afterAll(async () => {
  if (!isEmbedded) return;
  await terminal.stop().catch(() => terminal.kill());
  await folder.remove();
});

async function kill(name: string): Promise<void> {
  process.kill(Number(await readFile(terminal.file('run', `${name}.pid`), 'utf8')), 'SIGKILL');
}

const say = (statement: string) =>
  terminal.submit([endorse('bakers-local-1', 'mayor', 'ann', { statement })]);

embeddedTest('other machines reach no port of a start, and other users none of its files', async () => {
  const { PORT: port, METRICS_PORT: metricsPort } = { ...terminal.env };
  const outside = Object.values(os.networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4');
  for (const { address } of outside) {
    for (const each of [port, metricsPort]) {
      await expect(fetch(`http://${address}:${each}/healthz`)).rejects.toThrow('fetch failed');
    }
  }
  expect((await fetch(`http://localhost:${port}/healthz`)).status).toBe(200);
  expect((await stat(terminal.file())).mode & 0o077).toBe(0);
});

embeddedTest(
  'a Kafka without its data gets new storage and its topics, and readers continue',
  async () => {
    const { brokers } = await terminal.servers();
    const topic = topicNames('').submissions;
    const reader = new TopicReader({ brokers, topic, clientId: 'test' });
    const group = new GroupOffsets({ brokers, groupId: 'test', topic });
    const { clusterId, topicId } = await reader.identify();
    const commit = () => group.commit(new Map([[0, 1]]), topicId);
    // Kafka may still be making its topic for groups.
    await until('a commit', () =>
      commit().then(
        () => true,
        () => false,
      ),
    );
    const openProducers = () => Promise.all(Array.from({ length: 10 }, () => openProducer(brokers, topic)));
    const producers = await openProducers();
    const replaced = Promise.withResolvers<never>();
    const produce = jest.fn(() => replaced.promise);
    const writer = new TopicWriter({ brokers, topic, clientId: 'test', produce });
    const sending = writer.send([{ key: 'k', value: Buffer.from('x'), headers: {} }]);
    sending.catch(() => {});
    await until('a request', () => produce.mock.calls.length > 0);
    await say('Before.');
    const before = await terminal.eventsOnceTheyEndWith('Before.');
    await rm(terminal.file('kafka', 'data'), { recursive: true, maxRetries: 10 });
    await kill('kafka');
    await until('the topics', () => terminal.output.includes('Topics: created endorsement-changes '), 60_000);
    await until(
      'a submission',
      () =>
        say('After.').then(
          () => true,
          () => false,
        ),
      60_000,
    );
    const after = await terminal.eventsOnceTheyEndWith('After.');
    expect(after.slice(0, before.length)).toEqual(before);

    // Clients that knew the earlier Kafka notice the other one. Its offsets would skip submissions here.
    await commit();
    expect(await group.load()).toEqual(new Map());
    expect((await reader.identify()).topicId).not.toBe(topicId);
    expect((await identifyTopic({ brokers, topic, clientId: 'test' })).clusterId).not.toBe(clusterId);
    await Promise.all([group.close(), reader.close()]);

    // The other Kafka gives the same ids to other producers. With a shared id, a message would count as sent before.
    replaced.reject(Object.assign(new Error('The connection is lost.'), { canRetry: true }));
    await expect(sending).rejects.toThrow('was made anew');
    producers.unshift(...(await openProducers()));
    const places = new Set<string>();
    for (const producer of producers) {
      const sent = await producer.send([{ key: 'k', value: Buffer.from('x') }]);
      places.add(JSON.stringify(sent));
    }
    expect(places.size).toBe(producers.length);
    await Promise.all([writer.close(), ...producers.map((producer) => producer.close())]);
  },
  240_000,
);

embeddedTest(
  'a program with a taken port ends npm start with the reason',
  async () => {
    const { PORT } = terminal.env;
    const other = createServer();
    await kill('gateway');
    await until('the port', async () => {
      other.listen(Number(PORT));
      return once(other, 'listening').then(
        () => true,
        () => false,
      );
    });
    try {
      await until('npm start ends', () => terminal.hasEnded(), 150_000);
      expect(terminal.output).toMatch(
        new RegExp(`^gateway: PORT ${PORT} cannot be listened on: .*EADDRINUSE`, 'm'),
      );
      expect(terminal.output).toMatch(/^gateway cannot be started; the reason is above\.$/m);
    } finally {
      other.close();
    }
  },
  240_000,
);
