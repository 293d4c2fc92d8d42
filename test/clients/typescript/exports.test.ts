/** The TypeScript client's exports: lists as lines of JSON, read through cuts and checked against their counts. */
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  BallotEndorsements,
  IncompleteExportError,
  type ListedEndorsement,
  NetworkError,
  UnexpectedAnswerError,
} from '../../../clients/typescript/src/index.ts';
import {
  answerError,
  answerJson,
  answerLines,
  breakOff,
  type FakeAnswer,
  FakeService,
} from '../../helpers/clients/fake-service.ts';

let service: FakeService;
afterEach(() => service.stop());

async function createClient(...answers: FakeAnswer[]): Promise<BallotEndorsements> {
  service = await FakeService.start(...answers);
  return new BallotEndorsements({ baseUrl: service.baseUrl, maxRetries: 2, timeoutMs: 5000 });
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

  test('fails if the number of records differs from the announced one', async () => {
    const client = await createClient(answerLines([head('1'), ...records(1, 2), { count: 3 }]));
    await expect(readIds(client.exportEndorsements())).rejects.toThrow(IncompleteExportError);
    expect(service.requests).toHaveLength(1);
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
