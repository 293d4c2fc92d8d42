import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type pg from 'pg';
import type { Finding } from '../../administration/health/finding.ts';
import { measureLag } from '../../administration/lag.ts';
import { loadRecentRejections } from '../../administration/rejections/recent.ts';
import { retryNew } from '../../administration/rejections/retry.ts';
import type { Role as ConsumersRole } from '../../consumers/config.ts';
import { startConsumers } from '../../consumers/consumers.ts';
import { createConfig } from '../../gateway/config.ts';
import { type Gateway, startGateway } from '../../gateway/gateway.ts';
import { withAdmin } from '../../kafka/connection/admin.ts';
import { listRoleRights, ROLES, type Role, type RoleRight } from '../../kafka/connection/role-rights.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { findChangesTopicProblems } from '../../kafka/topics/topics.ts';
import { createKey } from '../../ops/commands/keys.ts';
import { runProgram } from '../../ops/program.ts';
import { submitAll } from '../../ops/submit/submit-all.ts';
import { type Brokers, readBrokers } from '../../service/brokers.ts';
import type { Service } from '../../service/lifecycle.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { createIo } from '../helpers/commands/command-io.ts';
import { SecureKafka } from '../helpers/kafka/secure-kafka.ts';
import { createTopic } from '../helpers/kafka/topics.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { withClient } from '../helpers/postgres/with-client.ts';
import { securedTest as test } from '../helpers/servers/secured-test.ts';
import { captureLog } from '../helpers/service/captured-log.ts';
import { until } from '../helpers/until.ts';
import { WEBHOOK_ENV } from '../helpers/webhooks/webhook-env.ts';

const PREFIX = 'least-';
const RETENTION_MS = 7 * 24 * 60 * 60 * 1000;
const topics = topicNames(PREFIX);
const ALL = listRoleRights(PREFIX);
/** The topics of another installation, which this test creates and damages. */
const SPOILT = 'spoilt-';
const OF_SPOILT = listRoleRights(SPOILT).filter(({ role }) => role === 'ops');
const TO_MAKE_TOPICS = OF_SPOILT.filter(({ operation }) => /^(Create|Alter)/.test(operation));
const database = useTestDatabase();
const settings = new Map<Role, Record<string, string>>();
const brokers = new Map<Role, Brokers>();
let kafka: SecureKafka;
let key: string;

beforeAll(async () => {
  kafka = await SecureKafka.start();
  for (const role of ROLES) {
    await kafka.setPassword(role, `password of ${role}`);
    await kafka.grant(
      `User:${role}`,
      [...ALL, ...OF_SPOILT].filter((right) => right.role === role),
    );
    const env = { ...(await kafka.loginAs(role, `password of ${role}`)), TOPIC_PREFIX: PREFIX };
    settings.set(role, env);
    brokers.set(role, readBrokers(env) as Brokers);
  }
  await loadCatalogue(database.url, SMALL_BALLOT);
  key = await createKey({ databaseUrl: database.url, account: 'test', plan: 'internal' });
}, 180_000);
afterAll(() => kafka.stop());

const brokersOf = (role: Role) => brokers.get(role) as Brokers;

/** Runs a command as the role `ops`. @returns its lines on standard output, and those on standard error */
async function ops(line: string, { prefix = PREFIX, stdin = '' } = {}): Promise<string[]> {
  const env = { ...settings.get('ops'), DATABASE_URL: database.url, TOPIC_PREFIX: prefix };
  const io = createIo(env, { stdin });
  await runProgram(line.split(' '), io);
  return [...io.printed, ...io.told];
}

function submit(role: Role, ...endorsers: string[]): Promise<number> {
  const submissions = endorsers.map((endorser) => endorse(endorser, 'mayor', 'ann'));
  return submitAll({ brokers: brokersOf(role), topic: topics.submissions, submissions });
}

const SUBMISSION = JSON.stringify({
  ...{ endorser: 'bakers-local-1', contest: 'or-2026-11-03-general/mayor', choice: 'ann' },
});

interface Started {
  lines: { msg: string }[];
  isReady(): Promise<boolean>;
  stop(): Promise<void>;
}

