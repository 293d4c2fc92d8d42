import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { StreamFilter } from '../../domain/stream-filter.ts';
import { formatCursor, formatEventId, InvalidCursorError, parseCursor } from '../../schemas/cursor.ts';
import type { Submission } from '../../schemas/submission.ts';
import type { FilterField } from '../../schemas/vocabulary.ts';
import { SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { endorser } from '../helpers/ballots/catalogue-records.ts';
import { endorse, withdraw } from '../helpers/ballots/submissions.ts';
import { useTestService } from '../helpers/service/service.ts';
import { type ChangeLog, loadChangeLog } from '../helpers/stream/change-log.ts';
import { sealCursor } from '../helpers/stream/sealed-cursors.ts';
import {
  type Connection,
  connectionOfPage,
  StreamChecker,
  sequenceOf,
} from '../helpers/stream/stream-checker.ts';
import { until } from '../helpers/until.ts';

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
/** Enough endorsers for every partition to have some. */
const BAKERS = Array.from({ length: 60 }, (_, index) => `bakers-local-${index + 1}`);
const CATALOGUE = [
  ...SMALL_BALLOT,
  ...BAKERS.slice(1).map((slug): (typeof SMALL_BALLOT)[number] => [
    'endorsers',
    endorser({ slug, name: slug }),
  ]),
];

let log: ChangeLog;
let checker: StreamChecker;

/** Submits one change of each endorser. */
function roundOf(statement: string): Submission[] {
  return [
    ...[...BAKERS, 'coast-gazette', 'nation-herald'].map((by) => endorse(by, 'mayor', 'ann', { statement })),
    endorse('coast-gazette', 'prop-1', 'yes', { statement }),
  ];
}

async function readLog(count: number): Promise<void> {
  await service.eventsOnceThereAre(count);
  log = await loadChangeLog(service.databaseUrl);
  checker = new StreamChecker(log);
}

const service = useTestService({
  catalogue: CATALOGUE,
  gateways: 2,
  gatewayConfig: { streamHeartbeatMs: 100, feedMemoryBytes: 20_000 },
});
beforeAll(async () => {
  await service.submit([
    ...roundOf('First.'),
    ...roundOf('Second.'),
    withdraw('nation-herald', 'mayor', 'ann'),
  ]);
  await readLog(127);
});

const some = (...values: string[]) => fc.subarray(values, { minLength: 1 });
const filters: fc.Arbitrary<StreamFilter> = fc.record(
  {
    elections: some('ca-2026-11-03-general', 'or-2026-11-03-general'),
    categories: some('labor', 'newspaper'),
    endorsers: some('coast-gazette', 'nation-herald', 'bakers-local-7'),
    endorser_states: some('OR', 'CA', 'national'),
    states: some('OR', 'CA'),
    contest_kinds: some('candidate', 'measure'),
    levels: some('city', 'state', 'federal'),
    types: some('created', 'updated', 'deleted'),
  } satisfies Record<FilterField, unknown>,
  { requiredKeys: [] },
);

function queryOf(filter: StreamFilter): string {
  return Object.entries(filter)
    .map(([field, values]) => `&${field}=${values.join(',')}`)
    .join('');
}

/** All events of `/v1/events` after a cursor, to the end of the stream. */
async function readPages(cursor: string, query: string, gateway: number): Promise<Connection[]> {
  const connections: Connection[] = [];
  for (let at = cursor; ; ) {
    const { status, body } = await service.get(`/v1/events?cursor=${at}${query}`, { gateway });
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    connections.push(connectionOfPage(sequenceOf(at), body));
    if (!body.has_more) return connections;
    // A page may be empty, but has_more is true only if the position has moved.
    expect(sequenceOf(body.next_cursor)).toBeGreaterThan(sequenceOf(at));
    at = body.next_cursor;
  }
}

/** All events of `/v1/stream` after an id, to the end of the stream. */
async function readStream(id: string, query: string, gateway: number, end: number): Promise<Connection> {
  const stream = await service.stream(query.slice(1), { gateway, headers: { 'Last-Event-ID': id } });
  const frames = () => stream.events.map(({ event = '', id: at = '', data }) => ({ event, id: at, data }));
  await until('the end of the stream', () => sequenceOf(frames().at(-1)?.id ?? '') >= end);
  stream.close();
  return { via: 'stream', after: sequenceOf(id), frames: frames() };
}

function expectSound(connections: Connection[], filter: StreamFilter): void {
  const { faults } = checker.judge({ name: 'reader', filter, connections, upTo: log.events.length });
  expect(faults).toEqual([]);
}

describe('INV-4: cut at any event and resumed on either gateway with any filter, a reader gets exactly the rest', () => {
  const cut = fc.record({ at: fc.nat(126), gateway: fc.constantFrom(0, 1), filter: filters });

  test('of /v1/events, in pages of any size', async () => {
    const property = fc.asyncProperty(cut, fc.integer({ min: 1, max: 200 }), async (chosen, limit) => {
      const { at, gateway, filter } = chosen;
      const query = `${queryOf(filter)}&limit=${limit}`;
      expectSound(await readPages(log.events[at]?.id ?? '', query, gateway), filter);
    });
    await fc.assert(property, { numRuns: 60 });
  });

  test('of /v1/stream', async () => {
    const property = fc.asyncProperty(cut, async ({ at, gateway, filter }) => {
      const id = log.events[at]?.id ?? '';
      expectSound([await readStream(id, queryOf(filter), gateway, log.events.length)], filter);
    });
    await fc.assert(property, { numRuns: 40 });
  });
});

describe('a cursor that the service did not make', () => {
  const position = () => parseCursor(log.events[60]?.id ?? '');

  async function ask(text: string, place: 'cursor' | 'Last-Event-ID', gateway = 0) {
    return place === 'cursor'
      ? service.get(`/v1/events?cursor=${encodeURIComponent(text)}&limit=1000`, { gateway })
      : service.get('/v1/events?limit=1000', { gateway, headers: { 'Last-Event-ID': text } });
  }

  const starts: [string, () => string, number, string, string][] = [
    [
      'truncated',
      () => log.events[60]?.id.slice(0, -1) ?? '',
      400,
      'invalid_parameter',
      'altered or cut short',
    ],
    ['with a digit altered', () => `1${log.events[60]?.id.slice(1)}`, 400, 'invalid_parameter', 'altered'],
    ['of another form', () => 'latest', 400, 'invalid_parameter', 'the form of an event id'],
    [
      'of a version to come',
      () => sealCursor('00000000015', [2, 1, 2, 0, 0]),
      400,
      'invalid_parameter',
      'version 2',
    ],
    [
      'with a sequence to come',
      () => formatCursor({ ...position(), sequence: 1_000_000 }),
      400,
      'invalid_parameter',
      'beyond the newest change',
    ],
    [
      'with a time beyond every date',
      () => formatCursor({ ...position(), time: 8.64e15 + 1 }),
      400,
      'invalid_parameter',
      'its time is not a date',
    ],
    [
      'of another epoch',
      () => formatCursor({ ...position(), epoch: position().epoch + 1 }),
      410,
      'cursor_expired',
      'The cursor belongs to another stream',
    ],
    [
      'older than retention',
      () => formatCursor({ ...position(), time: Date.now() - WEEK_MS - 1000 }),
      410,
      'cursor_expired',
      'from=latest',
    ],
  ];
  test.each(starts)('%s is refused with its own error', async (_, text, status, code, message) => {
    for (const place of ['cursor', 'Last-Event-ID'] as const) {
      const answer = await ask(text(), place);
      expect([answer.status, answer.body.error.code]).toEqual([status, code]);
      expect(answer.body.error.message).toContain(message);
    }
  });

  /** A cursor's text with one alteration that a client, a log file or an attacker could make. */
  const altered = fc
    .record({ at: fc.nat(126), place: fc.nat(200), by: fc.stringMatching(/^[ -~]{0,3}$/), cut: fc.boolean() })
    .map(({ at, place, by, cut }) => (id: (at: number) => string) => {
      const text = id(at);
      const index = place % (text.length + 1);
      return cut
        ? `${text.slice(0, index)}${by}`
        : `${text.slice(0, index)}${by}${text.slice(index + by.length)}`;
    });

  test('any alteration of a cursor is answered 400 with a message that says so', async () => {
    const places = fc.constantFrom('cursor', 'Last-Event-ID');
    const property = fc.asyncProperty(altered, places, async (alter, place) => {
      const text = alter((at) => log.events[at]?.id ?? '');
      fc.pre(!isCursor(text.trim()) && text.trim() !== '');
      const { status, body } = await ask(text, place as 'cursor' | 'Last-Event-ID');
      expect([status, body.error.code]).toEqual([400, 'invalid_parameter']);
      expect(body.error.message).toContain(`${place} is not a cursor of this service`);
    });
    await fc.assert(property, { numRuns: 150 });
  });

  const offset = fc.oneof(fc.nat(20), fc.nat(), fc.maxSafeNat());
  const forged = fc
    .record({
      sequence: fc.nat(127),
      offsets: fc.array(offset, { maxLength: 100 }),
      format: fc.constantFrom(formatCursor, formatEventId),
      gateway: fc.constantFrom(0, 1),
    })
    .map(({ format, sequence, offsets, gateway }) => ({
      text: () => format({ ...position(), sequence, offsets }),
      gateway,
    }));

  test('INV-7: with any forged offsets in a cursor, /v1/events has exactly the rest of the events', async () => {
    const property = fc.asyncProperty(forged, async ({ text, gateway }) => {
      expectSound(await readPages(text(), '&limit=1000', gateway), {});
    });
    await fc.assert(property, { numRuns: 100 });
  });

  test('INV-7: with any forged offsets in a cursor, /v1/stream has exactly the rest of the events', async () => {
    const property = fc.asyncProperty(forged, async ({ text, gateway }) => {
      expectSound([await readStream(text(), '', gateway, log.events.length)], {});
    });
    await fc.assert(property, { numRuns: 30 });
  });
});

function isCursor(text: string): boolean {
  try {
    return parseCursor(text) !== undefined;
  } catch (error) {
    if (error instanceof InvalidCursorError) return false;
    throw error;
  }
}
