/** `stream check`, `stream repair` and `stream new-epoch`: what the changes topic owes to the change log. */

import { requireBrokers } from '../../kafka/admin.ts';
import { createChangesProducer } from '../../kafka/changes-producer.ts';
import { createKafkaClient } from '../../kafka/client.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { changeCodec } from '../../schemas/change.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { createReadPool, type DatabasePool } from '../../store/connection/read-pool.ts';
import { loadRelayedChanges, loadRelayedRange } from '../../store/reads/relayed-changes.ts';
import type { CommandIo } from '../command.ts';
import { createConfig, type OpsConfig, readEnv } from '../config.ts';
import { requireDatabase } from '../database.ts';
import { findHoles, type SequenceRange } from '../stream/find-holes.ts';
import { newEpoch } from '../stream/new-epoch.ts';

const USAGE =
  'Usage: npm run ops -- stream check | stream repair | stream new-epoch [--submissions-from-beginning]';
/** How many changes are sent at a time. */
const BATCH = 1000;
const STATEMENT_TIMEOUT_MS = 60_000;

const count = (ranges: SequenceRange[]) => ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
const format = ({ from, to }: SequenceRange) => (from === to ? `${from}` : `${from} to ${to}`);

async function withPool<T>(databaseUrl: string, work: (pool: DatabasePool) => Promise<T>): Promise<T> {
  const pool = await createReadPool({
    databaseUrl,
    maxConnections: 1,
    connectionTimeoutMs: STATEMENT_TIMEOUT_MS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** What was relayed, is still in the change log, and is not in the topic. */
async function loadHoles({ brokers, topicPrefix }: OpsConfig, pool: DatabasePool): Promise<SequenceRange[]> {
  const range = await loadRelayedRange(pool);
  const { changes: topic } = topicNames(topicPrefix);
  return range ? findHoles({ brokers, topic, epoch: range.epoch }, range) : [];
}

/** Names every change of the change log that the topic should have and lacks. @returns 1 where there is one. */
async function check(config: OpsConfig, io: CommandIo): Promise<number> {
  const holes = await withPool(config.databaseUrl, (pool) => loadHoles(config, pool));
  for (const hole of holes) io.out(`missing: ${format(hole)}`);
  io.err(
    holes.length === 0
      ? 'The changes topic has every change that was relayed and is still in the change log.'
      : `The changes topic lacks ${count(holes)} changes. Gateways give them out of the change log; "stream repair" sends them again.`,
  );
  return holes.length === 0 ? 0 : 1;
}

/** Sends what the topic lacks once more: the same ids, the same bytes (INV-3). */
async function repair(config: OpsConfig, io: CommandIo): Promise<number> {
  const { brokers, topicPrefix, databaseUrl } = config;
  const kafka = createKafkaClient({ brokers, clientId: 'ballot-endorsements-ops' });
  const producer = createChangesProducer(kafka, topicNames(topicPrefix).changes);
  return withPool(databaseUrl, async (pool) => {
    const holes = await loadHoles(config, pool);
    await producer.connect();
    try {
      for (const hole of holes) {
        for (let { from } = hole; from <= hole.to; from += BATCH) {
          const changes = await loadRelayedChanges(pool, from, Math.min(hole.to, from + BATCH - 1));
          await producer.send(
            changes.map((change) => ({ key: change.endorser.slug, value: changeCodec.encode(change) })),
          );
        }
        io.out(`sent again: ${format(hole)}`);
      }
    } finally {
      await producer.disconnect();
    }
    io.err(`${count(holes)} changes that the changes topic lacked were sent again.`);
    return 0;
  });
}

type Action = (config: OpsConfig, io: CommandIo) => Promise<number>;

const actions = new Map<string, Action>([
  ['check', check],
  ['repair', repair],
  ['new-epoch', (config, io) => newEpoch(config, io, { submissionsFromBeginning: false })],
  [
    'new-epoch --submissions-from-beginning',
    (config, io) => newEpoch(config, io, { submissionsFromBeginning: true }),
  ],
]);

/**
 * Looks after the changes topic (INV-7).
 *
 * @throws OperatorError for arguments that are not right, and where a server cannot be used.
 */
export async function run(args: string[], io: CommandIo): Promise<number> {
  const action = actions.get(args.join(' '));
  if (action === undefined) throw new OperatorError(USAGE);
  const config = createConfig(readEnv(io.env));
  await requireDatabase(config.databaseUrl);
  await requireBrokers(config.brokers);
  return action(config, io);
}
