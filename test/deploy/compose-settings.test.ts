import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { CHART } from '../helpers/deploy/chart.ts';
import { listKnownSettings } from '../helpers/service/known-settings.ts';

/** Settings that docker-compose.yml leaves out, with the reason. */
const LEFT_OUT: Record<string, string> = {
  METRICS_PORT: 'the image sets it',
  HOST: 'a container listens on all of its addresses',
  GATEWAY_PROCESSES: 'a container has one process; more gateways use more cores',
  PORT: 'the image sets it; in .env it is the port of the proxy',
  KAFKA_CA: 'the file has it',
  KAFKA_CERT: 'users log in with passwords',
  KAFKA_CERT_FILE: 'users log in with passwords',
  KAFKA_KEY: 'users log in with passwords',
  KAFKA_KEY_FILE: 'users log in with passwords',
  KAFKA_KEY_PASSWORD: 'users log in with passwords',
  KAFKA_KEY_PASSWORD_FILE: 'users log in with passwords',
  KAFKA_SERVER_NAME: 'the certificate has the names of the brokers',
  KAFKA_PASSWORD: 'the file has it',
  WEBHOOK_SECRET_KEY: 'the file has it',
  KAFKA_OAUTH_TOKEN_URL: 'users log in with passwords',
  KAFKA_OAUTH_CLIENT_ID: 'users log in with passwords',
  KAFKA_OAUTH_CLIENT_SECRET: 'users log in with passwords',
  KAFKA_OAUTH_CLIENT_SECRET_FILE: 'users log in with passwords',
  KAFKA_OAUTH_SCOPE: 'users log in with passwords',
  KAFKA_RACK: 'all brokers are on one machine',
  DATABASE_PASSWORD: 'the file has it',
  READ_DATABASE_URLS: 'the file has one Postgres',
  READ_DATABASE_URLS_FILE: 'the file has one Postgres',
  DATABASE_CA: 'the database is on the same machine, without TLS',
  DATABASE_CA_FILE: 'the database is on the same machine, without TLS',
  DATABASE_CERT: 'the user logs in with a password',
  DATABASE_CERT_FILE: 'the user logs in with a password',
  DATABASE_KEY: 'the user logs in with a password',
  DATABASE_KEY_FILE: 'the user logs in with a password',
  DATABASE_KEY_PASSWORD: 'the user logs in with a password',
  DATABASE_KEY_PASSWORD_FILE: 'the user logs in with a password',
};

/** Settings of webhooks, which only gateways and the deliverers get. */
const OF_WEBHOOKS = [
  'WEBHOOK_SECRET_KEY',
  'WEBHOOK_SECRET_KEY_FILE',
  'ALLOW_PRIVATE_WEBHOOKS',
  'WEBHOOK_PROXY',
  'WEBHOOK_NOTICE_URL',
];

interface Service {
  environment?: Record<string, string>;
  command?: string[];
  volumes?: string[];
  read_only?: boolean;
  mem_limit?: string;
  security_opt?: string[];
  cap_drop?: string[];
  tmpfs?: string[];
}

const text = await readFile('docker-compose.yml', 'utf8');
const compose = parse(text, { merge: true }) as { services: Record<string, Service> };
const environmentOf = (service: string) => compose.services[service]?.environment ?? {};

test.each([
  ['gateway', 'gateway'],
  ['apply', 'consumers'],
  ['relay', 'consumers'],
  ['deliver', 'consumers'],
  ['ops', 'ops'],
  ['topics', 'ops'],
] as const)('%s gets every setting of its program that is not left out', (service, program) => {
  const known = listKnownSettings()[program];
  const isLeftOut = (name: string) =>
    name in LEFT_OUT || (['apply', 'relay'].includes(service) && OF_WEBHOOKS.includes(name));
  expect(known.filter((name) => !isLeftOut(name) && !(name in environmentOf(service)))).toEqual([]);
});

test('every variable is read by its program', () => {
  const { gateway, consumers, ops } = listKnownSettings();
  const strangers = (service: string, known: string[]) =>
    Object.keys(environmentOf(service)).filter((name) => !known.includes(name));
  expect(strangers('gateway', gateway)).toEqual([]);
  expect(strangers('apply', consumers)).toEqual([]);
  expect(strangers('relay', consumers)).toEqual([]);
  expect(strangers('deliver', consumers)).toEqual([]);
  // Commands for the console read these two by themselves.
  expect(strangers('ops', [...ops, 'PUBLIC_URL', 'PORT'])).toEqual([]);
});

test('.env.example names the variables of docker-compose.yml, and no others', async () => {
  const example = await readFile('.env.example', 'utf8');
  const named = [...example.matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name);
  const used = new Set([...text.matchAll(/\$\{([A-Z0-9_]+)/g)].map(([, name]) => name));
  expect(named.sort()).toEqual([...used].sort());
});

test('each program has its own user of Kafka, and only the secrets of that user', () => {
  for (const service of ['gateway', 'apply', 'relay', 'deliver', 'ops', 'topics']) {
    const role = service === 'topics' ? 'ops' : service;
    expect(environmentOf(service).KAFKA_USERNAME).toBe(`ballot-${role}`);
    const secrets = compose.services[service]?.volumes?.filter((volume) => volume.includes('/kafka:'));
    expect(secrets).toEqual([`secrets-${role}:/run/secrets/kafka:ro`]);
  }
});

test('the commands have a folder for standard input, although their container cannot be written', () => {
  expect(compose.services.ops).toMatchObject({ read_only: true, tmpfs: ['/tmp'] });
});

/** The programs that run until they are stopped. */
const programs = Object.entries(compose.services)
  .filter(([, { command }]) => command?.some((word) => /^(gateway|consumers)\/main\.ts$/.test(word)))
  .map(([service]) => service);

test('no container gains privileges, and only Postgres has any', () => {
  const containers = Object.entries(compose.services);
  expect(containers.filter(([, { security_opt: options }]) => options === undefined)).toEqual([]);
  const privileged = containers.filter(([, { cap_drop: dropped }]) => !dropped?.includes('ALL'));
  expect(privileged.map(([service]) => service)).toEqual(['postgres']);
});

test('each program has the limit of memory that its pod in the chart has', async () => {
  const chart = parse(await readFile(`${CHART}/values.yaml`, 'utf8'));
  for (const service of [...programs, 'ops']) {
    const limit = compose.services[service]?.mem_limit?.replace(/[mg]$/, (unit) => `${unit.toUpperCase()}i`);
    expect([service, limit]).toEqual([service, chart[service].resources.limits.memory]);
  }
});

test('Prometheus reads the metrics of every program', async () => {
  const { scrape_configs: jobs } = parse(await readFile('ops/monitoring/prometheus.yml', 'utf8'));
  expect(jobs[0].dns_sd_configs[0].names).toEqual(programs);
});
