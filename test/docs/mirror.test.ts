/** The program of docs/streaming.md, exactly as printed there, with the client from its package. */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseCursor } from '../../schemas/cursor.ts';
import { endorse, withdraw } from '../helpers/ballots/submissions.ts';
import { type ClientInstallation, installClient } from '../helpers/clients/client-package.ts';
import { TcpProxy } from '../helpers/faults/tcp-proxy.ts';
import { readPages } from '../helpers/http/paging.ts';
import { type ServiceProcess, startProcess } from '../helpers/service/process.ts';
import { TestService } from '../helpers/service/service.ts';
import { until } from '../helpers/until.ts';

const RETENTION_MS = 5000;
const CHOICES = ['ann', 'bob', 'cyd', 'dee'];

let service: TestService;
let switchboard: TcpProxy;
let dir: string;
let installation: ClientInstallation;
let program: string;
let client: ServiceProcess;
let round = 0;
/** The number of changes. */
let changes = 0;

beforeAll(async () => {
  service = await TestService.start({ gateways: 2, retentionMs: RETENTION_MS });
  switchboard = await TcpProxy.open(service.gateways[0]?.port ?? 0);
  dir = await mkdtemp(path.join(os.tmpdir(), 'ballot-mirror-'));
  installation = await installClient();
  program = await installation.write('mirror.mts', await readFile('docs/examples/mirror.mts', 'utf8'));
});
afterAll(async () => {
  await client.kill();
  await switchboard.close();
  await service.stop();
  await rm(dir, { recursive: true, force: true });
  await installation.remove();
});

const file = () => path.join(dir, 'mirror.json');

function startClient(): ServiceProcess {
  return startProcess(program, { BASE_URL: switchboard.address, API_KEY: service.key }, [file()]);
}

/** The saved mirror. */
async function readMirror(): Promise<{ cursor: string; endorsements: Record<string, object> }> {
  return JSON.parse(await readFile(file(), 'utf8'));
}

/** Endorsements made, changed and withdrawn. */
async function submitRound(): Promise<void> {
  round += 1;
  const statement = `Round ${round}.`;
  const of = (by: string) => CHOICES.map((key) => endorse(by, 'council', key, { statement }));
  const gone = withdraw('bakers-local-1', 'council', CHOICES[round % 4] ?? '');
  await service.submit([...of('bakers-local-1'), ...of('coast-gazette'), gone]);
  changes += 9;
}

/** The list, without the fields that copies do not have. */
async function readList(): Promise<object[]> {
  const records = await readPages(service, '/v1/endorsements', 3);
  return records.map(({ updated_at: _, ...record }) => {
    const { type: __, ...district } = record.contest.district;
    return { ...record, contest: { ...record.contest, district } };
  });
}

/** Waits until the mirror has the last change of the round, and compares it with the list. */
async function expectMirror(): Promise<void> {
  await until('the round to be applied', async () => (await service.latestSequence()) === changes);
  const end = async () => parseCursor((await readMirror()).cursor).sequence;
  await until('the mirror to follow', async () => (await end()) === changes);
  const { endorsements } = await readMirror();
  expect(Object.values(endorsements)).toEqual(await readList());
}

test('it mirrors /v1/endorsements exactly, through cuts, a killed client and an expired cursor', async () => {
  await submitRound();
  client = startClient();
  await until('the first copy', () => existsSync(file()));
  await expectMirror();

  for (const gateway of [1, 0, 1]) {
    switchboard.target = service.gateways[gateway]?.port ?? 0;
    expect(switchboard.cut()).toBeGreaterThan(0);
    await submitRound();
    await expectMirror();
  }

  await client.kill();
  await submitRound();
  client = startClient();
  await expectMirror();

  await client.kill();
  const { cursor } = await readMirror();
  await submitRound();
  const expired = async () => (await service.get(`/v1/events?cursor=${cursor}`)).status === 410;
  await until('the cursor to expire', expired);
  client = startClient();
  await expectMirror();
  expect(client.output()).toContain('CursorExpiredError');
});
