import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadBounds } from '../../../kafka/reading/read-topic.ts';
import { topicNames } from '../../../kafka/topic-names.ts';
import { clockOff } from '../../helpers/faults/faketime.ts';
import type { TcpProxy } from '../../helpers/faults/tcp-proxy.ts';
import { startKafkajsClient } from '../../helpers/kafka/outside-javascript.ts';
import { until } from '../../helpers/until.ts';
import { expiredBroker, expiredClient } from './expired-certificates.ts';
import { fullKafkaDisk, fullPostgresDisk } from './full-disks.ts';
import type { Fault, Scene } from './scene.ts';
import type { Part, World } from './world.ts';

/** The partitions of the submissions topic that `topics apply` makes. */
const SUBMISSION_PARTITIONS = 12;
/** More packets than a batch of apply or of the relay has. */
const MAX_STEP = 30;

/** Springs a trap at a step of a part's work under load. @returns the step */
async function atStep({ random, load }: Scene, proxy: TcpProxy, spring: () => void): Promise<number> {
  const step = 1 + random.below(MAX_STEP);
  let isSprung = false;
  proxy.trap(step, () => {
    isSprung = true;
    spring();
  });
  await load();
  await until(`packet ${step}`, () => isSprung, 60_000);
  return step;
}

const consumersOf = ({ world, random }: Scene): Part => random.pick(world.consumers);

function signal(part: Part, name: NodeJS.Signals): void {
  process.kill(part.process.pid, name);
}

const isDead = (part: Part) => part.process.exitCode() !== null || part.process.killed();

function kill(choose: (scene: Scene) => Part) {
  return async (scene: Scene) => {
    const part = choose(scene);
    const step = await atStep(scene, part.postgres, () => signal(part, 'SIGKILL'));
    await until(`${part.name} is dead`, () => isDead(part));
    return `${part.name} died before its packet ${step} to Postgres`;
  };
}

function stop(choose: (scene: Scene) => Part) {
  return async (scene: Scene) => {
    const part = choose(scene);
    const step = await atStep(scene, part.postgres, () => signal(part, 'SIGSTOP'));
    const state = execFileSync('ps', ['-o', 'state=', '-p', String(part.process.pid)], { encoding: 'utf8' });
    if (!state.startsWith('T')) throw new Error(`${part.name} is in the state ${state.trim()}.`);
    await scene.load();
    const ms = 500 + scene.random.below(3000);
    await sleep(ms);
    signal(part, 'SIGCONT');
    return `${part.name} stood still for ${ms} ms before its packet ${step} to Postgres`;
  };
}

async function cutPostgres(scene: Scene): Promise<string> {
  const { name, postgres } = consumersOf(scene);
  const before = postgres.cuts;
  const step = await atStep(scene, postgres, () => postgres.cut());
  if (postgres.cuts === before) throw new Error('No connection was open.');
  return `${postgres.cuts - before} connections of ${name} to Postgres cut before packet ${step}`;
}

async function cutKafka(scene: Scene): Promise<string> {
  const { kafkaProxy } = scene.world;
  const before = kafkaProxy.cuts;
  const step = await atStep(scene, kafkaProxy, () => kafkaProxy.cut());
  if (kafkaProxy.cuts === before) throw new Error('No connection was open.');
  return `${kafkaProxy.cuts - before} connections to Kafka cut before packet ${step}`;
}

async function delay({ world, random, load, settle }: Scene): Promise<string> {
  const ms = 20 + random.below(200);
  const proxies = [world.kafkaProxy, ...world.parts.map(({ postgres }) => postgres)];
  const before = proxies.reduce((sum, { packets }) => sum + packets, 0);
  for (const proxy of proxies) proxy.delay(ms);
  await load();
  await settle();
  for (const proxy of proxies) proxy.mend();
  const count = proxies.reduce((sum, { packets }) => sum + packets, 0) - before;
  return `${count} packets delayed by ${ms} ms`;
}

function silence(choose: (scene: Scene) => { name: string; proxy: TcpProxy }) {
  return async (scene: Scene) => {
    const { name, proxy } = choose(scene);
    proxy.silence();
    const before = proxy.packets;
    await scene.load();
    await until('a packet is lost', () => proxy.packets > before, 60_000);
    const ms = 1000 + scene.random.below(8000);
    await sleep(ms);
    proxy.mend();
    // Connections in the silence have lost packets.
    proxy.cut();
    return `${name} silent for ${ms} ms, ${proxy.packets - before} packets lost`;
  };
}

async function killBroker({ world, random, load }: Scene): Promise<string> {
  await load();
  const pid = world.kafkaPid;
  await world.restartKafka(() => sleep(random.below(2000)));
  await load();
  return `broker ${pid} replaced by ${world.kafkaPid}`;
}

async function stopBroker({ world, random, load }: Scene): Promise<string> {
  await load();
  const ms = 500 + random.below(4000);
  process.kill(world.kafkaPid, 'SIGSTOP');
  await sleep(ms);
  process.kill(world.kafkaPid, 'SIGCONT');
  await load();
  return `the broker stood still for ${ms} ms`;
}

