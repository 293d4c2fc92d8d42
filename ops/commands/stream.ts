import { verifyHistory } from '../../consumers/verify-history.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { createChangesProducer } from '../../kafka/writing/changes-producer.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { createReadPool, type DatabasePool } from '../../store/connection/read-pool.ts';
import { loadRelayedChanges, loadRelayedRange } from '../../store/reads/relayed-changes.ts';
import { loadDatabaseTime } from '../../store/reads/stream-points.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import type { OpsConfig } from '../config.ts';
import { withDatabase } from '../database.ts';
import { withProgress, withTotal } from '../progress.ts';
import { requireServers } from '../require-servers.ts';
import { findHoles, type SequenceRange } from '../stream/find-holes.ts';
import { newEpoch } from '../stream/new-epoch.ts';
import { rebuildStream } from '../stream/rebuild.ts';
import { defineTail } from './stream-tail.ts';

/** The number of changes per request. */
const BATCH = 1000;
const STATEMENT_TIMEOUT_MS = 60_000;

const EXAMPLES = `
Examples:
  npm run ops -- stream check
  npm run ops -- stream repair
  npm run ops -- stream rebuild
  npm run ops -- stream new-epoch`;

/** `stream check`, `stream repair`, `stream rebuild`, `stream new-epoch` (INV-7), and `stream tail`. */
export const define: DefineCommand = (stream, io) => {
  stream
    .command('check')
    .description(
      'compare the database with Kafka: name every relayed change of the window that the changes topic lacks, and say ' +
        'if the database lacks announced changes; the exit status is 1 if there is either',
    )
    .addHelpText('after', EXAMPLES)
    .action(async () => check(await requireServers(io), io));
  stream
    .command('repair')
    .description('send the changes that the changes topic lacks again, with the same ids')
    .addHelpText('after', EXAMPLES)
    .action(async () => repair(await requireServers(io), io));
  stream
    .command('rebuild')
    .description(
      'have the relay write the whole window into the changes topic again, with the same ids; it does so by itself ' +
        'when it finds the topic emptied, created again or replaced by a mirror',
    )
    .addHelpText('after', EXAMPLES)
    .action(async () => {
      const { databaseUrl } = await requireServers(io);
      await withDatabase(databaseUrl, 'stream-rebuild', (client) => rebuildStream(client, io));
    });
  stream
    .command('new-epoch')
    .description('begin another stream, after Postgres was restored from a backup')
    .addHelpText('after', EXAMPLES)
    .action(async () => newEpoch(await requireServers(io), io));
  defineTail(stream.command('tail'), io);
};

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

/** The relayed changes of the window that the topic lacks. @throws OperatorError as `verifyHistory` does */
async function loadHoles(
  { brokers, topicPrefix, databaseUrl, retentionMs }: OpsConfig,
  pool: DatabasePool,
  { terminal }: CommandIo,
): Promise<SequenceRange[]> {
  const { changes: topic } = topicNames(topicPrefix);
  await withDatabase(databaseUrl, 'stream', (client) => verifyHistory(client, { brokers, topic }));
  const range = await loadRelayedRange(pool, new Date((await loadDatabaseTime(pool)) - retentionMs));
  if (!range) return [];
  return withProgress(terminal, 'Reading', (onProgress) =>
    findHoles({ brokers, topic, epoch: range.epoch }, range, onProgress),
  );
}

async function check(config: OpsConfig, io: CommandIo): Promise<void> {
  const holes = await withPool(config.databaseUrl, (pool) => loadHoles(config, pool, io));
  for (const hole of holes) io.out(`missing: ${format(hole)}`);
  if (holes.length > 0) {
    throw new OperatorError(
      `The changes topic lacks ${count(holes)} changes. Gateways read them from the change log; "stream repair" sends them again.`,
    );
  }
  io.err('The changes topic has every relayed change of the window.');
}

/** Sends the missing changes again, with the same ids and bytes (INV-3). */
async function repair(config: OpsConfig, io: CommandIo): Promise<void> {
  const { brokers, topicPrefix, databaseUrl } = config;
  const producer = createChangesProducer({ brokers, topic: topicNames(topicPrefix).changes });
  await withPool(databaseUrl, async (pool) => {
    const holes = await loadHoles(config, pool, io);
    await producer.connect();
    const sending = withTotal(io.terminal, 'Sending', count(holes), async (advance) => {
      for (const hole of holes) {
        for (let { from } = hole; from <= hole.to; ) {
          const changes = await loadRelayedChanges(pool, from, Math.min(hole.to, from + BATCH - 1));
          await producer.send(changes);
          from = (changes.at(-1)?.sequence ?? hole.to) + 1;
          advance(changes.length);
        }
        io.out(`sent again: ${format(hole)}`);
      }
    });
    await sending.finally(() => producer.disconnect());
    io.err(`${count(holes)} changes that the changes topic lacked were sent again.`);
  });
}
