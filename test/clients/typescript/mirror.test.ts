/** Mirrors of the TypeScript client against the service: exact copies in spite of every failure. */
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  BallotEndorsements,
  CursorExpiredError,
  MemoryStorage,
  type Mirror,
  type MirroredEndorsement,
  type MirrorStorage,
  type Retry,
} from '../../../clients/typescript/src/index.ts';
import { FileStorage } from '../../../clients/typescript/src/mirror/file-storage.ts';
import { keepRecord } from '../../../clients/typescript/src/mirror/record.ts';
import { SqliteStorage } from '../../../clients/typescript/src/mirror/sqlite-storage.ts';
import { createRandom } from '../../../ops/demo/random.ts';
import { BallotModel } from '../../helpers/ballots/ballot-model.ts';
import { loadCatalogue } from '../../helpers/ballots/catalogue.ts';
import { endorse, withdraw } from '../../helpers/ballots/submissions.ts';
import { ChaosProxy } from '../../helpers/faults/chaos-proxy.ts';
import { readPages } from '../../helpers/http/paging.ts';
import { TestService } from '../../helpers/service/service.ts';
import { queryOf } from '../../helpers/stream/copies.ts';
import { until } from '../../helpers/until.ts';
import { useFolder } from '../../helpers/use-folder.ts';

let files = 0;
const inFolder = useFolder();

const KINDS: (() => MirrorStorage)[] = [
  () => new MemoryStorage(),
  () => new FileStorage(inFolder(`${files++}.json`), { saveEveryMs: 50 }),
  () => new SqliteStorage(inFolder(`${files++}.sqlite`)),
];

let service: TestService;
let proxy: ChaosProxy;
afterEach(async () => {
  for (const one of started.splice(0)) await one.stop().catch(() => {});
  await proxy.close();
  await service.stop();
});

function portsOf({ gateways }: TestService): number[] {
  return gateways.map(({ port }) => port);
}

async function readCopy(mirror: Mirror): Promise<MirroredEndorsement[]> {
  const copy: MirroredEndorsement[] = [];
  for await (const record of mirror.records()) copy.push(record);
  return copy;
}

/** The service's own list, as a copy keeps it. */
async function readList(filter: Record<string, string[]> = {}): Promise<MirroredEndorsement[]> {
  const query = queryOf(filter);
  return (await readPages(service, '/v1/endorsements', 500, query && `&${query}`)).map(keepRecord);
}

/** Mirrors that a failed test has not stopped. */
const started: RunningMirror[] = [];

/** A mirror that runs until it is stopped. */
class RunningMirror {
  readonly mirror: Mirror;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;

  constructor(mirror: Mirror) {
    this.mirror = mirror;
    this.#ended = mirror.run({ signal: this.#stopping.signal });
    // Stopping reports a failure.
    this.#ended.catch(() => {});
    started.push(this);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }
}

function createClient(retries: Retry[] = []): BallotEndorsements {
  return new BallotEndorsements({
    baseUrl: proxy.address,
    apiKey: service.key,
    timeoutMs: 2000,
    onRetry: (retry) => retries.push(retry),
  });
}

