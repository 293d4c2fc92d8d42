/**
 * The pods of the chart, started as processes on this machine. The programs get the rendered arguments and variables,
 * and the files that Kubernetes would mount from secrets. Kafka requires logins and gives each user the rights of its
 * role. Only ports and paths differ.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import pg from 'pg';
import { listRoleRights, ROLES } from '../../kafka/connection/role-rights.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { createKey } from '../../ops/commands/keys.ts';
import { findFreePort } from '../../ops/local/servers/ports.ts';
import { submitAll } from '../../ops/submit/submit-all.ts';
import { type Brokers, readBrokers } from '../../service/brokers.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { chartTest, find, podsOf, type Resource, render } from '../helpers/deploy/chart.ts';
import { SecureKafka } from '../helpers/kafka/secure-kafka.ts';
import { chooseDatabaseUrl } from '../helpers/postgres/database.ts';
import { canSecure, securedTest } from '../helpers/servers/secured-test.ts';
import { testServers } from '../helpers/servers/servers.ts';
import { type ServiceProcess, startProcess } from '../helpers/service/process.ts';
import { EventStreamClient } from '../helpers/stream/event-stream.ts';
import { until } from '../helpers/until.ts';
import { Receiver } from '../helpers/webhooks/receiver.ts';
import { WEBHOOK_ENV } from '../helpers/webhooks/webhook-env.ts';

const PREFIX = 'chart-';
const MOUNT = '/run/secrets/ballot';
const test = canSecure ? chartTest : securedTest;

const databaseUrl = chooseDatabaseUrl();
const processes: StartedPod[] = [];
let dir: string;
let kafka: SecureKafka;
let receiver: Receiver | undefined;
let resources: Resource[];
/** The contents of secrets, by name and key. */
let secrets: Record<string, Record<string, string>>;

interface StartedPod {
  process: ServiceProcess;
  /** The addresses of its ports, by name. */
  ports: Map<string, number>;
}

beforeAll(async () => {
  if (!canSecure) return;
  dir = await mkdtemp(path.join(os.tmpdir(), 'ballot-chart-'));
  kafka = await SecureKafka.start();
  secrets = {
    'ballot-database': { password: new URL(databaseUrl).password },
    webhooks: { key: WEBHOOK_ENV.WEBHOOK_SECRET_KEY },
    'kafka-ca': { 'ca.crt': await readFile(kafka.authority.ca, 'utf8') },
  };
  for (const role of ROLES) {
    const password = `password of ${role}`;
    secrets[`ballot-${role}`] = { password };
    await kafka.setPassword(`ballot-${role}`, password);
    await kafka.grant(
      `User:ballot-${role}`,
      listRoleRights(PREFIX).filter((right) => right.role === role),
    );
  }
  const admin = new pg.Client({ connectionString: testServers().databaseUrl });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${new URL(databaseUrl).pathname.slice(1)}`);
  await admin.end();
});

afterAll(async () => {
  await Promise.all(processes.map(({ process }) => process.kill()));
  await receiver?.stop();
  await kafka?.stop();
  if (dir) await rm(dir, { recursive: true, force: true });
});

/** Writes the files of a pod's volumes. @returns the folder that replaces the mount */
async function mountSecrets(name: string, { volumes }: Resource): Promise<string> {
  const folder = path.join(dir, name);
  for (const { projected } of volumes) {
    for (const { secret } of projected.sources) {
      for (const { key, path: file } of secret.items) {
        const content = secrets[secret.name]?.[key];
        if (content === undefined) throw new Error(`There is no secret ${secret.name} with ${key}.`);
        await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
        await writeFile(path.join(folder, file), content);
      }
    }
  }
  return folder;
}

/** Starts a pod's container, on free ports and with the files of its secrets. */
async function startPod(name: string): Promise<StartedPod> {
  const pod = podsOf(resources).get(name);
  const [container] = pod.containers;
  const folder = await mountSecrets(name, pod);
  const env: Record<string, string> = {};
  for (const variable of container.env) env[variable.name] = variable.value.replace(MOUNT, folder);
  const ports = new Map<string, number>();
  for (const { name: port, containerPort } of container.ports ?? []) {
    const free = await findFreePort();
    ports.set(port, free);
    const setting = port === 'http' ? 'PORT' : 'METRICS_PORT';
    expect(env[setting]).toBe(String(containerPort));
    env[setting] = String(free);
  }
  const [program, ...args] = container.args;
  const started = { process: startProcess(program, env, args), ports };
  processes.push(started);
  return started;
}

/** Runs a job to its end. */
async function runJob(name: string): Promise<string> {
  expect(find(resources, 'Job', name).metadata.annotations['helm.sh/hook']).toBe('pre-install,pre-upgrade');
  const { process } = await startPod(name);
  await until(`${name} ends`, () => process.exitCode() !== null);
  expect([process.exitCode(), process.output()]).toEqual([0, process.output()]);
  return process.output();
}

/** Sends a pod the request of a probe. */
async function probe(name: string, { ports }: StartedPod, kind: string): Promise<boolean> {
  const { httpGet } = podsOf(resources).get(name).containers[0][kind];
  return fetch(`http://127.0.0.1:${ports.get(httpGet.port)}${httpGet.path}`).then(
    ({ ok }) => ok,
    () => false,
  );
}

