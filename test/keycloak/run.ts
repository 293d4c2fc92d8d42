/**
 * `npm run test:keycloak [-- --seconds N]`: the service logs in to Kafka with tokens of a real Keycloak, which live for
 * a few seconds. The broker checks them with Keycloak's public keys, and ends connections with an expired token. It
 * fetches Keycloak from Maven Central (170 MB) once, and needs Java, Maven and openssl. The exit status is 1 if a step
 * fails.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect, parseArgs } from 'node:util';
import { createConfig as createConsumersConfig } from '../../consumers/config.ts';
import { startConsumers } from '../../consumers/consumers.ts';
import { createConfig } from '../../gateway/config.ts';
import { startGateway } from '../../gateway/gateway.ts';
import { listRoleRights, ROLES, type Role } from '../../kafka/connection/role-rights.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { applyTopics } from '../../kafka/topics/topics.ts';
import { createKey } from '../../ops/commands/keys.ts';
import { migrateDatabase } from '../../ops/commands/migrate.ts';
import { findRunner } from '../../ops/local/servers/runner.ts';
import { submitAll } from '../../ops/submit/submit-all.ts';
import { type Brokers, readBrokers } from '../../service/brokers.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { SecureKafka } from '../helpers/kafka/secure-kafka.ts';
import { captureLog } from '../helpers/service/captured-log.ts';
import { stopWhenInterrupted } from '../helpers/service/interrupted.ts';
import { until } from '../helpers/until.ts';
import { type Client, chooseSecret, startKeycloak } from './keycloak.ts';

const PATIENCE_MS = 90_000;
/** The lifetime of a token, in seconds. */
const LIFE_SECONDS = 6;
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '45' } } });
const stack = new AsyncDisposableStack();
stopWhenInterrupted(() => stack.disposeAsync());
const print = (line: string) => process.stdout.write(`${line}\n`);

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  try {
    const result = await work();
    print(`ok      ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
    return result;
  } catch (error) {
    print(`FAILED  ${name}`);
    throw error;
  }
}

const idOf = (role: Role) => `ballot-${role}`;
const clients: Client[] = ROLES.map((role) => ({ id: idOf(role), secret: chooseSecret(idOf(role)) }));

/** Passes requests for tokens on, and counts those of each client. */
async function countTokens(tokenUrl: string): Promise<{ url: string; counts: Map<string, number> }> {
  const counts = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { authorization = '', 'content-type': type = '' } = request.headers;
    const basic = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString().split(':')[0];
    const id = new URLSearchParams(body).get('client_id') ?? decodeURIComponent(basic ?? '');
    const headers = { 'content-type': type, ...(authorization && { authorization }) };
    const answer = await fetch(tokenUrl, { method: 'POST', body, headers });
    if (answer.ok) counts.set(id, (counts.get(id) ?? 0) + 1);
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`, counts };
}

