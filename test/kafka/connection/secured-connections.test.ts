import { copyFile, readFile, rename } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { withAdmin } from '../../../kafka/connection/admin.ts';
import { createKafkaClient } from '../../../kafka/connection/client.ts';
import { readTopic } from '../../../kafka/reading/read-topic.ts';
import { TopicReader } from '../../../kafka/reading/topic-reader.ts';
import { type Message, openProducer } from '../../../kafka/writing/submissions-producer.ts';
import { type Brokers, readBrokers } from '../../../service/brokers.ts';
import { PLAIN_USER, SecureKafka } from '../../helpers/kafka/secure-kafka.ts';
import { createTopic } from '../../helpers/kafka/topics.ts';
import { encryptKey, TestAuthority } from '../../helpers/servers/certificates.ts';
import { messageOf, securedTest as test } from '../../helpers/servers/secured-test.ts';
import { until } from '../../helpers/until.ts';

const TOPIC = 'secured';
const SECRET = 'a secret, with = and ,';
let kafka: SecureKafka;
/** An authority that the broker does not know. */
let foreign: TestAuthority;

beforeAll(async () => {
  kafka = await SecureKafka.start();
  foreign = await TestAuthority.create(kafka.dir, 'foreign');
  await withAdmin(kafka.everything, (admin) => createTopic(admin, { topic: TOPIC }));
  await kafka.setPassword('ann', SECRET);
  kafka.tokens.secrets.set('bot', 'bot secret');
  const rights = (['Read', 'Write'] as const).map(
    (operation) => ({ operation, resource: 'topic', name: TOPIC }) as const,
  );
  for (const user of ['ann', PLAIN_USER.username, 'bot', 'CN=carl'])
    await kafka.grant(`User:${user}`, rights);
}, 180_000);
afterAll(() => kafka.stop());

function brokersOf(settings: Record<string, string>): Brokers {
  const brokers = readBrokers(settings);
  if (brokers === null) throw new Error('There are no brokers.');
  return brokers;
}

/** Writes with one client, and reads with the other. @returns the newest value of the topic */
async function writeAndRead(brokers: Brokers, message: Message): Promise<string | undefined> {
  const producer = await openProducer(brokers, TOPIC);
  await producer.send([message]);
  await producer.close();
  let last: string | undefined;
  for await (const { records } of readTopic({ brokers, topic: TOPIC, clientId: 'test' })) {
    last = records.at(-1)?.value?.toString() ?? last;
  }
  return last;
}

async function read(brokers: Brokers): Promise<void> {
  const reader = new TopicReader({ brokers, topic: TOPIC, clientId: 'test' });
  try {
    await reader.bounds();
  } finally {
    await reader.close();
  }
}

const describeAs = (brokers: Brokers) =>
  withAdmin(brokers, (admin) => admin.describeCluster(), { retries: 0 });

async function tokenSettings(secret = 'bot secret'): Promise<Record<string, string>> {
  return {
    KAFKA_BROKERS: kafka.addresses.login,
    KAFKA_CA_FILE: kafka.authority.ca,
    KAFKA_SASL_MECHANISM: 'OAUTHBEARER',
    KAFKA_OAUTH_TOKEN_URL: kafka.tokens.tokenUrl,
    KAFKA_OAUTH_CLIENT_ID: 'bot',
    KAFKA_OAUTH_CLIENT_SECRET_FILE: await kafka.write('bot-secret', secret),
    KAFKA_OAUTH_SCOPE: 'kafka',
  };
}

async function certificateSettings(name: string, days?: number): Promise<Record<string, string>> {
  const { cert, key } = await kafka.authority.issue({ name, subject: 'carl', ...(days && { days }) });
  return {
    KAFKA_BROKERS: kafka.addresses.certificate,
    KAFKA_CA_FILE: kafka.authority.ca,
    KAFKA_CERT_FILE: cert,
    KAFKA_KEY_FILE: key,
  };
}

