/** Certificates of Kafka that expire while connections are open, and are renewed later. */
import { setTimeout as sleep } from 'node:timers/promises';
import { withAdmin } from '../../../kafka/connection/admin.ts';
import { type Brokers, readBrokers } from '../../../service/brokers.ts';
import { until } from '../../helpers/until.ts';
import type { Scene } from './scene.ts';
import type { SecuredListener } from './secured-listener.ts';
import type { Part } from './world.ts';

/** A certificate's life, in milliseconds: long enough to connect, even on a busy machine. */
const LIFE_MS = 4000;
const PATIENCE_MS = 60_000;

function securedOf({ world }: Scene): SecuredListener {
  if (!world.secured) throw new Error('Kafka has no secured listener.');
  return world.secured;
}

/** The sentence with which Kafka or its client refuses a new connection; empty if it succeeds. */
async function refusalOf(settings: Record<string, string>): Promise<string> {
  const brokers = readBrokers(settings) as Brokers;
  return withAdmin(brokers, (admin) => admin.describeCluster(), { retries: 0 }).then(
    () => '',
    (error: Error) => error.message,
  );
}

/** Waits until a certificate has expired while connections are open, and drops them. @returns the refusal of new ones */
async function expire(
  { load, random }: Scene,
  secured: SecuredListener,
  { until: end, settings, refusal }: { until: Date; settings: Record<string, string>; refusal: RegExp },
): Promise<string> {
  const before = secured.proxy.packets;
  secured.proxy.cut();
  await load();
  await until('a connection with it', () => secured.proxy.packets > before, PATIENCE_MS);
  await until('the end of the certificate', () => Date.now() > end.getTime());
  secured.proxy.cut();
  await load();
  let sentence = '';
  const isRefused = async () => {
    sentence = await refusalOf(settings);
    return refusal.test(sentence);
  };
  await until('new connections are refused', isRefused, PATIENCE_MS).catch(() => {
    throw new Error(`New connections are not refused: "${sentence}".`);
  });
  await sleep(random.below(4000));
  return sentence;
}

/** A gateway, or both consumers, cannot connect. They recover without a restart when their certificate is renewed. */
export async function expiredClient(scene: Scene): Promise<string> {
  const secured = securedOf(scene);
  const { world, random, settle } = scene;
  // One of the consumers may stand by and hardly use Kafka.
  const victims = random.pick([world.consumers, ...world.gateways.map((gateway) => [gateway])]);
  const names = victims.map(({ name }) => name).join(', ');
  const settings = await secured.renewClient('victim');
  await restart(scene, victims, settings);
  const end = new Date(Date.now() + LIFE_MS);
  await secured.renewClient('victim', end);
  const sentence = await expire(scene, secured, { until: end, settings, refusal: /which expired on/ });
  await secured.renewClient('victim');
  await settle();
  await restart(scene, victims);
  return `${names}: ${sentence}`;
}

/** No process can connect. All recover without a restart when the broker's certificate is renewed. */
export async function expiredBroker(scene: Scene): Promise<string> {
  const secured = securedOf(scene);
  const { world, settle } = scene;
  const settings = await secured.renewClient('everybody');
  await restart(scene, world.parts, settings);
  const end = new Date(Date.now() + LIFE_MS);
  await secured.renewBroker(world.brokers, end);
  const sentence = await expire(scene, secured, { until: end, settings, refusal: /has expired/ });
  await secured.renewBroker(world.brokers);
  await settle();
  await restart(scene, world.parts);
  return `all processes: ${sentence}`;
}

/** Restarts parts, and waits until they work: a certificate must not change while a part first reads it. */
async function restart(
  { world, load, settle }: Scene,
  parts: readonly Part[],
  settings: Record<string, string> = {},
): Promise<void> {
  for (const part of parts) await world.restart(part, settings);
  await world.untilReady(parts);
  await load();
  await settle();
}