test('INV-13: mirrors with any filter are exact after cuts, limits, silence, restarts and edits of the catalogue', async () => {
  service = await TestService.start({
    catalogue: [],
    gateways: 2,
    gatewayConfig: { streamHeartbeatMs: 500 },
  });
  const random = createRandom(Date.now() % 1_000_000);
  const model = new BallotModel(random.fork('model'));
  await loadCatalogue(service.databaseUrl, model.all);
  proxy = await ChaosProxy.open(portsOf(service), random.fork('chaos'));
  const retries: Retry[] = [];
  const client = createClient(retries);
  const filters = [{}, ...Array.from({ length: 8 }, () => model.filter())].map(
    ({ types: _, ...filter }) => filter,
  );
  const storages = filters.map((_, index) => KINDS[index % KINDS.length]?.() ?? new MemoryStorage());
  const start = () =>
    filters.map((filter, index) => {
      const storage = storages[index];
      return new RunningMirror(client.mirror({ filter, ...(storage && { storage }) }));
    });
  let running = start();
  proxy.trouble = 0.3;
  for (let step = 0; step < 12; step += 1) {
    await service.submit(model.submissions());
    const edit = model.edit();
    if (random.chance(0.5) && 'import' in edit) await loadCatalogue(service.databaseUrl, edit.import);
    if (random.chance(0.7)) proxy.cut();
    if (step % 4 === 2) await service.restartGateway(random.below(2));
    proxy.targets = portsOf(service);
    if (step % 5 === 3) {
      await Promise.all(running.map((one) => one.stop()));
      running = start();
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  proxy.trouble = 0;
  proxy.cut();
  for (const [index, { mirror }] of running.entries()) {
    const filter = filters[index] ?? {};
    const isExact = async () =>
      JSON.stringify(await readCopy(mirror)) === JSON.stringify(await readList(filter));
    await until('the copy to have everything', isExact, 30_000).catch(() => {});
    expect({ filter, copy: await readCopy(mirror) }).toEqual({ filter, copy: await readList(filter) });
    expect(await mirror.verify()).toMatchObject({ ok: true });
  }
  await Promise.all(running.map((one) => one.stop()));
  // The run covered the interesting cases.
  const troubles = ['badGateway', 'broken', 'cut', 'limited', 'silent', 'stall', 'warming'];
  expect([...proxy.met].sort()).toEqual(troubles);
  expect(retries.length).toBeGreaterThan(20);
}, 240_000);

const CHOICES = ['ann', 'bob', 'cyd', 'dee'];
const say = (statement: string) =>
  ['bakers-local-1', 'coast-gazette'].flatMap((by) =>
    CHOICES.map((key) => endorse(by, 'council', key, { statement })),
  );

describe('a mirror', () => {
  test('reads its copy again when its position has expired, and shows the old one until then', async () => {
    service = await TestService.start({ retentionMs: 3000 });
    proxy = await ChaosProxy.open(portsOf(service), createRandom(1));
    for (const open of KINDS.slice(1)) {
      await service.submit([...say('one'), withdraw('coast-gazette', 'council', 'dee')]);
      const retries: Retry[] = [];
      const mirror = createClient(retries).mirror({ storage: open() });
      await until('the first copy', async () => {
        await mirror.sync();
        return (await readCopy(mirror)).length === 7;
      });
      const old = await readCopy(mirror);
      const { cursor } = mirror;
      await service.submit([...say('two'), withdraw('bakers-local-1', 'council', 'ann')]);
      const expired = async () => (await service.get(`/v1/events?cursor=${cursor}`)).status === 410;
      await until('its place to expire', expired);
      expect(await readCopy(mirror)).toEqual(old);
      await mirror.sync();
      expect(retries[0]?.error).toBeInstanceOf(CursorExpiredError);
      expect(await readCopy(mirror)).toEqual(await readList());
      expect((await readCopy(mirror)).map(({ statement }) => statement)).toContain('two');
    }
  });

  test('finds differences from the service, and repairs only those', async () => {
    service = await TestService.start();
    proxy = await ChaosProxy.open(portsOf(service), createRandom(1));
    await service.submit(say('one'));
    await service.eventsOnceThereAre(8);
    const storage = new MemoryStorage();
    const mirror = createClient().mirror({ storage });
    await expect(mirror.verify()).rejects.toThrow(/no copy yet/);
    await mirror.sync();
    const right = { ok: true, count: 8, repaired: [] };
    expect(await mirror.verify()).toMatchObject(right);

    const position = await storage.load();
    const [first, second] = await readCopy(mirror);
    if (!position || !first || !second) throw new Error('There is no copy.');
    const ghost = { ...first, id: 999_999 };
    for (const wrong of [
      { id: first.id, record: { ...first, statement: 'wrong' } },
      { id: second.id, record: null },
      { id: ghost.id, record: ghost },
    ]) {
      await storage.commit([wrong], position);
      const found = await mirror.verify();
      const bucket = Math.floor(wrong.id / 4096) * 4096;
      const buckets = [{ first_id: bucket, last_id: bucket + 4095 }];
      expect(found).toMatchObject({ ok: false, buckets, repaired: [] });
      expect(await mirror.repair()).toMatchObject({ ...right, repaired: buckets });
      expect(await readCopy(mirror)).toEqual(await readList());
    }
    // It continues from its position.
    await service.submit([withdraw('coast-gazette', 'council', 'dee')]);
    await service.eventsOnceThereAre(9);
    await mirror.sync();
    expect(await readCopy(mirror)).toEqual(await readList());
  });

  test('can be verified while it follows the stream', async () => {
    service = await TestService.start();
    proxy = await ChaosProxy.open(portsOf(service), createRandom(1));
    const running = new RunningMirror(createClient().mirror());
    await until('the first copy', () => running.mirror.cursor !== null);
    for (let round = 0; round < 10; round += 1) {
      await service.submit(say(`round ${round}`));
      expect(await running.mirror.verify()).toMatchObject({ ok: true });
    }
    await service.eventsOnceThereAre(80);
    expect(await running.mirror.verify()).toMatchObject({ ok: true, count: 8 });
    await running.stop();
    expect(await readCopy(running.mirror)).toEqual(await readList());
  });

  test('ends with the error of a refusal', async () => {
    service = await TestService.start();
    proxy = await ChaosProxy.open(portsOf(service), createRandom(1));
    const stranger = new BallotEndorsements({ baseUrl: proxy.address, apiKey: 'bes_wrong' });
    await expect(stranger.mirror().run()).rejects.toMatchObject({ status: 401, code: 'invalid_api_key' });
    const mistyped = createClient().mirror({ filter: { endorsers: ['nobody'] } });
    await expect(mistyped.run()).rejects.toMatchObject({ status: 400, code: 'invalid_parameter' });
  });

  test('runs once at a time', async () => {
    service = await TestService.start();
    proxy = await ChaosProxy.open(portsOf(service), createRandom(1));
    const running = new RunningMirror(createClient().mirror());
    await expect(running.mirror.sync()).rejects.toThrow(/running already/);
    await running.stop();
  });
});