test('an event passes through the pods of the chart to a stream and a webhook, and the gateway ends within its grace period', async () => {
  const bare = new URL(databaseUrl);
  bare.password = '';
  resources = render({
    topicPrefix: PREFIX,
    logLevel: 'warn',
    database: { url: bare.href },
    kafka: { brokers: kafka.addresses.login, caSecret: { name: 'kafka-ca', key: 'ca.crt' } },
    gateway: { drainSeconds: 1 },
    webhooks: { enabled: true, keySecret: { name: 'webhooks', key: 'key' }, allowPrivate: true },
  });
  await runJob('migrate');
  expect(await runJob('topics')).toContain(`created ${PREFIX}endorsement-changes with 12 partitions`);
  await loadCatalogue(databaseUrl, SMALL_BALLOT);
  const key = await createKey({ databaseUrl, account: 'test', plan: 'internal' });

  const names = ['gateway', 'apply', 'relay', 'deliver'];
  const pods = new Map<string, StartedPod>();
  for (const name of names) pods.set(name, await startPod(name));
  for (const [name, pod] of pods) {
    for (const kind of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      await until(`${name} passes its ${kind}`, () => probe(name, pod, kind));
    }
  }
  const gateway = pods.get('gateway') as StartedPod;
  const base = `http://127.0.0.1:${gateway.ports.get('http')}`;
  const authorization = { Authorization: `Bearer ${key}` };
  const stream = await EventStreamClient.open(`${base}/v1/stream?from=earliest`, authorization);
  receiver = await Receiver.start();
  const created = await fetch(`${base}/v1/webhooks`, {
    method: 'POST',
    headers: { ...authorization, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'All', url: receiver.url }),
  });
  receiver.secret = ((await created.json()) as { data: { secret: string } }).data.secret;
  const producer = readBrokers(await kafka.loginAs('ballot-producer', 'password of producer')) as Brokers;
  await submitAll({
    ...{ brokers: producer, topic: topicNames(PREFIX).submissions },
    submissions: [endorse('bakers-local-1', 'mayor', 'ann')],
  });
  await until('the event', () => stream.of('endorsement').length === 1 && receiver?.accepted.length === 1);

  const metrics = await (await fetch(`http://127.0.0.1:${gateway.ports.get('metrics')}/metrics`)).text();
  const scaled = find(render({ gateway: { autoscaling: { enabled: true } } }), 'HorizontalPodAutoscaler');
  for (const { pods: pod } of scaled.spec.metrics) expect(metrics).toContain(`\n${pod.metric.name} `);

  const { terminationGracePeriodSeconds, containers } = podsOf(resources).get('gateway');
  const graceMs = (terminationGracePeriodSeconds - containers[0].lifecycle.preStop.sleep.seconds) * 1000;
  const started = performance.now();
  await gateway.process.kill('SIGTERM');
  expect(performance.now() - started).toBeLessThan(graceMs);
  expect(gateway.process.exitCode()).toBe(0);
  await until('the stream has ended', () => stream.ended);
  expect(stream.of('reconnect').map(({ data }) => data.reason)).toEqual(['shutdown']);
});
