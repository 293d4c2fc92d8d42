/** Common clients of streams behind the proxies of ops/compose. */
import { type ChildProcess, spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EventSource } from 'eventsource';
import { endorse } from '../helpers/ballots/submissions.ts';
import { installPythonPackages } from '../helpers/clients/python.ts';
import { findProgram } from '../helpers/servers/find-program.ts';
import { type ProxyName, type RunningProxy, startProxy } from '../helpers/servers/proxies.ts';
import { TestService } from '../helpers/service/service.ts';
import { loadChangeLog } from '../helpers/stream/change-log.ts';
import { EventStreamClient } from '../helpers/stream/event-stream.ts';
import { type Frame, StreamChecker, sequenceOf } from '../helpers/stream/stream-checker.ts';
import { until } from '../helpers/until.ts';

/** An impatient proxy's timeout for silent connections. Streams behind it are silent for at most a fifth of it. */
const TIMEOUT_SECONDS = 2;
const HEARTBEAT_MS = 400;

const HTTPX_CLIENT = `
import httpx, sys
url, key = sys.argv[1:]
with httpx.stream('GET', url, headers={'Authorization': 'Bearer ' + key}, timeout=60) as response:
    for line in response.iter_lines():
        print(line, flush=True)
`;

const curl = findProgram('curl');
const python = await installPythonPackages();
const portsOf = ({ gateways }: TestService) => gateways.map(({ port }) => port);

const SKIPPED = '(skipped: it is not installed)';

describe.each<ProxyName>(['nginx', 'haproxy'])('through %s', (name) => {
  const there = findProgram(name) !== null;
  /** A test that needs the proxy, and this program if it is given. */
  const testWith = (title: string, run: () => Promise<void>, program: string | null = name) => {
    if (there && program !== null) test(title, run);
    else test.skip(`${title} ${SKIPPED}`, run);
  };
  let service: TestService;
  let proxy: RunningProxy;
  const children: ChildProcess[] = [];
  let round = 0;

  beforeAll(async () => {
    if (!there) return;
    // No heartbeats during the tests: they would push out bytes that a proxy holds back.
    service = await TestService.start({ gateways: 2, gatewayConfig: { streamHeartbeatMs: 60_000 } });
    proxy = await startProxy(name, { gatewayPorts: portsOf(service), timeoutSeconds: 120 });
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await proxy?.stop();
    await service?.stop();
  });

  /** Makes one change with a new statement. @returns the statement */
  async function change(): Promise<string> {
    round += 1;
    const statement = `Round ${round}.`;
    await service.submit([endorse('nation-herald', 'mayor', 'ann', { statement })]);
    return statement;
  }

  /** Runs a program that prints a stream, and waits until it prints a change of the open stream. */
  async function expectPrinted(command: string, args: string[]): Promise<void> {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    let output = '';
    child.stdout.on('data', (bytes: Buffer) => {
      output += bytes;
    });
    await until('ready', () => output.includes('event: ready'));
    for (const _ of [1, 2]) {
      const statement = await change();
      await until('the change', () => output.includes(statement));
    }
    expect(child.exitCode).toBeNull();
  }

  testWith(
    'curl -N prints each change as it happens',
    () => {
      const args = ['-sN', '-H', `Authorization: Bearer ${service.key}`, `${proxy.address}/v1/stream`];
      return expectPrinted(curl ?? '', args);
    },
    curl,
  );

  testWith(
    'Python’s httpx prints each change as it happens',
    () => {
      const args = ['-c', HTTPX_CLIENT, `${proxy.address}/v1/stream`, service.key];
      return expectPrinted(`${python}/python`, args);
    },
    python,
  );

  testWith('the largest requests that the service takes arrive there', async () => {
    const headers = { Authorization: `Bearer ${service.key}` };
    const slugs = Array.from({ length: 500 }, (_, index) => `an-endorser-that-nobody-has-${index}`);
    const list = await fetch(`${proxy.address}/v1/endorsements?endorsers=${slugs}`, { headers });
    expect([list.status, await list.json()]).toMatchObject([200, { data: [] }]);
    // Of the file of a form, which the console takes. The API refuses it by itself.
    const body = 'x'.repeat(4 * 1024 * 1024);
    const file = await fetch(`${proxy.address}/v1/subscriptions`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body,
    });
    expect(await file.json()).toMatchObject({ error: { code: 'body_too_large' } });
  });

  testWith('a quiet stream outlasts the timeout of the proxy', async () => {
    const quiet = await TestService.start({ gatewayConfig: { streamHeartbeatMs: HEARTBEAT_MS } });
    const hasty = await startProxy(name, { gatewayPorts: portsOf(quiet), timeoutSeconds: TIMEOUT_SECONDS });
    try {
      const headers = { Authorization: `Bearer ${quiet.key}` };
      const stream = await EventStreamClient.open(`${hasty.address}/v1/stream`, headers);
      const enough = (3 * TIMEOUT_SECONDS * 1000) / HEARTBEAT_MS;
      await until('signs of life', () => stream.comments.length >= enough || stream.ended);
      expect(stream.ended).toBe(false);
      expect(stream.events.map(({ event }) => event)).toEqual(['ready']);
      stream.close();
    } finally {
      await hasty.stop();
      await quiet.stop();
    }
  });

  // The last test, because it stops a gateway.
  testWith('EventSource continues at the other gateway when one stops', async () => {
    // The proxy spreads them over both gateways, so that one of them loses its gateway.
    const clients = [openEventSource(), openEventSource()];
    await until('ready', () => clients.every(({ connections }) => connections.length === 1));
    let statement = await change();
    const have = () => clients.every(({ last }) => last().includes(statement));
    await until('the first change', have);
    // The new gateway listens on another port, unknown to the proxy.
    await service.restartGateway(0);
    statement = await change();
    await until('the changes since', have);
    for (const { source } of clients) source.close();

    const log = await loadChangeLog(service.databaseUrl);
    for (const { connections } of clients) {
      const record = { name: 'EventSource', filter: {}, upTo: log.events.length };
      expect(new StreamChecker(log).judge({ ...record, connections }).faults).toEqual([]);
    }
    const sent = clients.flatMap(({ lastEventIds }) => lastEventIds.slice(1));
    expect(sent.length).toBeGreaterThan(0);
    expect(sent).not.toContain(null);
  });

  function openEventSource() {
    const connections: { via: 'stream'; after: number | null; frames: Frame[] }[] = [];
    const lastEventIds: (string | null)[] = [];
    const source = new EventSource(`${proxy.address}/v1/stream`, {
      // A browser's EventSource cannot send a key; this one accepts a custom fetch.
      fetch: (url, init) => {
        const { 'Last-Event-ID': lastEventId = null } = init.headers;
        lastEventIds.push(lastEventId);
        return fetch(url, { ...init, headers: { ...init.headers, Authorization: `Bearer ${service.key}` } });
      },
    });
    const take = ({ type, lastEventId, data }: MessageEvent) => {
      if (type === 'ready') {
        const resumed = lastEventIds.at(-1);
        connections.push({ via: 'stream', after: resumed ? sequenceOf(resumed) : null, frames: [] });
      }
      connections.at(-1)?.frames.push({ event: type, id: lastEventId, data });
    };
    for (const kind of ['ready', 'endorsement', 'checkpoint', 'reconnect'])
      source.addEventListener(kind, take);
    const last = () =>
      connections.flatMap(({ frames }) => frames).findLast(({ event }) => event === 'endorsement')?.data ??
      '';
    return { source, connections, lastEventIds, last };
  }
});
