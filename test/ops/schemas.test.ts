/** `schemas register` and `schemas check`, with a registry that can refuse in every way. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createIo, createRunner } from '../helpers/commands/command-io.ts';
import { createFolder } from '../helpers/folder.ts';
import { TestAuthority } from '../helpers/servers/certificates.ts';
import { SchemaRegistry } from '../helpers/servers/schema-registry.ts';
import { securedTest } from '../helpers/servers/secured-test.ts';
import { CASES } from '../registry/cases.ts';

const run = createRunner('schemas');
let registry: SchemaRegistry;
let folder: Awaited<ReturnType<typeof createFolder>>;

beforeAll(async () => {
  registry = await SchemaRegistry.start();
  folder = await createFolder({ password: 'a secret\n' });
});
afterAll(async () => {
  await registry.stop();
  await folder.remove();
});
beforeEach(() => {
  Object.assign(registry, { authorization: null, isReadOnly: false, hidesSubjects: false, failure: null });
});

test.each(Object.entries(CASES))('%s', async (_, check) => {
  await check({ SCHEMA_REGISTRY_URL: registry.url });
});

/** Runs a failing command. @returns its sentence */
async function refusalOf(args: string[], env: Record<string, string>): Promise<string> {
  return run(args, createIo(env)).then(
    () => 'It did not fail.',
    (error: Error) => error.message,
  );
}

const LOGIN = () => ({
  SCHEMA_REGISTRY_URL: registry.url,
  SCHEMA_REGISTRY_USERNAME: 'ann',
  SCHEMA_REGISTRY_PASSWORD_FILE: folder.file('password'),
});

describe('a login', () => {
  test('consists of a user and a password, or a token', async () => {
    registry.authorization = `Basic ${Buffer.from('ann:a secret').toString('base64')}`;
    await expect(run(['register'], createIo(LOGIN()))).resolves.toBe(0);
    registry.authorization = 'Bearer a secret';
    const env = { SCHEMA_REGISTRY_URL: registry.url, SCHEMA_REGISTRY_TOKEN_FILE: folder.file('password') };
    await expect(run(['register'], createIo(env))).resolves.toBe(0);
  });

  test('is named if it is missing or wrong', async () => {
    registry.authorization = 'Basic other';
    expect(await refusalOf(['check'], { SCHEMA_REGISTRY_URL: registry.url })).toBe(
      `The schema registry ${registry.url} asks for a login: set SCHEMA_REGISTRY_USERNAME and ` +
        'SCHEMA_REGISTRY_PASSWORD_FILE, or SCHEMA_REGISTRY_TOKEN_FILE.',
    );
    expect(await refusalOf(['check'], LOGIN())).toBe(
      `The schema registry ${registry.url} refuses the user "ann" or the password (HTTP 401, Unauthorized): correct ` +
        'SCHEMA_REGISTRY_USERNAME or SCHEMA_REGISTRY_PASSWORD_FILE.',
    );
    expect(
      await refusalOf(['check'], { SCHEMA_REGISTRY_URL: registry.url, SCHEMA_REGISTRY_TOKEN: 'wrong' }),
    ).toBe(
      `The schema registry ${registry.url} refuses the token (HTTP 401, Unauthorized): correct SCHEMA_REGISTRY_TOKEN.`,
    );
  });
});