describe('both clients write and read', () => {
  test.each<[string, () => Promise<Record<string, string>>]>([
    ['PLAIN', () => kafka.loginAs(PLAIN_USER.username, PLAIN_USER.password, 'PLAIN')],
    ['SCRAM-SHA-256', () => kafka.loginAs('ann', SECRET, 'SCRAM-SHA-256')],
    ['SCRAM-SHA-512', () => kafka.loginAs('ann', SECRET, 'SCRAM-SHA-512')],
    ['OAUTHBEARER', () => tokenSettings()],
    ['a client certificate', () => certificateSettings('carl')],
    [
      'a client certificate whose key is encrypted',
      async () => {
        const settings = await certificateSettings('locked-carl');
        return {
          ...settings,
          KAFKA_KEY_FILE: await encryptKey(settings.KAFKA_KEY_FILE ?? '', SECRET),
          KAFKA_KEY_PASSWORD_FILE: await kafka.write('key-password', SECRET),
        };
      },
    ],
    [
      'a server name',
      async () => ({
        ...(await kafka.loginAs('ann', SECRET)),
        KAFKA_BROKERS: kafka.addresses.login.replace('localhost', '127.0.0.1'),
        KAFKA_SERVER_NAME: 'localhost',
      }),
    ],
  ])('with %s', async (name, settings) => {
    const brokers = brokersOf(await settings());
    expect(await writeAndRead(brokers, { key: 'k', value: Buffer.from(name) })).toBe(name);
  });

  test('one token serves all connections', async () => {
    const brokers = brokersOf(await tokenSettings());
    const before = kafka.tokens.given;
    await Promise.all([read(brokers), describeAs(brokers), read(brokers)]);
    expect(kafka.tokens.given).toBe(before + 1);
  });

  test('connections outlive their short tokens', async () => {
    kafka.tokens.lifeSeconds = 4;
    const brokers = brokersOf(await tokenSettings());
    const producer = await openProducer(brokers, TOPIC);
    const reader = new TopicReader({ brokers, topic: TOPIC, clientId: 'test' });
    const before = kafka.tokens.given;
    try {
      await until('several tokens', async () => {
        await producer.send([{ key: 'k', value: Buffer.from('again') }]);
        await reader.bounds();
        return kafka.tokens.given >= before + 3;
      });
    } finally {
      kafka.tokens.lifeSeconds = 300;
      await reader.close();
      await producer.close();
    }
  });
});

type Settings = Record<string, string>;

describe('a refusal is one sentence, the same for both clients', () => {
  const certificateOf = () => `The certificate of Kafka at ${kafka.addresses.certificate}`;
  const atCertificate = () => `Kafka at ${kafka.addresses.certificate}`;
  const atLogin = () => `Kafka at ${kafka.addresses.login}`;
  const yesterday = new Date(Date.now() - 24 * 60 * 60 * 1000).toISOString().slice(0, 10);

  test.each<[string, () => Promise<Settings>, () => string]>([
    [
      'a wrong password of SCRAM',
      () => kafka.loginAs('ann', 'wrong'),
      () =>
        `${atLogin()} refuses the user "ann" or the password (SCRAM-SHA-512): correct KAFKA_USERNAME or KAFKA_PASSWORD_FILE.`,
    ],
    [
      'a wrong password of PLAIN, in the environment itself',
      async () => {
        const { KAFKA_PASSWORD_FILE: _, ...settings } = await kafka.loginAs('plain-user', 'unused', 'PLAIN');
        return { ...settings, KAFKA_PASSWORD: 'wrong' };
      },
      () =>
        `${atLogin()} refuses the user "plain-user" or the password (PLAIN): correct KAFKA_USERNAME or KAFKA_PASSWORD.`,
    ],
    [
      'an authority that is not trusted',
      async () => ({ ...(await certificateSettings('carl')), KAFKA_CA_FILE: foreign.ca }),
      () => `${certificateOf()} is signed by an authority that is not trusted: name its CA in KAFKA_CA_FILE.`,
    ],
    [
      'another server name',
      async () => ({ ...(await certificateSettings('carl')), KAFKA_SERVER_NAME: 'kafka.example' }),
      () => `${certificateOf()} is for DNS:localhost: correct the host, or set KAFKA_SERVER_NAME.`,
    ],
    [
      'an expired certificate of the broker',
      async () => ({ ...(await certificateSettings('carl')), KAFKA_BROKERS: kafka.addresses.expired }),
      () => `The certificate of Kafka at ${kafka.addresses.expired} has expired: renew it on the server.`,
    ],
    [
      'no client certificate',
      async () => ({ KAFKA_BROKERS: kafka.addresses.certificate, KAFKA_CA_FILE: kafka.authority.ca }),
      () => `${atCertificate()} asks for a client certificate: set KAFKA_CERT_FILE and its key.`,
    ],
    [
      'an expired client certificate',
      () => certificateSettings('old-carl', -1),
      () =>
        `${atCertificate()} refuses the client certificate "CN=carl" of KAFKA_CERT_FILE, which expired on ${yesterday}: renew it.`,
    ],
    [
      'a client certificate of an unknown authority',
      async () => {
        const { cert, key } = await foreign.issue({ name: 'foreign-carl', subject: 'carl' });
        return { ...(await certificateSettings('carl')), KAFKA_CERT_FILE: cert, KAFKA_KEY_FILE: key };
      },
      () =>
        `${atCertificate()} refuses the client certificate "CN=carl" of KAFKA_CERT_FILE: show one that its authority has signed.`,
    ],
    [
      'TLS on a listener without it',
      async () => ({
        ...(await certificateSettings('carl')),
        KAFKA_BROKERS: kafka.everything.addresses.join(','),
      }),
      () =>
        `Kafka at ${kafka.everything.addresses} ends the connection before TLS begins: correct the port or KAFKA_SECURITY_PROTOCOL.`,
    ],
    [
      'a wrong secret of OAuth',
      () => tokenSettings('wrong'),
      () =>
        `The token server ${kafka.tokens.tokenUrl} refuses the client "bot" (invalid_client): correct KAFKA_OAUTH_CLIENT_ID, KAFKA_OAUTH_CLIENT_SECRET and KAFKA_OAUTH_SCOPE.`,
    ],
    [
      'a token for another audience',
      async () => {
        kafka.tokens.audience = 'another';
        return tokenSettings();
      },
      () =>
        `${atLogin()} refuses the token of the client "bot": correct KAFKA_OAUTH_SCOPE, or the issuer and audience that the brokers expect.`,
    ],
  ])('%s', async (_, settings, sentence) => {
    const brokers = brokersOf(await settings());
    const told = [await messageOf(read(brokers)), await messageOf(describeAs(brokers))];
    kafka.tokens.audience = 'kafka';
    expect(told).toEqual([sentence(), sentence()]);
  });

  test('a listener of another protocol', async () => {
    const brokers = brokersOf({ KAFKA_BROKERS: kafka.addresses.login });
    expect(await messageOf(read(brokers))).toBe(
      `${atLogin()} speaks TLS: set KAFKA_SECURITY_PROTOCOL to SSL or SASL_SSL.`,
    );
    expect(await messageOf(describeAs(brokers))).toBe(
      `${atLogin()} ends the connection: check that its listener is PLAINTEXT, as KAFKA_SECURITY_PROTOCOL says.`,
    );
  });
});

