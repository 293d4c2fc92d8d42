/**
 * Draws flame graphs under the loads that miss their goals: the time of the main thread of a gateway, of apply or of
 * the relay, and the memory of a stream. Some loads need a loaded store: DATABASE_URL and KAFKA_BROKERS, or a running
 * service's DATA_DIR. The graphs go to docs/images/.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Role } from '../consumers/config.ts';
import { startSystem } from '../test/helpers/service/system.ts';
import { print } from './command-line.ts';
import { drawFlames } from './flames/draw-flames.ts';
import { type Flame, flameOfCpu, flameOfHeap, mostExpensive, ORIGINS, partsOf } from './flames/flame.ts';
import { Inspector, profiledEnv } from './flames/inspector.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { measureRate, WARM_UP_SECONDS } from './load.ts';
import { openStore } from './open-store.ts';
import { type FanOutLoad, measureAll, openArena } from './stream/fan-out.ts';
import { createMessages, measureService, openPlaces } from './stream/ingest.ts';
import { PageReader } from './stream/page-reader.ts';
import { Publisher } from './stream/publisher.ts';
import { ReaderPool } from './stream/reader-pool.ts';
import { publishSteadily, selectiveStreams } from './stream/selective.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const READ_SECONDS = 5;
const HEAP_STREAMS = 2000;
/** Long enough to collect the garbage of opening the streams, in milliseconds. */
const SETTLE_MS = 5000;
/** Pages of a replay: some for V8 to compile the code, and some to profile. */
const PAGES = { warmUp: 300, profiled: 400 };
const SELECTIVE = { warmUp: 300, profiled: 500 };
/** This number of submissions lets V8 compile the code, and as many again are profiled. */
const SUBMISSIONS = 100_000;
const MOST_EXPENSIVE = 8;

interface Graph {
  title: string;
  measure(): Promise<Flame>;
}

const GRAPHS: Record<string, Graph> = {
  'fan-out-20': {
    title: 'Processor time of a gateway: 1,000 streams, 20 changes at a time',
    measure: () => profileFanOut({ streams: 1000, changes: 20, passes: 150 }),
  },
  'fan-out-1': {
    title: 'Processor time of a gateway: 1,000 streams, one change at a time',
    measure: () => profileFanOut({ streams: 1000, changes: 1, passes: 400 }),
  },
  selective: {
    title: 'Processor time of a gateway: 10,000 streams with as many filters, of which 1 % match',
    measure: profileSelective,
  },
  memory: {
    title: "V8's heap of a gateway: what 2,000 idle streams take, by the functions that allocated it",
    measure: profileMemory,
  },
  replay: {
    title: 'Processor time of a gateway: a replay out of Kafka (its main thread; another decodes)',
    measure: profileReplay,
  },
  states: {
    title: 'Processor time of a gateway: /v1/states, made anew',
    measure: () => profileReads('/v1/states', { RESPONSE_MEMORY_MB: '0' }),
  },
  'states-kept': {
    title: 'Processor time of a gateway: /v1/states, kept',
    measure: () => profileReads('/v1/states', {}),
  },
  endorsements: {
    title: 'Processor time of a gateway: /v1/endorsements?limit=100, made anew',
    measure: () => profileReads('/v1/endorsements?limit=100', { RESPONSE_MEMORY_MB: '0' }),
  },
  apply: {
    title: 'Processor time of apply: submissions as fast as the service takes them',
    measure: () => profileIngest('apply'),
  },
  relay: {
    title: 'Processor time of the relay: submissions as fast as the service takes them',
    measure: () => profileIngest('relay'),
  },
};

/** Profiles the processor time of the program with this port for profiling during some work. */
async function profileCpu(port: number, work: () => Promise<unknown>): Promise<Flame> {
  const inspector = await Inspector.open(port);
  const profile = await inspector.profileCpu(work);
  inspector.close();
  return flameOfCpu(profile, ROOT);
}

async function profileFanOut(load: FanOutLoad): Promise<Flame> {
  const { port, env } = await profiledEnv();
  const arena = await openArena(env);
  const gateway = { ...arena, contestants: arena.contestants.slice(0, 1) };
  await measureAll(gateway, load, 1);
  const flame = await profileCpu(port, () => measureAll(gateway, load, 0));
  await arena.stop();
  return flame;
}

