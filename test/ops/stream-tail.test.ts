import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findFreePort } from '../../ops/local/servers/ports.ts';
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
    expect(io.told.filter((line) => line.includes('Trying again in'))).toHaveLength(1);
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
    ['a cursor with other letters', ['--cursor', 'ö…'], {}, /^--cursor is "ö…"; a cursor has only/],
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
  const STREAM = { 'content-type': 'text/event-stream' };
  const answers: [status: number, headers: object, body: string][] = [];
  const server = createServer((_request, response) => {
    const [status, headers, body] = answers.shift() ?? [400, {}, 'no more'];
    response.writeHead(status, { ...headers }).end(body);
  });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server.close());

  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const error = (code: string, message: string) => JSON.stringify({ error: { code, message } });
  const opened = (id: string): (typeof answers)[0] => [200, STREAM, `event: ready\nid: ${id}\ndata: {}\n\n`];
  const busy: (typeof answers)[0] = [503, {}, error('server_busy', 'busy')];
  const gone: (typeof answers)[0] = [410, {}, error('cursor_expired', 'too old')];

  test('is told once in each outage, and so is its end', async () => {
    answers.push(busy, busy, opened('a'), busy, opened('b'), gone);
    const io = tailIo();
    await expect(run(['tail', '--url', address()], io)).rejects.toThrow('no longer keeps the changes');
    const [lost, connected] = [`${address()}: busy. Trying again in`, `Connected to ${address()} again.`];
    const told = [lost, connected, lost, connected];
    expect(io.told).toEqual(told.map((part) => expect.stringContaining(part)));
  });

  test('that cannot be reached is told with the reason', async () => {
    const url = `http://127.0.0.1:${await findFreePort()}`;
    const io = tailIo();
    const ended = run(['tail', '--url', url], io);
    await until('the reason', () => io.told.length > 0);
    io.interrupt();
    expect(await ended).toBe(0);
    expect(io.told[0]).toMatch(/: .*ECONNREFUSED.*\. Trying again in 1 s\.$/);
  });

  test.each([
    [
      'a gap in the stream',
      STREAM,
      'event: error\nid: c\ndata: {"code":"cursor_expired","message":"gap"}\n\n',
      'no longer keeps',
    ],
    [
      'a page',
      { 'content-type': 'text/html' },
      '<p>Hello',
      'is not this service: /v1/stream answered with text/html',
    ],
  ])('that answers with %s ends the command', async (_, headers, body, message) => {
    answers.push([200, headers, body]);
    await expect(run(['tail', '--url', address()], tailIo())).rejects.toThrow(message);
  });
});
