/** The disk of a server is full for a while. */
import { setTimeout as sleep } from 'node:timers/promises';
import { exhaustPostgres } from '../../helpers/faults/small-disk.ts';
import { until } from '../../helpers/until.ts';
import type { Scene } from './scene.ts';

const PATIENCE_MS = 120_000;
const NO_SPACE = 'No space left on device';

/** Kafka ends when it cannot write, and restarts with its data. */
export async function fullKafkaDisk({ world, random, load, insist }: Scene): Promise<string> {
  const disk = world.disks?.kafka;
  if (!disk) throw new Error('Kafka has no disk of its own.');
  await load();
  let exit: string | undefined;
  world.kafkaExit.then((how) => {
    exit = how;
  });
  disk.fill();
  const sending = insist();
  const hasEnded = async () => {
    if (exit === undefined) disk.fill();
    return exit !== undefined;
  };
  await until('the broker ends', hasEnded, PATIENCE_MS);
  await sleep(random.below(3000));
  disk.free();
  await world.restartKafka();
  const refused = await sending;
  return `the broker ended (${exit}) on a full disk, and ${refused} batches were sent again`;
}

/** Postgres refuses every commit, and may end. */
export async function fullPostgresDisk({ world, random, load }: Scene): Promise<string> {
  const disk = world.disks?.postgres;
  if (!disk) throw new Error('Postgres has no disk of its own.');
  await load();
  const failures: string[] = [];
  const isExhausted = async () => {
    disk.fill();
    failures.push(await exhaustPostgres(world.databaseUrl));
    return failures.join().includes(NO_SPACE);
  };
  await until('Postgres has no space', isExhausted, PATIENCE_MS);
  await load();
  await sleep(random.below(4000));
  disk.free();
  const isBack = () =>
    world
      .withClient((client) => client.query('SELECT'))
      .then(
        () => true,
        () => world.hasPostgresEnded,
      );
  await until('Postgres answers or has ended', isBack, PATIENCE_MS);
  const hasEnded = world.hasPostgresEnded;
  if (hasEnded) await world.restartPostgres();
  return `Postgres ${hasEnded ? 'ended' : 'refused to write'} on a full disk (${NO_SPACE})`;
}
