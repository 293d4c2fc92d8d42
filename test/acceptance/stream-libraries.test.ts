/** Libraries for Server-Sent Events, used as docs/streaming.md says, across the ends of their connections. */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { endorse } from '../helpers/ballots/submissions.ts';
import { installNpmPackages } from '../helpers/clients/npm-packages.ts';
import { installPythonPackage } from '../helpers/clients/python.ts';
import { metricValue } from '../helpers/service/metrics.ts';
import { TestService } from '../helpers/service/service.ts';
import { until } from '../helpers/until.ts';

/** How many connections the service ends during a test. */
const ENDS = 2;

// Its wait between two connections does not keep Node alive.
const EVENTSOURCE = `
import { EventSource } from 'eventsource';
const source = new EventSource(url, {
  fetch: (address, init) =>
    fetch(address, { ...init, headers: { ...init.headers, Authorization: 'Bearer ' + key } }),
});
source.addEventListener('endorsement', ({ data }) => print(data));
setInterval(() => {}, 60_000);`;

const POLYFILL = `
import { EventSourcePolyfill } from 'event-source-polyfill';
const source = new EventSourcePolyfill(url, { headers: { Authorization: 'Bearer ' + key } });
source.addEventListener('endorsement', ({ data }) => print(data));`;

// A library for browsers, which looks for these.
const FETCH_EVENT_SOURCE = `
globalThis.window = globalThis;
globalThis.document = { hidden: false, addEventListener() {}, removeEventListener() {} };
const { fetchEventSource } = await import('@microsoft/fetch-event-source');
let id = '';
for (;;) {
  await fetchEventSource(url, {
    headers: { Authorization: 'Bearer ' + key, ...(id && { 'Last-Event-ID': id }) },
    onmessage(message) {
      id = message.id || id;
      if (message.event === 'endorsement') print(message.data);
    },
  });
  await new Promise((resolve) => setTimeout(resolve, 1000));
}`;

const HTTPX_SSE = `
import httpx, sys, time
from httpx_sse import connect_sse
url, key = sys.argv[1:]
last_id = ''
with httpx.Client(timeout=60) as client:
    while True:
        headers = {'Authorization': 'Bearer ' + key, 'Last-Event-ID': last_id}
        with connect_sse(client, 'GET', url, headers=headers) as source:
            source.response.raise_for_status()
            for event in source.iter_sse():
                last_id = event.id
                if event.event == 'endorsement':
                    print(event.data, flush=True)
        time.sleep(1)
`;

const SSECLIENT = `
import requests, sseclient, sys, time
url, key = sys.argv[1:]
last_id = ''
while True:
    headers = {'Authorization': 'Bearer ' + key, 'Last-Event-ID': last_id}
    with requests.get(url, headers=headers, stream=True, timeout=60) as response:
        response.raise_for_status()
        for event in sseclient.SSEClient(response).events():
            last_id = event.id
            if event.event == 'endorsement':
                print(event.data, flush=True)
    time.sleep(1)
`;

let service: TestService;
const children: ChildProcess[] = [];
let round = 0;

beforeAll(async () => {
  service = await TestService.start({ gatewayConfig: { streamLifetimeMs: 1000 } });
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await service.stop();
});

const modules = await installNpmPackages(
  'eventsource@5.1.5',
  'event-source-polyfill@1.0.31',
  '@microsoft/fetch-event-source@2.0.1',
);
const bin = await installPythonPackage(
  'httpx-sse',
  '0.4.3',
  'httpx==0.28.1',
  'sseclient-py==1.9.0',
  'requests==2.34.2',
);

const ofNode = (program: string) => {
  const start = 'const [url, key] = process.argv.slice(1); const print = (text) => console.log(text);';
  const args = ['--input-type=module', '-e', program.replace(/^(import .*)?$/m, `$1\n${start}`)];
  return modules && { command: process.execPath, args, cwd: path.dirname(modules) };
};
const ofPython = (program: string) =>
  bin && { command: path.join(bin, 'python'), args: ['-c', program], cwd: process.cwd() };

describe.each([
  ['eventsource', ofNode(EVENTSOURCE)],
  ['event-source-polyfill', ofNode(POLYFILL)],
  ['@microsoft/fetch-event-source', ofNode(FETCH_EVENT_SOURCE)],
  ['httpx-sse', ofPython(HTTPX_SSE)],
  ['sseclient-py', ofPython(SSECLIENT)],
])('%s', (_, program) => {
  // Without a registry, the library cannot be installed.
  const testWithLibrary = program ? test : test.skip;

  testWithLibrary('reads every change once, across the ends of its connections', async () => {
    if (!program) return;
    const { command, args, cwd } = program;
    const child = spawn(command, [...args, service.url('/v1/stream'), service.key], {
      cwd,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    let output = '';
    child.stdout.on('data', (bytes: Buffer) => {
      output += bytes;
    });
    const received = () => [...output.matchAll(/"statement":"([^"]*)"/g)].map(([, statement]) => statement);
    const change = async () => {
      round += 1;
      await service.submit([endorse('nation-herald', 'mayor', 'ann', { statement: `Round ${round}.` })]);
      return `Round ${round}.`;
    };
    // The first changes may come before the stream has begun.
    await until('the first change', async () => {
      await change();
      return received().length > 0;
    });
    const first = received().at(-1);
    const made: string[] = [];
    const ended = () => metricValue('streams_ended_total', { reason: 'lifetime' });
    const last = (await ended()) + ENDS;
    while ((await ended()) < last) {
      const statement = await change();
      made.push(statement);
      await until('the change', () => received().includes(statement));
    }
    const after = received();
    expect(after.slice(after.indexOf(first) + 1).filter((text) => made.includes(text ?? ''))).toEqual(made);
    expect(new Set(after).size).toBe(after.length);
    child.kill('SIGKILL');
  });
});