/** Starts a part of the service as its role. */
async function start(role: 'gateway' | ConsumersRole): Promise<Started & { port: number }> {
  const { log, lines } = captureLog('warn');
  const env = { ...settings.get(role), DATABASE_URL: database.url, PORT: '0', DRAIN_MS: '0', ...WEBHOOK_ENV };
  const part: Gateway | Service =
    role === 'gateway'
      ? await startGateway(createConfig(env), { log, onNewEpoch: () => {} })
      : await startConsumers({ ...createConfig(env), roles: [role], retentionMs: RETENTION_MS }, { log });
  return {
    lines,
    port: 'port' in part ? part.port : 0,
    isReady: async () => part.isReady(),
    stop: () => part.stop(),
  };
}

async function inTransaction<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  return withClient(database.url, async (client) => {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  });
}

describe('with the rights of the table', () => {
  const parts: Started[] = [];
  afterAll(async () => {
    for (const part of parts) await part.stop();
  });

  test('a submission becomes an event, and every command and page works', async () => {
    expect(await ops('topics apply')).toHaveLength(3);
    expect(await ops('topics check')).toEqual(['The topics have the right settings.']);
    const gateway = await start('gateway');
    parts.push(gateway, await start('apply'), await start('relay'), await start('deliver'));
    await submit('producer', 'bakers-local-1', 'nobody');
    await until('everything is ready', async () =>
      (await Promise.all(parts.map((part) => part.isReady()))).every(Boolean),
    );
    const response = await fetch(`http://127.0.0.1:${gateway.port}/v1/events?from=earliest&wait=10`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    const { data } = (await response.json()) as { data: { endorser: { slug: string } }[] };
    expect(data.map(({ endorser }) => endorser.slug)).toEqual(['bakers-local-1']);

    await until('the rejection', async () => (await ops('rejected list --all')).join().includes('nobody'));
    await ops('submit -', { stdin: SUBMISSION });
    expect((await ops('lag')).join()).toContain('0');
    await ops('stream check');
    await ops('stream repair');
    await ops('rejected retry');
    await expect(ops('submissions skip 0/1000 --reason none')).rejects.toThrow(
      /next submission|none to skip/,
    );

    const place = { brokers: brokersOf('gateway'), topicPrefix: PREFIX };
    await inTransaction((client) => measureLag(client, place));
    expect((await loadRecentRejections(place, 10)).rejections.length).toBeGreaterThan(0);
    await inTransaction((client) => retryNew(client, place, { osUser: 'test', person: null }));
    for (const { lines } of parts) expect(lines.map(({ msg }) => msg)).toEqual([]);
  }, 180_000);
});

/** Runs `doctor` as a role. @returns the findings about a subject, each a status and a sentence */
async function diagnose(role: Role, subject: string, other: Record<string, string> = {}): Promise<string[]> {
  const io = createIo({ ...settings.get(role), DATABASE_URL: database.url, ...other });
  // Failed findings end it with an error.
  await runProgram(['doctor', '--json', '--role', role], io).catch(() => {});
  const { findings } = JSON.parse(io.printed.join('')) as { findings: Finding[] };
  return findings.filter((each) => each.subject === subject).map(({ status, text }) => `${status}: ${text}`);
}

describe('ops doctor', () => {
  test.each(ROLES)('finds the rights of the role %s, and names a missing one', async (role) => {
    const own = ALL.filter((right) => right.role === role);
    expect(await diagnose(role, 'Kafka rights')).toEqual([
      `ok: The user has the ${own.length} rights of the role ${role}.`,
    ]);
    expect((await diagnose(role, 'topics'))[0]).toMatch(/^ok: /);
    const [right] = own.slice(-1);
    if (!right) throw new Error('The role has no rights.');
    await kafka.revoke(`User:${role}`, [right]);
    let told: string[] = [];
    await until('the right is missing', async () => {
      told = await diagnose(role, 'Kafka rights');
      return told.some((line) => !line.startsWith('ok'));
    });
    expect(told.join('\n')).toContain(
      `The user lacks the right ${right.operation} on the ${right.resource} "${right.name}" of the role ${role}`,
    );
    await kafka.grant(`User:${role}`, [right]);
    await until(
      'it is back',
      async () => (await diagnose(role, 'Kafka rights'))[0]?.startsWith('ok') ?? false,
    );
  });

  test('tells when certificates end', async () => {
    const [login] = await diagnose('ops', 'Kafka TLS');
    expect(login).toMatch(
      /^warning: The certificate of localhost:\d+ expires on \S+, in 0 days: renew it before\.$/,
    );
    const { authority, addresses } = kafka;
    const certificate = await authority.issue({ name: 'doctor', days: 90 });
    const tls = {
      KAFKA_CA_FILE: authority.ca,
      KAFKA_CERT_FILE: certificate.cert,
      KAFKA_KEY_FILE: certificate.key,
    };
    const none = { KAFKA_SASL_MECHANISM: '', KAFKA_USERNAME: '', KAFKA_PASSWORD_FILE: '' };
    const expired = { ...tls, ...none, KAFKA_BROKERS: addresses.expired };
    expect(await diagnose('ops', 'Kafka TLS', expired)).toEqual([
      expect.stringMatching(/^failed: The certificate of \S+ expired on \S+: renew it\.$/),
      expect.stringMatching(/^ok: The client certificate "CN=doctor" of KAFKA_CERT_FILE is valid until /),
    ]);
    expect(await diagnose('ops', 'Kafka', expired)).toEqual([
      expect.stringMatching(/^failed: The certificate of .* has expired: renew it on the server\.$/),
    ]);
  });
});

test('a refused part reports it, retries, and works after its password is corrected', async () => {
  await kafka.setPassword('apply', 'another password');
  const apply = await start('apply');
  const sentence =
    'refuses the user "apply" or the password (SCRAM-SHA-512): correct KAFKA_USERNAME or KAFKA_PASSWORD_FILE.';
  await until('it is refused', () => apply.lines.some(({ msg }) => msg.endsWith(sentence)));
  expect(await apply.isReady()).toBe(false);
  await kafka.loginAs('apply', 'another password');
  await until('it works', () => apply.isReady());
  await apply.stop();
});

/** Does the work of a right. @returns the sentences of a failure, empty if it succeeds */
type Use = () => Promise<string[]>;

const failing =
  (action: () => Promise<unknown>): Use =>
  async () =>
    action().then(
      () => [],
      (error: Error) => [error.message],
    );

/** Runs a part of the service until it has reported a refusal, or is ready and has worked for a while. */
const running =
  (role: 'gateway' | ConsumersRole): Use =>
  async () => {
    const part = await start(role);
    const refusals = () => part.lines.map(({ msg }) => msg).filter((msg) => msg.includes('does not give'));
    try {
      await until('it works, or is refused', async () => refusals().length > 0 || part.isReady());
      return refusals();
    } finally {
      await part.stop();
    }
  };

/** Creates a topic again with too few partitions and other settings, or only deletes it. */
async function spoil(name: string, { isDeleted }: { isDeleted: boolean }): Promise<void> {
  await withAdmin(kafka.everything, async (admin) => {
    const listed = async () => (await admin.listTopics()).includes(name);
    if (await listed()) await admin.deleteTopics({ topics: [name] });
    await until('the topic is gone', async () => !(await listed()));
    if (isDeleted) return;
    const configEntries = [{ name: 'retention.ms', value: '1000' }];
    await createTopic(admin, { topic: name, numPartitions: 1, configEntries });
  });
}

/** Deletes the records of the changes topic, so that a repair has work. */
async function emptyChanges(): Promise<void> {
  await withAdmin(kafka.everything, async (admin) => {
    const ends = await admin.fetchTopicOffsets(topics.changes);
    const partitions = ends.map(({ partition, high }) => ({ partition, offset: high }));
    await admin.deleteTopicRecords({ topic: topics.changes, partitions });
  });
}

/** The work that needs a right. */
function chooseUse({ role, operation, resource, name, onlyConsole }: RoleRight): Use {
  const place = { brokers: brokersOf(role), topicPrefix: PREFIX };
  if (onlyConsole) return failing(() => loadRecentRejections(place, 10));
  if (role === 'producer') return failing(() => submit('producer', 'bakers-local-1'));
  if (role === 'gateway' && operation === 'Write') {
    return failing(async () => {
      await inTransaction((client) => measureLag(client, place));
      await submit('gateway', 'bakers-local-1');
    });
  }
  if (role === 'gateway' || role === 'deliver') return running(role);
  if (role === 'relay') {
    if (operation !== 'DescribeConfigs') return running('relay');
    return failing(() => findChangesTopicProblems({ ...place, retentionMs: RETENTION_MS }));
  }
  if (role === 'apply') {
    if (operation === 'Write') {
      return async () => {
        const before = await endOffsets(topics.rejected);
        await submit('producer', 'nobody');
        return untilTold(async () => (await endOffsets(topics.rejected)) > before);
      };
    }
    if (resource === 'group') {
      return async () => {
        await submit('producer', 'coast-gazette');
        return untilTold(async () => (await committedOffsets()) === (await endOffsets(topics.submissions)));
      };
    }
    return running('apply');
  }
  if (operation === 'Write' && name === topics.changes) {
    return failing(async () => {
      await emptyChanges();
      await ops('stream repair');
    });
  }
  const commands: Record<string, string> = {
    [`Read ${topics.submissions}`]: 'submissions skip 0/1000 --reason none',
    [`Write ${topics.submissions}`]: 'submit -',
    [`Read ${topics.rejected}`]: 'rejected list --all',
    [`Read ${topics.changes}`]: 'stream check',
  };
  return failing(() =>
    ops(commands[`${operation} ${name}`] ?? '', { stdin: SUBMISSION }).catch((error: Error) => {
      // It has read the topic.
      if (!error.message.includes('none to skip')) throw error;
    }),
  );
}

/** Runs the role apply until it has reported a refusal, or this has happened. */
async function untilTold(isDone: () => Promise<boolean>): Promise<string[]> {
  const part = await start('apply');
  const refusals = () => part.lines.map(({ msg }) => msg).filter((msg) => msg.includes('does not give'));
  try {
    await until('it has done that, or is refused', async () => refusals().length > 0 || (await isDone()));
    return refusals();
  } finally {
    await part.stop();
  }
}

async function endOffsets(topic: string): Promise<number> {
  const offsets = await withAdmin(kafka.everything, (admin) => admin.fetchTopicOffsets(topic));
  return offsets.reduce((sum, { high }) => sum + Number(high), 0);
}

async function committedOffsets(): Promise<number> {
  const groupId = `${PREFIX}endorsement-apply`;
  const groups = await withAdmin(kafka.everything, (admin) =>
    admin.fetchOffsets({ groupId, topics: [topics.submissions] }),
  );
  return groups
    .flatMap(({ partitions }) => partitions)
    .reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0);
}

