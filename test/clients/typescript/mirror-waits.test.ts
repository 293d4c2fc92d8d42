/** The TypeScript client's mirrors, whose waits take no time: lists that expire, and a service that is behind. */
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import {
  BallotEndorsements,
  MemoryStorage,
  type Mirror,
  type MirroredEndorsement,
} from '../../../clients/typescript/src/index.ts';
import { digestCopy } from '../../../clients/typescript/src/mirror/digest.ts';
import { mirroredEndorsement } from '../../helpers/clients/mirrored.ts';
import { usePassingTime } from '../../helpers/clients/passing-time.ts';

const SECOND = 1000;
const BUCKET_SIZE = 4096;
const time = usePassingTime();
const [RECORD] = fc.sample(mirroredEndorsement(fc.constant(1)), { numRuns: 1, seed: 1 }) as [
  MirroredEndorsement,
];

type Path = 'endorsements' | 'events' | 'digest';

/** The requests so far: the path, and when it was asked, in whole seconds. */
let asked: [Path, number][];
let answers: Record<Path, (query: URLSearchParams) => Response | Promise<Response>>;
let storage: MemoryStorage;
let mirror: Mirror;

beforeEach(() => {
  asked = [];
  storage = new MemoryStorage();
  answers = { endorsements: () => list('10'), events: () => page('10'), digest: () => digestOf([], '10') };
  const fetch: typeof globalThis.fetch = async (address) => {
    const path = /\/v1\/(\w+)/.exec(String(address))?.[1] as Path;
    asked.push([path, Math.floor(time.now / SECOND)]);
    return answers[path](new URL(String(address)).searchParams);
  };
  mirror = new BallotEndorsements({ baseUrl: 'https://ballot.example', fetch }).mirror({ storage });
});

function list(stream_cursor: string, ...records: MirroredEndorsement[]): Response {
  const lines = [{ stream_cursor }, ...records, { count: records.length }];
  const headers = { 'Content-Type': 'application/x-ndjson' };
  return new Response(lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { headers });
}

/** The events of a poll. Each creates the record, or deletes it; its id is the cursor after it. */
function page(next_cursor: string, ...ids: (string | { deletedAt: string })[]): Response {
  const { id: _, published_on, rank, source_url, statement, ...rest } = RECORD;
  const endorsement = { id: RECORD.id, published_on, rank, source_url, statement };
  const data = ids.map((id) => ({
    ...(typeof id === 'string'
      ? { id, type: 'endorsement.created' }
      : { id: id.deletedAt, type: 'endorsement.deleted' }),
    ...{ endorsement, ...rest },
  }));
  return Response.json({ data, next_cursor, has_more: false });
}

async function digestOf(records: MirroredEndorsement[], stream_cursor: string): Promise<Response> {
  const copy = new MemoryStorage();
  const changes = records.map((record) => ({ id: record.id, record }));
  await copy.commit(changes, { cursor: '', filter: '' });
  return Response.json({
    data: { stream_cursor, bucket_size: BUCKET_SIZE, ...(await digestCopy(copy.read(), BUCKET_SIZE)) },
  });
}

const expired = () =>
  Response.json({ error: { code: 'cursor_expired', message: 'It has expired.' } }, { status: 410 });
const timesOf = (path: Path) => asked.flatMap(([each, at]) => (each === path ? [at] : []));

test('a mirror whose storage could not be opened opens it at the next call', async () => {
  jest.spyOn(storage, 'load').mockRejectedValueOnce(new Error('the disk is away'));
  await expect(mirror.get(1)).rejects.toThrow('the disk is away');
  expect(await mirror.get(1)).toBeNull();
  expect(await time.passUntil(mirror.sync())).toBe('10');
});

test('a mirror whose storage could not be saved can be brought up to date again', async () => {
  jest.spyOn(storage, 'flush').mockRejectedValueOnce(new Error('the disk is full'));
  await expect(time.passUntil(mirror.sync())).rejects.toThrow('the disk is full');
  expect(await time.passUntil(mirror.sync())).toBe('10');
});

test('a mirror that is stopped ends without an error, unless its copy cannot be saved', async () => {
  const signal = AbortSignal.abort(new Error('enough'));
  await mirror.run({ signal });
  jest.spyOn(storage, 'flush').mockRejectedValueOnce(new Error('the disk is full'));
  await expect(mirror.run({ signal })).rejects.toThrow('the disk is full');
  await mirror.run({ signal });
  expect(asked).toEqual([]);
});

describe('a list that expires before it can be continued', () => {
  test('is read again after longer and longer waits, up to half a minute', async () => {
    answers.events = expired;
    const stopping = new AbortController();
    const syncing = mirror.sync({ signal: stopping.signal });
    syncing.catch(() => {});
    await time.pass(125 * SECOND);
    stopping.abort(new Error('enough'));
    await expect(syncing).rejects.toThrow('enough');
    expect(timesOf('endorsements')).toEqual([0, 2, 6, 14, 30, 60, 90, 120]);
  });

  test('is read again at once if it was continued in between', async () => {
    answers.events = () => {
      const polls = timesOf('events').length;
      return polls % 2 === 1 ? page(`1${polls}`) : expired();
    };
    for (let round = 0; round < 4; round += 1) await time.passUntil(mirror.sync());
    expect(timesOf('endorsements')).toEqual([0, 0, 0, 0]);
  });
});

