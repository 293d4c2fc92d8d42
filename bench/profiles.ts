/**
 * Profiles a service under each load: the time of the main thread of a gateway, of apply or of the relay, and the
 * memory of a stream. Some loads need a loaded store: DATABASE_URL and KAFKA_BROKERS, or a running service's DATA_DIR.
 * The profiles are V8's own: Chromium's DevTools and speedscope draw flame graphs of them.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Role } from '../consumers/config.ts';
import { startSystem } from '../test/helpers/service/system.ts';
import { print } from './command-line.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { Inspector, type Profile, profiledEnv } from './inspector.ts';
import { measureRate, WARM_UP_SECONDS } from './load.ts';
import { openStore } from './open-store.ts';
import { type FanOutLoad, measureAll, openArena } from './stream/fan-out.ts';
import { createMessages, measureService, openPlaces } from './stream/ingest.ts';
import { PageReader } from './stream/page-reader.ts';
import { Publisher } from './stream/publisher.ts';
import { ReaderPool } from './stream/reader-pool.ts';
import { publishSteadily, selectiveStreams } from './stream/selective.ts';

const READ_SECONDS = 5;
const HEAP_STREAMS = 2000;
/** Long enough to collect the garbage of opening the streams, in milliseconds. */
const SETTLE_MS = 5000;
/** Pages of a replay: some for V8 to compile the code, and some to profile. */
const PAGES = { warmUp: 300, profiled: 400 };
const SELECTIVE = { warmUp: 300, profiled: 500 };
/** This number of submissions lets V8 compile the code, and as many again are profiled. */
const SUBMISSIONS = 100_000;

const LOADS: Record<string, () => Promise<Profile>> = {
  'fan-out-20': () => profileFanOut({ streams: 1000, changes: 20, passes: 150 }),
  'fan-out-1': () => profileFanOut({ streams: 1000, changes: 1, passes: 400 }),
  selective: profileSelective,
  memory: profileMemory,
  replay: profileReplay,
  states: () => profileReads('/v1/states', { RESPONSE_MEMORY_MB: '0' }),
  'states-kept': () => profileReads('/v1/states', {}),
  endorsements: () => profileReads('/v1/endorsements?limit=100', { RESPONSE_MEMORY_MB: '0' }),
  apply: () => profileIngest('apply'),
  relay: () => profileIngest('relay'),
};

/** Profiles the processor time of the program with this port for profiling during some work. */
async function profileCpu(port: number, work: () => Promise<unknown>): Promise<Profile> {
  const inspector = await Inspector.open(port);
  const profile = await inspector.profileCpu(work);
  inspector.close();
  return profile;
}

async function profileFanOut(load: FanOutLoad): Promise<Profile> {
  const { port, env } = await profiledEnv();
  const arena = await openArena(env);
  const gateway = { ...arena, contestants: arena.contestants.slice(0, 1) };
  await measureAll(gateway, load, 1);
  const profile = await profileCpu(port, () => measureAll(gateway, load, 0));
  await arena.stop();
  return profile;
}

async function profileSelective(): Promise<Profile> {
  const { port, env } = await profiledEnv();
  const system = await startSystem(env);
  const publisher = await Publisher.open(system);
  const { paths, active } = selectiveStreams(publisher.endorsers);
  const pool = await ReaderPool.open({ port: Number(new URL(system.base).port), key: system.key, paths });
  const publish = (changes: number) => publishSteadily(publisher, changes, active.length);
  await publish(SELECTIVE.warmUp);
  const profile = await profileCpu(port, () => publish(SELECTIVE.profiled));
  pool.close();
  await publisher.close();
  await system.stop();
  return profile;
}

async function profileMemory(): Promise<Profile> {
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
  const profile = await inspector.profileHeap(async () => {
    rest = await open(HEAP_STREAMS);
    await sleep(SETTLE_MS);
  });
  inspector.close();
  first.close();
  rest?.close();
  await system.stop();
  return profile;
}

async function profileIngest(role: Role): Promise<Profile> {
  const { port, env } = await profiledEnv();
  const system = await startSystem({}, { consumerEnv: { [role]: env } });
  const places = await openPlaces(system);
  const submit = (round: number) => measureService(system, createMessages(places, round, SUBMISSIONS));
  await submit(0);
  const profile = await profileCpu(port, () => submit(1));
  await system.stop();
  return profile;
}

/** Profiles its own gateway on the loaded store. */
async function profileOnStore(
  settings: Record<string, string>,
  profile: (gateway: { base: string; key: string; port: number }) => Promise<Profile>,
): Promise<Profile> {
  const { config, key } = await openStore();
  const { port, env } = await profiledEnv();
  const gateway = await startGatewayProcess(config, { ...settings, ...env });
  const result = await profile({ base: gateway.base, key, port });
  await gateway.stop();
  return result;
}

function profileReplay(): Promise<Profile> {
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

function profileReads(address: string, settings: Record<string, string>): Promise<Profile> {
  return profileOnStore(settings, async ({ base, key, port }) => {
    const target = { url: `${base}${address}`, headers: { Authorization: `Bearer ${key}` } };
    await measureRate(target, { connections: 8, seconds: WARM_UP_SECONDS });
    return profileCpu(port, () => measureRate(target, { connections: 8, seconds: READ_SECONDS }));
  });
}

const { values, positionals } = parseArgs({
  options: { to: { type: 'string', default: '.cache/profiles' } },
  allowPositionals: true,
});
const unknown = positionals.find((name) => !Object.hasOwn(LOADS, name));
if (unknown !== undefined) {
  process.stderr.write(`There is no load "${unknown}"; there are: ${Object.keys(LOADS).join(', ')}.\n`);
  process.exit(1);
}
await mkdir(values.to, { recursive: true });
for (const [name, measure] of Object.entries(LOADS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const file = path.join(values.to, `${name}.${name === 'memory' ? 'heapprofile' : 'cpuprofile'}`);
  await writeFile(file, JSON.stringify(await measure()));
  print(file);
}
process.exit(0);
