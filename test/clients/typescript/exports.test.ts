/** The TypeScript client's exports: lists as lines of JSON, read through cuts and checked against their counts. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { createInnerError } from '../../../clients/typescript/src/errors.ts';
import { readLines } from '../../../clients/typescript/src/exports/lines.ts';
import { readExport } from '../../../clients/typescript/src/exports/read-export.ts';
import { Connection } from '../../../clients/typescript/src/http/connection.ts';
import {
  BallotEndorsements,
  IncompleteExportError,
  type ListedEndorsement,
  NetworkError,
  type Retry,
  UnexpectedAnswerError,
} from '../../../clients/typescript/src/index.ts';
import { ERROR_STATUS } from '../../../schemas/errors.ts';
import {
  answerError,
  answerJson,
  answerLines,
  breakOff,
  type FakeAnswer,
  FakeService,
} from '../../helpers/clients/fake-service.ts';
import { useFastTime } from '../../helpers/clients/fast-time.ts';

useFastTime();

let service: FakeService;
afterEach(() => service.stop());

async function createClient(...answers: FakeAnswer[]): Promise<BallotEndorsements> {
  service = await FakeService.start(...answers);
  return new BallotEndorsements({ baseUrl: service.baseUrl, maxRetries: 2, timeoutMs: 50_000 });
}

/** Answers with a text that breaks off, or after which nothing comes. */
function answerPart(text: string, end: 'cut' | 'silence'): FakeAnswer {
  return (response) => {
    response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
    response.write(text, () => end === 'cut' && response.destroy());
  };
}

const head = (stream_cursor: string) => ({ stream_cursor });
const records = (...ids: number[]) => ids.map((id) => ({ id }));

async function readIds(list: AsyncIterable<ListedEndorsement>): Promise<number[]> {
  const ids: number[] = [];
  for await (const { id } of list) ids.push(id);
  return ids;
}