/** A right to describe comes with others; without those, it is missed first. */
const MISSED_FIRST: Partial<Record<string, string>> = {
  AlterConfigs: 'DescribeConfigs',
  [`gateway Write ${topics.submissions}`]: 'Describe',
};

function sentenceOf({ role, operation, resource, name }: RoleRight): string {
  const missed = MISSED_FIRST[`${role} ${operation} ${name}`] ?? MISSED_FIRST[operation] ?? operation;
  return (
    `Kafka at ${kafka.addresses.login} does not give the user "${role}" the right ${missed} on the ${resource} ` +
    `"${name}": grant it, as "npm run ops -- topics acls" shows`
  );
}

/** Checks that a right is necessary and sufficient: the work is refused without it, and succeeds once it is granted. */
async function expectNeeded(right: RoleRight, use: Use): Promise<void> {
  const principal = `User:${right.role}`;
  await kafka.revoke(principal, [right]);
  let told: string[] = [];
  await until('it is refused', async () => {
    told = await use();
    return told.length > 0;
  });
  expect(told.join('\n')).toContain(sentenceOf(right));
  await kafka.grant(principal, [right]);
  await until('it works again', async () => {
    told = await use();
    return told.length === 0;
  });
}

const named = (rights: RoleRight[]) =>
  rights.map((right) => [`${right.role}: ${right.operation} on ${right.name}`, right] as const);

describe('every right of the table is needed', () => {
  // A deliverer reads the stream only if there is a webhook.
  beforeAll(() =>
    withClient(database.url, (client) =>
      client.query(
        `INSERT INTO webhooks (account_id, name, url, filter, secret, cursor, state, reason, created_at, updated_at)
         SELECT id, 'x', 'https://x.test/', '{}', 'x', 'v1', 'disabled', 'by_account', now(), now() FROM accounts`,
      ),
    ),
  );

  test.each(named(ALL.filter(({ operation }) => !/^(Create|Alter)/.test(operation))))('%s', (_, right) =>
    expectNeeded(right, chooseUse(right)),
  );

  test.each(named(TO_MAKE_TOPICS))('%s', (_, right) =>
    expectNeeded(right, async () => {
      await spoil(right.name, { isDeleted: right.operation === 'Create' });
      return failing(() => ops('topics apply', { prefix: SPOILT }))();
    }),
  );
});