async function main(): Promise<void> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'ballot-keycloak-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const keycloak = await step('Keycloak starts, with a client for each role', () =>
    startKeycloak(path.join(dir, 'keycloak'), clients, LIFE_SECONDS),
  );
  stack.defer(() => keycloak.stop());
  const tokens = await countTokens(keycloak.tokenUrl);
  const runner = await findRunner();
  const postgres = await runner.startPostgres({
    dir: path.join(dir, 'postgres'),
    overrides: { fsync: 'off' },
  });
  stack.defer(() => postgres.stop());
  const kafka = await step("a broker starts that checks tokens with Keycloak's keys", () =>
    SecureKafka.start({
      tokens: { ...keycloak, secrets: new Map(), given: 0, lifeSeconds: LIFE_SECONDS, close: async () => {} },
      overrides: {
        // The subject is a number; the client's name is in this claim.
        'listener.name.login.oauthbearer.sasl.oauthbearer.sub.claim.name': 'azp',
      },
    }),
  );
  stack.defer(() => kafka.stop());
  const settingsOf = (role: Role) => ({
    KAFKA_BROKERS: kafka.addresses.login,
    KAFKA_CA_FILE: kafka.authority.ca,
    KAFKA_SASL_MECHANISM: 'OAUTHBEARER',
    KAFKA_OAUTH_TOKEN_URL: tokens.url,
    KAFKA_OAUTH_CLIENT_ID: idOf(role),
    KAFKA_OAUTH_CLIENT_SECRET: clients.find(({ id }) => id === idOf(role))?.secret ?? '',
  });
  const brokersOf = (role: Role) => readBrokers(settingsOf(role)) as Brokers;
  const rights = listRoleRights('');
  for (const role of ROLES) {
    await kafka.grant(
      `User:${idOf(role)}`,
      rights.filter((right) => right.role === role),
    );
  }
  await migrateDatabase(postgres.url);
  await loadCatalogue(postgres.url, SMALL_BALLOT);
  const key = await createKey({ databaseUrl: postgres.url, account: 'test', plan: 'internal' });
  await step('the role ops makes the topics', () =>
    applyTopics({ brokers: brokersOf('ops'), topicPrefix: '', retentionMs: WEEK_MS, changesPartitions: 3 }),
  );

  const logs = new Map<Role, ReturnType<typeof captureLog>>();
  const capture = (role: Role) => {
    const captured = captureLog('warn');
    logs.set(role, captured);
    return captured.log;
  };
  const env = { DATABASE_URL: postgres.url, PORT: '0', DRAIN_MS: '0' };
  const gateway = await startGateway(createConfig({ ...env, ...settingsOf('gateway') }), {
    log: capture('gateway'),
    onNewEpoch: () => {},
  });
  stack.defer(() => gateway.stop());
  for (const role of ['apply', 'relay'] as const) {
    const config = createConsumersConfig({ ...env, ...settingsOf(role), ROLES: role });
    const consumers = await startConsumers(config, { log: capture(role) });
    stack.defer(() => consumers.stop());
  }
  const events = async () => {
    const headers = { Authorization: `Bearer ${key}` };
    const answer = await fetch(`http://127.0.0.1:${gateway.port}/v1/events?from=earliest&limit=1000`, {
      headers,
    });
    return ((await answer.json()) as { data?: unknown[] }).data?.length ?? 0;
  };
  let sent = 0;
  const send = async () => {
    sent += 1;
    const submission = endorse('bakers-local-1', 'mayor', 'ann', { statement: `Number ${sent}` });
    const topic = topicNames('').submissions;
    await submitAll({ brokers: brokersOf('producer'), topic, submissions: [submission] });
  };
  const arrive = () => until('every event', async () => (await events()) === sent, PATIENCE_MS);

  await step('a submission becomes an event of the stream', async () => {
    await send();
    await arrive();
  });
  const seconds = Number(values.seconds);
  await step(`events pass for ${seconds} s, while tokens live for ${LIFE_SECONDS} s`, async () => {
    const before = new Map(tokens.counts);
    const deadline = performance.now() + seconds * 1000;
    while (performance.now() < deadline) {
      await send();
      await arrive();
      await sleep(1000);
    }
    for (const role of ['gateway', 'apply', 'relay'] as const) {
      const renewed = (tokens.counts.get(idOf(role)) ?? 0) - (before.get(idOf(role)) ?? 0);
      print(`        ${role}: ${renewed} new tokens`);
      assert.ok(
        renewed >= Math.floor(seconds / LIFE_SECONDS) - 2,
        `${role} renewed its token only ${renewed} times`,
      );
    }
    print(`        ${sent} events`);
  });
  for (const [role, { lines }] of logs) {
    print(`        warnings of ${role} so far: ${lines.length}`);
    for (const { msg, reason } of lines.slice(0, 3))
      print(`          ${msg} ${JSON.stringify(reason ?? '')}`);
  }
  const sentence =
    `The token server ${tokens.url} refuses the client "ballot-relay" (unauthorized_client): correct ` +
    'KAFKA_OAUTH_CLIENT_ID, KAFKA_OAUTH_CLIENT_SECRET and KAFKA_OAUTH_SCOPE.';
  await step('a client that is revoked is refused with one sentence', async () => {
    const lines = () => logs.get('relay')?.lines.map(({ msg }) => msg as string) ?? [];
    await keycloak.setEnabled(idOf('relay'), false);
    await send();
    await until(
      'the sentence',
      () => lines().some((msg) => msg.includes('refuses the client')),
      PATIENCE_MS,
    ).catch((error) => {
      throw new Error(`${error.message} The log: ${lines().join('\n')}`);
    });
    const told = lines().find((msg) => msg.includes('refuses the client')) ?? '';
    print(`        ${told}`);
    assert.ok(told.includes(sentence.replace(' (unauthorized_client)', '').slice(0, 40)), told);
  });
  await step('it works again once it is allowed, without a restart, and nothing is lost', async () => {
    await keycloak.setEnabled(idOf('relay'), true);
    await arrive();
  });
}

try {
  await main();
  print('The service works with the tokens of Keycloak.');
} catch (error) {
  print(inspect(error));
  process.exitCode = 1;
} finally {
  await stack.disposeAsync();
}
process.exit();