describe('an export', () => {
  test('continues after its last record when it is cut, and has the cursor of its first answer', async () => {
    const client = await createClient(
      answerLines([head('1'), ...records(1, 2)], true),
      answerError(503, 'server_busy', { 'Retry-After': '0' }),
      answerLines([head('5'), ...records(3)], true),
      answerLines([head('7'), ...records(9), { count: 1 }]),
    );
    const list = client.exportEndorsements({ states: ['CA'], upcoming: true });
    expect(list.streamCursor).toBeNull();
    expect(await readIds(list)).toEqual([1, 2, 3, 9]);
    expect(list.streamCursor).toBe('1');
    expect(service.requests.map(({ query }) => query.toString())).toEqual([
      'states=CA&upcoming=true',
      ...Array(2).fill('states=CA&upcoming=true&after=2'),
      'states=CA&upcoming=true&after=3',
    ]);
    expect(service.requests[0]?.headers.accept).toBe('application/x-ndjson');
  });

  test('of an empty list has a cursor', async () => {
    const client = await createClient(answerLines([head('1'), { count: 0 }]));
    const list = client.exportEndorsements();
    expect(await readIds(list)).toEqual([]);
    expect(list.streamCursor).toBe('1');
  });

  test('continues after an error in its middle', async () => {
    const error = { code: 'server_busy', message: 'Later.', request_id: 'r' };
    const client = await createClient(
      answerLines([head('1'), ...records(1), { error }]),
      answerLines([head('2'), ...records(1, 2), { count: 2 }]),
    );
    // The record before the error was not taken, so it is read again.
    expect(await readIds(client.exportEndorsements())).toEqual([1, 2]);
  });

  test.each([1, 3])('of two records fails if %i are announced', async (count) => {
    const client = await createClient(answerLines([head('1'), ...records(1, 2), { count }]));
    await expect(readIds(client.exportEndorsements())).rejects.toThrow(IncompleteExportError);
    expect(service.requests).toHaveLength(1);
  });

  test('reads a record again that a cut has halved', async () => {
    const client = await createClient(
      answerPart('{"stream_cursor":"1"}\n{"id":1}\n{"id":2}', 'cut'),
      answerLines([head('2'), ...records(2), { count: 1 }]),
    );
    expect(await readIds(client.exportEndorsements())).toEqual([1, 2]);
    expect(service.requests.map(({ query }) => query.get('after'))).toEqual([null, '1']);
  });

  test('continues when nothing comes for timeoutMs', async () => {
    await createClient(
      answerPart('{"stream_cursor":"1"}\n{"id":1}\n', 'silence'),
      answerLines([head('2'), ...records(2), { count: 1 }]),
    );
    const failures: unknown[] = [];
    const onRetry = ({ error }: Retry) => failures.push((error as Error).message);
    const client = new BallotEndorsements({ baseUrl: service.baseUrl, onRetry });
    expect(await readIds(client.exportEndorsements({}, { timeoutMs: 2000 }))).toEqual([1, 2]);
    expect(failures).toEqual(['The service has sent nothing within 2000 ms.']);
  });

  test('ends at once with an error in its middle that no retry mends', async () => {
    const error = { code: 'revoked_api_key', message: 'Gone.' };
    const client = await createClient(answerLines([head('1'), ...records(1), { error }]));
    await expect(readIds(client.exportEndorsements())).rejects.toMatchObject({
      status: 401,
      message: 'Gone.',
    });
    expect(service.requests).toHaveLength(1);
  });

  test('is tried as often as its call says', async () => {
    const client = await createClient(answerError(503, 'server_busy', { 'Retry-After': '0' }));
    await expect(readIds(client.exportEndorsements({}, { maxRetries: 0 }))).rejects.toMatchObject({
      status: 503,
    });
    expect(service.requests).toHaveLength(1);
  });

  test('tells of the state that each batch shows, and of that of the whole', async () => {
    const { baseUrl } = await FakeService.start(
      answerLines([head('1'), ...records(1)], true),
      answerLines([head('5'), ...records(2), { count: 1 }]),
    ).then((started) => {
      service = started;
      return started;
    });
    const states = new Set<string>();
    const settings = { path: '/v1/endorsements', filter: {} };
    for await (const batch of readExport(new Connection({ baseUrl }), settings)) {
      for (const { id } of batch.records) states.add(`${id}: ${batch.streamCursor}, ${batch.readAt}`);
    }
    expect([...states]).toEqual(['1: 1, 1', '2: 1, 5']);
  });

  test('fails after maxRetries without a new record', async () => {
    const client = await createClient(answerLines([], true));
    await expect(readIds(client.exportEndorsements())).rejects.toThrow(NetworkError);
    expect(service.requests).toHaveLength(3);
  });

  test('fails after maxRetries if every answer breaks off after its first line', async () => {
    const cut = answerLines([head('1')]);
    const client = await createClient(answerLines([head('1'), ...records(1)], true), cut, cut, cut, breakOff);
    await expect(readIds(client.exportEndorsements())).rejects.toThrow(/broke off after 0 records/);
    expect(service.requests.map(({ query }) => query.get('after'))).toEqual([null, '1', '1']);
  });

  test('continues after an answer of another server, once the service has answered', async () => {
    const client = await createClient(
      answerLines([head('1')], true),
      answerJson({ data: [] }),
      answerLines([head('2'), ...records(1), { count: 1 }]),
    );
    expect(await readIds(client.exportEndorsements())).toEqual([1]);
  });

  test('fails at once if it is refused, and if the answer is not an export', async () => {
    const client = await createClient(answerError(403, 'insufficient_scope'));
    await expect(readIds(client.exportEndorsements())).rejects.toMatchObject({ status: 403 });
    service.answers = [answerJson({ data: [] })];
    await expect(readIds(client.exportEndorsements())).rejects.toThrow(UnexpectedAnswerError);
    expect(service.requests).toHaveLength(2);
  });

  test("bears another server's answer, such as a captive portal's, if the service has answered the client before", async () => {
    const client = await createClient(
      answerLines([head('1'), { count: 0 }]),
      answerJson({ data: [] }),
      answerLines([head('2'), ...records(1), { count: 1 }]),
    );
    expect(await readIds(client.exportEndorsements())).toEqual([]);
    expect(await readIds(client.exportEndorsements())).toEqual([1]);
  });

  test('closes its connection when its loop is left', async () => {
    let isClosed = () => {};
    const closed = new Promise<void>((resolve) => {
      isClosed = resolve;
    });
    const client = await createClient((response) => {
      response.on('close', isClosed);
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
      response.write('{"stream_cursor":"1"}\n{"id":1}\n');
    });
    for await (const _ of client.exportEndorsements()) break;
    await closed;
  });
});

test('lines are the same wherever their bytes are divided, and a line without an end is left out', async () => {
  const bytes = new TextEncoder().encode('é€\n\n😀\nno end');
  for (let place = 0; place <= bytes.length; place += 1) {
    const pieces = async function* () {
      yield bytes.subarray(0, place);
      yield bytes.subarray(place);
    };
    const lines: string[] = [];
    for await (const some of readLines(pieces())) lines.push(...some);
    expect(lines).toEqual(['é€', '', '😀']);
  }
});

test('an error within an answer has the status that the service gives its code elsewhere', () => {
  const withinAnswers = [
    ...['missing_api_key', 'invalid_api_key', 'revoked_api_key', 'expired_api_key', 'insufficient_scope'],
    ...['account_suspended', 'not_found', 'subscription_not_found', 'cursor_expired', 'rate_limit_exceeded'],
    ...['daily_limit_exceeded', 'too_many_streams', 'too_many_requests_in_flight', 'internal_error'],
    ...['not_available', 'warming_up', 'server_busy'],
  ] as (keyof typeof ERROR_STATUS)[];
  const statuses = withinAnswers.map((code) => [code, createInnerError({ code }).status]);
  expect(statuses).toEqual(withinAnswers.map((code) => [code, ERROR_STATUS[code]]));
  expect(createInnerError({})).toMatchObject({ status: 500, code: 'internal_error', requestId: null });
});