describe('a verification', () => {
  test('looks again before it reports a difference, because lists show an edit before its event', async () => {
    await time.passUntil(mirror.sync());
    answers.digest = () => digestOf(timesOf('digest').length === 1 ? [RECORD] : [], '10');
    expect(await time.passUntil(mirror.verify())).toMatchObject({ ok: true, count: 0 });
    expect(timesOf('digest')).toEqual([0, 2]);
  });

  test('compares the copy as of the position of the digest, without the events after it', async () => {
    await time.passUntil(mirror.sync());
    answers.digest = () => digestOf([RECORD], '12');
    answers.events = () => page('14', '11', { deletedAt: '14' });
    expect(await time.passUntil(mirror.verify())).toMatchObject({ ok: true, cursor: '12', count: 1 });
    expect(timesOf('digest')).toHaveLength(1);
    await time.passUntil(mirror.sync());
    expect([...storage.records()]).toEqual([]);
  });

  test('waits for a gateway that is behind as long as each event comes in time', async () => {
    await time.passUntil(mirror.sync());
    answers.digest = () => digestOf([RECORD], '15');
    // A further event every 0.8 seconds: the wait of one second begins again with each.
    const last = () => 10 + Math.floor((time.now - 1) / 800);
    answers.events = () => (last() > 10 ? page(`${last()}`, `${last()}`) : page('10'));
    const begun = time.now;
    expect(await time.passUntil(mirror.verify({ catchUpMs: SECOND }))).toMatchObject({ ok: true, count: 1 });
    expect(time.now - begun).toBeGreaterThan(3 * SECOND);
  });

  test('waits no longer than catchUpMs after the last event', async () => {
    await time.passUntil(mirror.sync());
    answers.digest = () => digestOf([RECORD], '15');
    answers.events = () => page(time.now < 800 ? '10' : '11', ...(time.now < 800 ? [] : ['11']));
    await expect(time.passUntil(mirror.verify({ catchUpMs: SECOND }))).rejects.toThrow('within 1000 ms');
    expect(time.now).toBeGreaterThanOrEqual(1800);
    expect(time.now).toBeLessThan(2500);
  });

  test.each([
    ['the service answered with an older list', 2, true],
    ['the difference stays', 3, false],
  ])('repairs again if %s, three times at most', async (_, repairs, ok) => {
    await time.passUntil(mirror.sync());
    answers.digest = () => digestOf([RECORD], '10');
    answers.endorsements = () => {
      const isRight = ok && timesOf('endorsements').length === 3;
      return list('10', ...(isRight ? [RECORD] : []));
    };
    const found = await time.passUntil(mirror.repair());
    expect([found.ok, found.repaired.length]).toEqual([ok, repairs]);
  });

  test('repairs the first record of a part', async () => {
    await time.passUntil(mirror.sync());
    const first = { ...RECORD, id: BUCKET_SIZE };
    answers.digest = () => digestOf([first], '10');
    answers.endorsements = (query) =>
      list('10', ...(Number(query.get('after')) < BUCKET_SIZE ? [first] : []));
    expect(await time.passUntil(mirror.repair())).toMatchObject({ ok: true, count: 1 });
  });

  test('repairs the last record of a part, beside the next part', async () => {
    const [last, next] = [BUCKET_SIZE - 1, BUCKET_SIZE].map((id) => ({ ...RECORD, id })) as [
      MirroredEndorsement,
      MirroredEndorsement,
    ];
    answers.endorsements = () => list('10', next);
    await time.passUntil(mirror.sync());
    answers.digest = () => digestOf([last, next], '10');
    answers.endorsements = () => list('10', last, next);
    const repaired = [{ first_id: 0, last_id: BUCKET_SIZE - 1 }];
    expect(await time.passUntil(mirror.repair())).toEqual({ ok: true, cursor: '10', count: 2, repaired });
  });

  test('takes an earlier position that stays for another name of the same state', async () => {
    await time.passUntil(mirror.sync());
    answers.endorsements = () => list('30', RECORD);
    answers.digest = () => digestOf([RECORD], '20');
    answers.events = () => page('20');
    const repairing = mirror.repair({ signal: AbortSignal.timeout(60_000) });
    expect(await time.passUntil(repairing)).toMatchObject({ ok: true, cursor: '20', count: 1 });
    expect(timesOf('digest')).toHaveLength(7);
  });

  test('after a repair compares with no state before the one that the repair has read', async () => {
    await time.passUntil(mirror.sync());
    answers.endorsements = () => list('30', RECORD);
    // After the repair, a gateway that is behind answers twice.
    answers.digest = () => {
      const looks = timesOf('digest').length;
      if (looks <= 2) return digestOf([RECORD], '20');
      return looks <= 4 ? digestOf([], '29') : digestOf([RECORD], '30');
    };
    answers.events = () => page('30');
    const repaired = [{ first_id: 0, last_id: BUCKET_SIZE - 1 }];
    expect(await time.passUntil(mirror.repair())).toEqual({ ok: true, cursor: '30', count: 1, repaired });
    expect(timesOf('digest')).toHaveLength(5);
  });
});