async function killPostgres({ world, load }: Scene): Promise<string> {
  const loading = load();
  const pid = world.postgresPid;
  await world.restartPostgres();
  await loading;
  return `Postgres ${pid} replaced by ${world.postgresPid}`;
}

async function countSubmissions(world: World): Promise<number> {
  const topic = topicNames('').submissions;
  const bounds = await loadBounds({ brokers: world.brokers, topic, clientId: 'faults' });
  return bounds.reduce((sum, { end }) => sum + end, 0);
}

async function olderLog({ world, load, settle }: Scene): Promise<string> {
  await settle();
  const putBack = await world.snapshotKafka();
  await load();
  await settle();
  const before = await countSubmissions(world);
  await world.restartKafka(putBack);
  const after = await countSubmissions(world);
  if (after >= before) throw new Error(`The log has ${after} submissions, before it had ${before}.`);
  await load();
  return `the broker came back with ${after} of ${before} submissions`;
}

async function emptiedKafka({ world, load, settle }: Scene): Promise<string> {
  await settle();
  const before = await countSubmissions(world);
  await world.restartKafka(async (folder) => {
    execFileSync('rm', ['-rf', folder]);
  });
  await world.makeTopics();
  await load();
  return `a new Kafka without the ${before} submissions of the old one`;
}

async function hangingTransaction({ world, random, load }: Scene): Promise<string> {
  const client = startKafkajsClient(world.brokers, topicNames('').submissions);
  const producer = await client.open({ transactionalId: `hanging-${random.below(1_000_000_000)}` });
  await producer.begin();
  for (let partition = 0; partition < SUBMISSION_PARTITIONS; partition += 1) {
    await producer.send([{ partition, key: null, value: Buffer.from('never to be') }]);
  }
  await load();
  const held = async () => {
    const { submissions } = await world.measureLag();
    return submissions.reduce((sum, { lag, stable_lag }) => sum + lag - stable_lag, 0);
  };
  await until('the lag shows it', async () => (await held()) > SUBMISSION_PARTITIONS, 60_000);
  const count = await held();
  await producer.abort();
  await producer.close();
  return `a transaction held back ${count} records, which the lag showed`;
}

async function wrongClock({ world, random, load }: Scene): Promise<string> {
  const part = random.pick(world.parts);
  const offset = random.pick(['+10m', '-10m']);
  const env = clockOff(offset);
  if (Object.keys(env).length === 0) throw new Error('faketime is not installed.');
  await world.restart(part, env);
  await load();
  return `the clock of ${part.name} is off by ${offset}`;
}

async function powerCut({ world, load }: Scene): Promise<string> {
  await load();
  for (const part of world.parts) signal(part, 'SIGKILL');
  await Promise.all([world.restartPostgres(), world.restartKafka()]);
  await until('all are dead', () => world.parts.every(isDead));
  return `${world.parts.length} processes and both servers died at once`;
}

const lacksDisks = ({ disks }: World) => (disks ? null : 'no file system can be mounted');
const lacksCertificates = ({ secured }: World) => (secured ? null : 'openssl is not installed');

/** Every fault of the suite. */
export const FAULTS: readonly Fault[] = [
  { name: 'kill consumers at a step', weight: 8, run: kill(consumersOf) },
  { name: 'kill a gateway', weight: 3, run: kill(({ world, random }) => random.pick(world.gateways)) },
  { name: 'stop consumers at a step', weight: 4, run: stop(consumersOf) },
  { name: 'stop a gateway', weight: 2, run: stop(({ world, random }) => random.pick(world.gateways)) },
  { name: 'cut Postgres at a step', weight: 5, run: cutPostgres },
  { name: 'cut Kafka at a step', weight: 5, run: cutKafka },
  { name: 'delay every packet', weight: 2, run: delay },
  {
    name: 'half-open Postgres',
    weight: 2,
    run: silence((scene) => {
      const part = consumersOf(scene);
      return { name: `Postgres for ${part.name}`, proxy: part.postgres };
    }),
  },
  {
    name: 'half-open Kafka',
    weight: 2,
    run: silence(({ world }) => ({ name: 'Kafka', proxy: world.kafkaProxy })),
  },
  { name: 'kill the broker', weight: 3, run: killBroker },
  { name: 'stop the broker', weight: 2, run: stopBroker },
  { name: 'kill Postgres', weight: 3, run: killPostgres },
  { name: 'an older Kafka log', weight: 3, run: olderLog },
  { name: 'an emptied Kafka', weight: 2, run: emptiedKafka },
  { name: 'a hanging transaction', weight: 2, run: hangingTransaction },
  { name: 'a wrong clock', weight: 2, run: wrongClock },
  { name: 'a power cut', weight: 2, run: powerCut },
  { name: "Kafka's disk is full", weight: 2, run: fullKafkaDisk, lacks: lacksDisks },
  { name: "Postgres's disk is full", weight: 2, run: fullPostgresDisk, lacks: lacksDisks },
  { name: "a client's certificate expires", weight: 2, run: expiredClient, lacks: lacksCertificates },
  { name: "the broker's certificate expires", weight: 2, run: expiredBroker, lacks: lacksCertificates },
];