async function profileSelective(): Promise<Flame> {
  const { port, env } = await profiledEnv();
  const system = await startSystem(env);
  const publisher = await Publisher.open(system);
  const { paths, active } = selectiveStreams(publisher.endorsers);
  const pool = await ReaderPool.open({ port: Number(new URL(system.base).port), key: system.key, paths });
  const publish = (changes: number) => publishSteadily(publisher, changes, active.length);
  await publish(SELECTIVE.warmUp);
  const flame = await profileCpu(port, () => publish(SELECTIVE.profiled));
  pool.close();
  await publisher.close();
  await system.stop();
  return flame;
}

async function profileMemory(): Promise<Flame> {
  const { port, env } = await profiledEnv();
  const system = await startSystem(env);
  const open = (count: number) =>
    ReaderPool.open({
      port: Number(new URL(system.base).port),
      key: system.key,
      paths: Array(count).fill('/v1/stream'),
    });
  const first = await open(HEAP_STREAMS / 10);
  await sleep(SETTLE_MS);
  const inspector = await Inspector.open(port);
  let rest: ReaderPool | undefined;
  const head = await inspector.profileHeap(async () => {
    rest = await open(HEAP_STREAMS);
    await sleep(SETTLE_MS);
  });
  inspector.close();
  first.close();
  rest?.close();
  await system.stop();
  const flame = flameOfHeap(head, ROOT);
  print(`  ${(flame.value / HEAP_STREAMS / 1024).toFixed(1)} KiB a stream`);
  return flame;
}

async function profileIngest(role: Role): Promise<Flame> {
  const { port, env } = await profiledEnv();
  const system = await startSystem({}, { consumerEnv: { [role]: env } });
  const places = await openPlaces(system);
  const submit = (round: number) => measureService(system, createMessages(places, round, SUBMISSIONS));
  await submit(0);
  const flame = await profileCpu(port, () => submit(1));
  await system.stop();
  return flame;
}

/** Profiles its own gateway on the loaded store. */
async function profileOnStore(
  settings: Record<string, string>,
  profile: (gateway: { base: string; key: string; port: number }) => Promise<Flame>,
): Promise<Flame> {
  const { config, key } = await openStore();
  const { port, env } = await profiledEnv();
  const gateway = await startGatewayProcess(config, { ...settings, ...env });
  const flame = await profile({ base: gateway.base, key, port });
  await gateway.stop();
  return flame;
}

function profileReplay(): Promise<Flame> {
  return profileOnStore({}, async ({ base, key, port }) => {
    const reader = new PageReader(base, key);
    let query = 'from=earliest';
    const read = async (pages: number) => {
      for (let page = 0; page < pages; page += 1) {
        const { nextCursor, hasMore } = await reader.read(query);
        if (!hasMore) throw new Error('The store has too few changes for a profile of a replay.');
        query = `cursor=${nextCursor}`;
      }
    };
    await read(PAGES.warmUp);
    return profileCpu(port, () => read(PAGES.profiled));
  });
}

function profileReads(address: string, settings: Record<string, string>): Promise<Flame> {
  return profileOnStore(settings, async ({ base, key, port }) => {
    const target = { url: `${base}${address}`, headers: { Authorization: `Bearer ${key}` } };
    await measureRate(target, { connections: 8, seconds: WARM_UP_SECONDS });
    return profileCpu(port, () => measureRate(target, { connections: 8, seconds: READ_SECONDS }));
  });
}

const percent = (part: number) => `${(part * 100).toFixed(0)} %`;

const { values, positionals } = parseArgs({
  options: { to: { type: 'string', default: 'docs/images' } },
  allowPositionals: true,
});
const unknown = positionals.find((name) => !Object.hasOwn(GRAPHS, name));
if (unknown !== undefined) {
  process.stderr.write(`There is no graph "${unknown}"; there are: ${Object.keys(GRAPHS).join(', ')}.\n`);
  process.exit(1);
}
await mkdir(values.to, { recursive: true });
for (const [name, { title, measure }] of Object.entries(GRAPHS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  print(name);
  const flame = await measure();
  const parts = partsOf(flame);
  print(`  ${ORIGINS.map((origin) => `${origin} ${percent(parts[origin])}`).join(', ')}`);
  for (const { name: called, part } of mostExpensive(flame, MOST_EXPENSIVE))
    print(`  ${percent(part)} ${called}`);
  await writeFile(path.join(values.to, `flame-${name}.svg`), await drawFlames(title, flame));
}
process.exit(0);
