import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { withAdmin } from '../../../kafka/connection/admin.ts';
import { type KafkaOptions, startKafka } from '../../../ops/local/servers/kafka/broker.ts';
import { findFreePort } from '../../../ops/local/servers/ports.ts';
import type { KafkaServer } from '../../../ops/local/servers/server.ts';
import { type Brokers, plaintextBrokers } from '../../../service/brokers.ts';
import { ServerFolder } from '../servers/server-folder.ts';
import { until } from '../until.ts';

/** A cluster of two brokers, separate from the run's. */
export interface TwoBrokers {
  /** Node 1, which is also the controller. */
  first: KafkaServer;
  /** Node 2, which can be stopped alone. */
  second: KafkaServer;
  /** Both. */
  brokers: Brokers;
  /** Stops node 2 in order and starts it again. */
  restartSecond(): Promise<void>;
  stop(): Promise<void>;
}

/** @param overrides the properties of each broker, besides those of every test */
export async function startTwoBrokers(
  overrides: { first?: Record<string, string>; second?: Record<string, string> } = {},
): Promise<TwoBrokers> {
  const folder = await ServerFolder.make('ballot-two-brokers-');
  const { dir, onSpawn } = folder;
  const first = await startKafka({
    dir: path.join(dir, 'first'),
    onSpawn,
    overrides: overrides.first ?? {},
  });
  const properties = await readFile(path.join(dir, 'first', 'server.properties'), 'utf8');
  const storage = await readFile(path.join(dir, 'first', 'data', 'meta.properties'), 'utf8');
  const port = await findFreePort();
  const secondOptions: KafkaOptions = {
    dir: path.join(dir, 'second'),
    onSpawn,
    port,
    clusterId: /^cluster\.id=(.*)$/m.exec(storage)?.[1] ?? '',
    overrides: {
      ...overrides.second,
      'process.roles': 'broker',
      'node.id': '2',
      'controller.quorum.voters': /^controller\.quorum\.voters=(.*)$/m.exec(properties)?.[1] ?? '',
      listeners: `PLAINTEXT://127.0.0.1:${port}`,
    },
  };
  let second = await startKafka(secondOptions);
  await withAdmin(first.brokers, (admin) =>
    until('both brokers', async () => (await admin.describeCluster()).brokers.length === 2),
  );
  return {
    first,
    get second() {
      return second;
    },
    async restartSecond() {
      await second.stop();
      second = await startKafka(secondOptions);
    },
    brokers: plaintextBrokers([...first.brokers.addresses, ...second.brokers.addresses]),
    async stop() {
      await second.stop();
      await first.stop();
      await folder.remove();
    },
  };
}