/** Kafka's default number of threads for a listener's connections. */
const NETWORK_THREADS = 3;

describe('the same clients continue after a correction', () => {
  test('a password in its file', async () => {
    const brokers = brokersOf(await kafka.loginAs('ann', 'wrong'));
    const reader = new TopicReader({ brokers, topic: TOPIC, clientId: 'test' });
    const admin = createKafkaClient({ brokers, clientId: 'test', retries: 0 }).admin();
    expect(await messageOf(reader.bounds())).toMatch(/refuses the user "ann"/);
    await expect(admin.connect()).rejects.toThrow('SASL SCRAM SHA512 authentication failed');
    await kafka.loginAs('ann', SECRET);
    await expect(reader.bounds()).resolves.toHaveLength(1);
    await reader.close();
    await admin.connect();
    await admin.disconnect();
  });

  test('a client certificate and its key, replaced one after the other', async () => {
    const settings = await certificateSettings('rotated', -1);
    const brokers = brokersOf(settings);
    const reader = new TopicReader({ brokers, topic: TOPIC, clientId: 'test' });
    expect(await messageOf(reader.bounds())).toMatch(/which expired on .*: renew it\.$/);
    const { cert, key } = await kafka.authority.issue({ name: 'renewed', subject: 'carl' });
    await copyFile(cert, settings.KAFKA_CERT_FILE ?? '');
    expect(await messageOf(describeAs(brokers))).toMatch(/refuses the client certificate/);
    await copyFile(key, settings.KAFKA_KEY_FILE ?? '');
    await expect(reader.bounds()).resolves.toHaveLength(1);
    await reader.close();
    await describeAs(brokers);
  });

  test("the authority of the broker's new certificate, in the file of the old one", async () => {
    const settings = await kafka.loginAs('ann', SECRET);
    const file = await kafka.write('trusted.crt', await readFile(kafka.authority.ca, 'utf8'));
    const brokers = brokersOf({ ...settings, KAFKA_CA_FILE: file });
    await describeAs(brokers);
    await foreign.issue({ name: 'broker', subject: 'localhost' });
    await kafka.reloadCertificate();
    // The broker's network threads take connections in turn, and begin to show it at different times.
    await until('every thread of the broker shows it', async () => {
      const messages = [];
      for (let i = 0; i < 2 * NETWORK_THREADS; i += 1) messages.push(await messageOf(describeAs(brokers)));
      return messages.every((text) => text.endsWith('not trusted: name its CA in KAFKA_CA_FILE.'));
    });
    // Files are replaced by renaming, and are absent for a moment.
    await rename(file, `${file}.old`);
    expect(await messageOf(describeAs(brokers))).toMatch(/not trusted/);
    await copyFile(foreign.ca, file);
    await describeAs(brokers);
    await read(brokers);
  });
});
