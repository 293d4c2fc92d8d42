import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { followStream, type StreamNews } from '../../ops/stream/follow-stream.ts';
import { SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { endorser } from '../helpers/ballots/catalogue-records.ts';
import { endorse, withdraw } from '../helpers/ballots/submissions.ts';
import { createIo, createRunner, type RecordedIo } from '../helpers/commands/command-io.ts';
import { TcpProxy } from '../helpers/faults/tcp-proxy.ts';
import { useTestService } from '../helpers/service/service.ts';
import { until } from '../helpers/until.ts';
import { useFolder } from '../helpers/use-folder.ts';

const run = createRunner('stream');
const GHOST = endorser({ slug: 'ghost', name: 'Ghost' });
/** An import takes control characters out of names, so only older rows can have them. */
const WITH_CONTROLS = 'Gho\u001b[2Jst \u202egnp.exe';
const service = useTestService({ catalogue: [...SMALL_BALLOT, ['endorsers', GHOST]], partitions: 2 });
const inFolder = useFolder();

beforeAll(async () => {
  await service.query("UPDATE endorsers SET name = $1 WHERE slug = 'ghost'", [WITH_CONTROLS]);
  await service.submit([
    endorse('bakers-local-1', 'mayor', 'ann'),
    endorse('coast-gazette', 'prop-1', 'yes'),
    endorse('coast-gazette', 'sheriff', 'bob', { rank: 2 }),
    endorse('ghost', 'council', 'cyd'),
    withdraw('bakers-local-1', 'mayor', 'ann'),
  ]);
  await service.eventsOnceThereAre(5);
});

function tailIo({ outTerminal = false, env = {} } = {}): RecordedIo {
  return { ...createIo({ API_KEY: service.key, ...env }), outTerminal };
}

async function tail(io: RecordedIo, ...args: string[]): Promise<string[]> {
  expect(await run(['tail', '--url', service.url(''), '--from', 'earliest', ...args], io)).toBe(0);
  return io.printed;
}

test('a line for each event, in which control characters are written out', async () => {
  const lines = await tail(tailIo(), '--limit', '5');
  expect(lines).toHaveLength(5);
  const of = (part: string) => lines.find((line) => line.includes(part)) ?? '';
  expect(of('rank 2')).toMatch(/^\d{4}-\S+Z {2}created {2}OR city {2}Coast Gazette: \S.*, rank 2 {2}/);
  expect(of('deleted')).toMatch(/deleted {2}OR city {2}Bakers.*or-2026-11-03-general$/);
  expect(of('exe')).toContain('Gho\\u001b[2Jst \\u202egnp.exe: ');
});

test('colours only on a terminal, and not with NO_COLOR', async () => {
  const [coloured] = await tail(tailIo({ outTerminal: true }), '--limit', '1');
  expect(coloured).toContain('\u001b[');
  const [plain] = await tail(tailIo({ outTerminal: true, env: { NO_COLOR: '1' } }), '--limit', '1');
  expect(plain).not.toContain('\u001b');
});

test('--json prints the bodies, without raw control characters', async () => {
  const lines = await tail(tailIo(), '--limit', '5', '--json');
  const { data } = await service.events();
  expect(lines.map((line) => JSON.parse(line))).toEqual(data);
  expect(lines.join('')).not.toMatch(/[\p{Cc}\u202e]/u);
});

test('every filter field is an option', async () => {
  const options = [
    ['--endorsers', 'coast-gazette'],
    ['--elections', 'or-2026-11-03-general'],
    ['--categories', 'newspaper'],
    ['--states', 'OR,WA'],
    ['--endorser-states', 'CA'],
    ['--levels', 'city'],
    ['--contest-kinds', 'candidate'],
    ['--types', 'created'],
  ].flat();
  const [line = ''] = await tail(tailIo(), ...options, '--limit', '1', '--json');
  expect(JSON.parse(line)).toMatchObject({
    endorser: { slug: 'coast-gazette' },
    endorsement: { rank: 2 },
  });
});

test('--cursor continues after an event, and the last line names the next cursor', async () => {
  const io = tailIo();
  await tail(io, '--limit', '2');
  const cursor = /^To continue from here: --cursor (\S+)$/.exec(io.told.at(-1) ?? '')?.[1] ?? '';
  const rest = tailIo();
  await run(['tail', '--url', service.url(''), '--cursor', cursor, '--limit', '3', '--json'], rest);
  const { data } = await service.events();
  expect(rest.printed.map((line) => JSON.parse(line))).toEqual(data.slice(2));
});

test('a lost connection is reported once, and the stream continues without a gap or a repeat', async () => {
  const gateway = service.gateways[0]?.port ?? 0;
  const switchboard = await TcpProxy.open(gateway);
  const io = tailIo();
  const ended = run(['tail', '--url', switchboard.address, '--from', 'latest', '--json'], io);
  let made = (await service.events()).data.length;
  try {
    // The first event proves that the stream is open: earlier submissions may precede its beginning.
    await until('an event', async () => {
      made += 1;
      await service.submit([endorse('nation-herald', 'mayor', 'ann', { statement: `Statement ${made}.` })]);
      return io.printed.length > 0;
    });
    switchboard.target = 1;
    switchboard.cut();
    await until('the loss is told', () => io.told.length > 0);
    await service.submit([
      endorse('bakers-local-1', 'mayor', 'bob'),
      endorse('bakers-local-1', 'mayor', 'cyd'),
    ]);
    await service.eventsOnceThereAre(made + 2);
    switchboard.target = gateway;
    const { data } = await service.events();
    await until('the last event', () => (io.printed.at(-1) ?? '').includes(data.at(-1).id));
    const ids = io.printed.map((line) => JSON.parse(line).id);
    expect(ids).toEqual(data.slice(-ids.length).map(({ id }) => id));
    expect(io.told.filter((line) => line.includes('Trying again every'))).toHaveLength(1);
    expect(io.told.at(-1)).toBe(`Connected to ${switchboard.address} again.`);
    expect(io.interrupt()).toBe(true);
    expect(await ended).toBe(0);
  } finally {
    io.interrupt();
    await switchboard.close();
  }
});

describe('a refusal is one sentence, without a retry', () => {
  test.each([
    ['another key', [], { API_KEY: 'bes_none' }, /refuses: .*key/],
    ['an unknown value', ['--states', 'XX'], {}, /refuses: .*states/],
    ['an unknown endorser', ['--endorsers', 'nobody'], {}, /refuses: .*nobody/],
    ['two beginnings', ['--since', '2026-01-01T00:00:00Z'], {}, /cannot be used with/],
    ['a key with a line break', [], { API_KEY: 'a\nb' }, /^API_KEY holds no API key/],
    ['no key', [], { API_KEY: '' }, /^There is no API key: set API_KEY/],
    ['a limit of 0', ['--limit', '0'], {}, /^--limit is "0"/],
  ])('%s', async (_, args, env, message) => {
    await expect(tail(tailIo({ env }), ...args)).rejects.toThrow(message);
  });

  test('a DATA_DIR without a running service, unless one is named', async () => {
    const env = { API_KEY: '', DATA_DIR: inFolder('nothing') };
    const tailing = run(['tail'], tailIo({ env }));
    await expect(tailing).rejects.toThrow(`Nothing runs on DATA_DIR "${env.DATA_DIR}": start the service`);
    const named = run(['tail'], tailIo({ env: { ...env, PORT: '8090' } }));
    await expect(named).rejects.toThrow('There is no API key: set API_KEY');
  });

  test.each(['localhost:8080', 'ftp://host', 'http://host/?x'])('the address %s', async (url) => {
    await expect(run(['tail', '--url', url], tailIo())).rejects.toThrow(`--url is "${url}"; it must be`);
  });

  test('a malformed cursor', async () => {
    const args = ['tail', '--url', service.url(''), '--cursor', 'x'];
    await expect(run(args, tailIo())).rejects.toThrow('refuses: ');
  });
});

test('the service of DATA_DIR and its key are found', async () => {
  const { port = 0 } = service.gateways[0] ?? {};
  const io = tailIo({ env: { API_KEY: '', PORT: String(port), DATA_DIR: inFolder() } });
  await writeFile(inFolder('demo.key'), `${service.key}\n`);
  expect(await run(['tail', '--from', 'earliest', '--limit', '1'], io)).toBe(0);
  expect(io.printed).toHaveLength(1);
});

test('--key-file holds the key', async () => {
  const file = inFolder('key');
  await writeFile(file, `${service.key}\n`);
  const lines = await tail(tailIo({ env: { API_KEY: '' } }), '--key-file', file, '--limit', '1');
  expect(lines).toHaveLength(1);
});

describe('a faulty server', () => {
  let answers: ((
    headers: Record<string, unknown>,
  ) => [status: number, headers: object, body: string | AsyncIterable<string> | null])[];
  const server = createServer((request, response) => {
    const [status, headers, body] = answers.shift()?.(request.headers) ?? [400, {}, 'no more'];
    response.writeHead(status, { ...headers });
    response.flushHeaders();
    if (typeof body === 'string') response.end(body);
    else if (body !== null) Readable.from(body).pipe(response);
  });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const addressOf = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function follow(silenceMs?: number): Promise<{ news: StreamNews[]; error: string }> {
    const news: StreamNews[] = [];
    try {
      const signal = new AbortController().signal;
      const options = { url: addressOf(), key: 'k', query: {}, signal };
      for await (const each of followStream({ ...options, ...(silenceMs && { silenceMs }) })) news.push(each);
    } catch (error) {
      return { news, error: (error as Error).message };
    }
    return { news, error: '' };
  }
  const STREAM = { 'content-type': 'text/event-stream' };
  const error = (code: string, message: string) => JSON.stringify({ error: { code, message } });

  test('the command waits as Retry-After, reconnect and retry ask, and sends the last id', async () => {
    let sent: unknown;
    answers = [
      () => [503, { 'retry-after': '0' }, error('warming_up', 'not yet')],
      () => [200, STREAM, 'retry: 7\n\nevent: ready\nid: a\ndata: {}\n\n'],
      () => [200, STREAM, 'event: reconnect\nid: b\ndata: {"reason":"lifetime","retry_ms":3}\n\n'],
      () => [200, STREAM, 'event: ready\nid: b\ndata: {}\n\n'],
      (headers) => {
        sent = headers['last-event-id'];
        return [410, {}, error('cursor_expired', 'too old')];
      },
    ];
    const { news, error: message } = await follow();
    expect(news).toEqual([
      { kind: 'lost', reason: 'not yet', waitMs: 0 },
      { kind: 'connected' },
      { kind: 'cursor', id: 'a' },
      { kind: 'lost', reason: 'the connection ended', waitMs: 7 },
      { kind: 'connected' },
      { kind: 'cursor', id: 'b' },
      { kind: 'connected' },
      { kind: 'cursor', id: 'b' },
      // The first connection named this time for all later ones.
      { kind: 'lost', reason: 'the connection ended', waitMs: 7 },
    ]);
    expect(sent).toBe('b');
    expect(message).toMatch(/no longer keeps the changes after the last one/);
  });

  test('each outage is told once, and so is its end', async () => {
    const cut = (): [number, object, string] => [
      200,
      STREAM,
      'retry: 1\n\nevent: ready\nid: a\ndata: {}\n\n',
    ];
    const refuse = (): [number, object, string] => [
      503,
      { 'retry-after': '0' },
      error('server_busy', 'busy'),
    ];
    answers = [cut, cut, refuse, refuse, cut, () => [410, {}, error('cursor_expired', 'too old')]];
    const io = tailIo();
    await expect(run(['tail', '--url', addressOf()], io)).rejects.toThrow('no longer keeps');
    const [lost, connected] = ['the connection ended', 'Connected'];
    const told = [lost, connected, lost, 'busy', connected, lost];
    expect(io.told).toEqual(told.map((part) => expect.stringContaining(part)));
  });

  test('a silent connection is given up', async () => {
    answers = [() => [200, STREAM, null]];
    const { news } = await follow(500);
    expect(news[1]).toEqual({
      kind: 'lost',
      reason: 'the connection was silent for too long',
      waitMs: 1000,
    });
  });

  test('a connection with nothing but pings goes on', async () => {
    async function* ping() {
      for (let count = 0; count < 10; count += 1) {
        yield ': ping\n\n';
        await setTimeout(100);
      }
    }
    answers = [() => [200, STREAM, ping()]];
    const { news } = await follow(800);
    expect(news[1]).toEqual({ kind: 'lost', reason: 'the connection ended', waitMs: 1000 });
  });

  test('a gap in the stream ends it', async () => {
    answers = [
      () => [200, STREAM, 'event: error\nid: c\ndata: {"code":"cursor_expired","message":"gap"}\n\n'],
    ];
    expect((await follow()).error).toMatch(/no longer keeps/);
  });

  test('a page other than a stream is refused', async () => {
    answers = [() => [200, { 'content-type': 'text/html' }, '<p>Hello']];
    expect((await follow()).error).toMatch(/is not this service: its answer is not a stream\.$/);
  });
});