describe('a registry that cannot be used is reported in one sentence', () => {
  test('none is named', async () => {
    expect(await refusalOf(['check'], {})).toMatch(/^SCHEMA_REGISTRY_URL is not set; it must be /);
  });

  test('none answers', async () => {
    const other = await SchemaRegistry.start();
    const { url } = other;
    await other.stop();
    expect(await refusalOf(['check'], { SCHEMA_REGISTRY_URL: url })).toBe(
      `The schema registry ${url} does not answer (ECONNREFUSED): start it, or correct SCHEMA_REGISTRY_URL.`,
    );
  });

  test.each([200, 301, 404])('another server answers with %i', async (status) => {
    registry.failure = status;
    expect(await refusalOf(['check'], { SCHEMA_REGISTRY_URL: registry.url })).toBe(
      `${registry.url} answers (HTTP ${status}), but not as a schema registry: correct SCHEMA_REGISTRY_URL. Some ` +
        'registries need a path, such as /apis/ccompat/v7 of Apicurio.',
    );
  });

  test('it fails, or forbids', async () => {
    registry.failure = 500;
    expect(await refusalOf(['check'], { SCHEMA_REGISTRY_URL: registry.url })).toBe(
      `The schema registry ${registry.url} fails (HTTP 500): see its log.`,
    );
    registry.failure = 403;
    expect(await refusalOf(['check'], LOGIN())).toBe(
      `The schema registry ${registry.url} does not let the user "ann" do that (HTTP 403): grant it reading and ` +
        'writing of the subjects.',
    );
  });

  test('it hides subjects that the user may not write', async () => {
    registry.hidesSubjects = true;
    expect(await refusalOf(['register'], { ...LOGIN(), TOPIC_PREFIX: 'hidden-' })).toBe(
      `The schema registry ${registry.url} does not let the user "ann" do that (HTTP 404, Subject not found.): grant ` +
        'it reading and writing of the subjects.',
    );
  });

  test('it is read-only', async () => {
    registry.isReadOnly = true;
    const env = { SCHEMA_REGISTRY_URL: registry.url, TOPIC_PREFIX: 'new-' };
    expect(await refusalOf(['register'], env)).toBe(
      `The schema registry ${registry.url} is read-only (HTTP 422, Subject is in read-only mode): set the mode of the ` +
        'registry and of its subjects to READWRITE.',
    );
  });

  test.each<[string, Record<string, string>, string]>([
    [
      'a user in the address',
      { SCHEMA_REGISTRY_URL: 'https://ann:secret@registry' },
      'SCHEMA_REGISTRY_URL holds a user: name it in SCHEMA_REGISTRY_USERNAME and SCHEMA_REGISTRY_PASSWORD_FILE.',
    ],
    [
      'no address',
      { SCHEMA_REGISTRY_URL: 'registry:8081' },
      'SCHEMA_REGISTRY_URL is "registry:8081"; it must be an address such as https://registry.example.org:8081.',
    ],
    [
      'a password without a user',
      { SCHEMA_REGISTRY_URL: 'https://registry', SCHEMA_REGISTRY_PASSWORD: 'secret' },
      'SCHEMA_REGISTRY_PASSWORD is set without SCHEMA_REGISTRY_USERNAME; set both or neither.',
    ],
    [
      'a token beside a user',
      {
        SCHEMA_REGISTRY_URL: 'https://registry',
        SCHEMA_REGISTRY_USERNAME: 'ann',
        SCHEMA_REGISTRY_TOKEN: 'secret',
      },
      'SCHEMA_REGISTRY_TOKEN and SCHEMA_REGISTRY_USERNAME are both set; unset one of them.',
    ],
    [
      'an unknown naming',
      { SCHEMA_REGISTRY_URL: 'https://registry', SCHEMA_REGISTRY_NAMING: 'topics' },
      'SCHEMA_REGISTRY_NAMING is "topics"; it must be one of topic, record, topic-record.',
    ],
    [
      'a token without TLS',
      { SCHEMA_REGISTRY_URL: 'http://registry', SCHEMA_REGISTRY_TOKEN: 'secret' },
      'SCHEMA_REGISTRY_TOKEN is set, but SCHEMA_REGISTRY_URL begins with http: and would show it to all: use https.',
    ],
  ])('%s', async (_, env, sentence) => {
    expect(await refusalOf(['check'], env)).toBe(sentence);
  });

  securedTest('with a certificate of an authority that is named, and of one that is not', async () => {
    const authority = await TestAuthority.create(folder.dir, 'authority');
    const { cert, key } = await authority.issue({ name: 'registry' });
    const [certificate, privateKey] = [await readFile(cert, 'utf8'), await readFile(key, 'utf8')];
    const secured = await SchemaRegistry.start({ cert: certificate, key: privateKey });
    try {
      const env = { SCHEMA_REGISTRY_URL: secured.url };
      expect(await refusalOf(['register'], env)).toBe(
        `The certificate of ${secured.url} is signed by an authority that is not trusted: name its CA in ` +
          'SCHEMA_REGISTRY_CA_FILE.',
      );
      const trusting = { ...env, SCHEMA_REGISTRY_CA_FILE: authority.ca };
      await expect(run(['register'], createIo(trusting))).resolves.toBe(0);
    } finally {
      await secured.stop();
    }
  });
});
