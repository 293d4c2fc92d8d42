import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { importOfficeholders } from '../../../store/officeholders/import.ts';
import { loadCatalogue } from '../../helpers/ballots/catalogue.ts';
import { category } from '../../helpers/ballots/catalogue-records.ts';
import { endorse } from '../../helpers/ballots/submissions.ts';
import { withClient } from '../../helpers/postgres/with-client.ts';
import { metricValue } from '../../helpers/service/metrics.ts';
import { TestService } from '../../helpers/service/service.ts';

const ROUNDS = 8;

let service: TestService;

beforeAll(async () => {
  service = await TestService.start({ gateways: 2 });
  await service.submit([endorse('nation-herald', 'prop-1', 'no', { statement: 'Round 0.' })]);
  await service.eventsOnceThereAre(1);
});
afterAll(async () => {
  await service.stop();
});

interface Shown {
  status: number;
  tag: string;
  text: string;
}

async function ask(path: string, gateway: number, tag = ''): Promise<Shown> {
  const headers = { Authorization: `Bearer ${service.key}`, 'If-None-Match': tag };
  const response = await fetch(service.url(path, gateway), { headers });
  return { status: response.status, tag: response.headers.get('etag') ?? '', text: await response.text() };
}

/** Requests a path of one gateway repeatedly, with the ETag of the last answer. */
class Reader {
  readonly answers = { full: 0, notModified: 0 };
  /** The problems found. */
  readonly late: string[] = [];
  readonly #path: string;
  readonly #gateway: number;
  #shown = -1;
  #tag = '';

  constructor(path: string, gateway: number) {
    this.#path = path;
    this.#gateway = gateway;
  }

  /** @param seen the newest round that a client of the stream has seen. */
  async read(seen: () => number, until: AbortSignal): Promise<void> {
    while (!until.aborted) {
      const seenBefore = seen();
      const { status, tag, text: shown } = await ask(this.#path, this.#gateway, this.#tag);
      if (status === 304) this.answers.notModified += 1;
      else {
        this.answers.full += 1;
        this.#tag = tag;
        this.#shown = Number(/Round (\d+)\./.exec(shown)?.[1]);
      }
      if (this.#shown < seenBefore) {
        this.late.push(`${status} ${this.#path}: ${this.#shown}, after ${seenBefore} was seen`);
      }
    }
  }
}

/** The numbers of made and of reused answers on both gateways. */
async function countOrigins(): Promise<{ made: number; kept: number }> {
  const count = (origin: string) => metricValue('answers_total', { origin });
  return { made: await count('made'), kept: await count('kept') };
}

test('INV-1: repeated requests never show less than before, on any gateway, not even with a 304', async () => {
  const { body } = await service.get('/v1/endorsements?endorsers=nation-herald');
  const [{ id, contest }] = body.data;
  const paths = [
    '/v1/endorsements?endorsers=nation-herald',
    `/v1/endorsements/${id}`,
    `/v1/contests/${contest.id}`,
    '/v1/recommendations?election=ca-2026-11-03-general',
  ];
  const stream = await service.stream();
  await stream.wait('ready', 1);
  const readers = paths.flatMap((path) => [0, 1].map((gateway) => new Reader(path, gateway)));
  const done = new AbortController();
  const reading = readers.map((reader) => reader.read(() => stream.of('endorsement').length, done.signal));
  for (let round = 1; round <= ROUNDS; round += 1) {
    await service.submit([endorse('nation-herald', 'prop-1', 'no', { statement: `Round ${round}.` })]);
    await stream.wait('endorsement', round);
  }
  done.abort();
  await Promise.all(reading);
  stream.close();
  expect(readers.flatMap(({ late }) => late)).toEqual([]);
  const notModified = readers.map(({ answers }) => answers.notModified);
  expect(Math.max(...notModified)).toBeGreaterThan(0);
});

test('INV-1: an answer is reused while nothing changes, and made again after a change', async () => {
  const paths = [
    '/v1/endorsements?endorsers=nation-herald',
    '/v1/recommendations?election=ca-2026-11-03-general',
  ];
  for (const path of paths) await Promise.all([0, 1].map((gateway) => ask(path, gateway)));
  for (const statement of ['Round 100.', 'Round 101.']) {
    const count = (await service.events()).data.length;
    await service.submit([endorse('nation-herald', 'prop-1', 'no', { statement })]);
    await service.eventsOnceThereAre(count + 1);
    for (const path of paths) {
      for (const gateway of [0, 1]) {
        const answers: Shown[] = [];
        const origins: string[] = [];
        for (let times = 0; times < 3; times += 1) {
          const before = await countOrigins();
          answers.push(await ask(path, gateway));
          const after = await countOrigins();
          origins.push(`${after.made - before.made} made, ${after.kept - before.kept} kept`);
        }
        expect(origins).toEqual(['1 made, 0 kept', '0 made, 1 kept', '0 made, 1 kept']);
        expect(answers[0]?.text).toContain(statement);
        expect(answers.slice(1)).toEqual([answers[0], answers[0]]);
      }
    }
  }
});

test('every gateway shows an import as soon as it has ended', async () => {
  const path = '/v1/endorser-categories';
  for (const name of ['Unions', 'Trade unions']) {
    const tags = await Promise.all([0, 1].map(async (gateway) => (await ask(path, gateway)).tag));
    await loadCatalogue(service.databaseUrl, [['endorser-categories', category({ name })]]);
    for (const gateway of [0, 1]) {
      const answer = await ask(path, gateway, tags[gateway]);
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining(`"${name}"`)]);
    }
  }
});

test('every gateway shows a load of officeholders as soon as it has ended', async () => {
  const path = '/v1/officeholders';
  expect((await ask(path, 0)).status).toBe(503);
  const load = { people: [], places: [], leftIds: [], refusedIds: [] };
  await withClient(service.databaseUrl, (client) =>
    importOfficeholders(client, load, { now: new Date(), maxRemovals: null, dryRun: false }),
  );
  for (const gateway of [0, 1]) expect((await ask(path, gateway)).status).toBe(200);
});

test('an answer chosen by a subscription goes to its own account only and is not kept', async () => {
  const path = '/v1/recommendations?election=ca-2026-11-03-general&subscription=mine';
  const filter = { categories: ['newspaper'] };
  const saved = await service.send('POST', '/v1/subscriptions', { name: 'mine', filter });
  expect(saved.status).toBe(201);
  expect((await service.get(path)).status).toBe(200);
  const key = await service.createKey('other', 'internal');
  const { body } = await service.get(path, { headers: { Authorization: `Bearer ${key}` } });
  expect(body.error.code).toBe('subscription_not_found');
});
