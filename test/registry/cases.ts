/**
 * The expected behaviour of `schemas register` and `schemas check` with any registry: the one for tests, and the real
 * one of `npm run test:registry`. Each case has its own subjects.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readSchemaVersions } from '../../schemas/avro-codec.ts';
import { createIo, createRunner, runToExit } from '../helpers/commands/command-io.ts';

const TYPE = 'application/vnd.schemaregistry.v1+json';
const run = createRunner('schemas');
const [, rejectionV2] = readSchemaVersions('submission-rejection').map((schema) => JSON.stringify(schema));
const [change = ''] = readSchemaVersions('endorsement-change').map((schema) => JSON.stringify(schema));
const STRANGER = JSON.stringify({
  type: 'record',
  name: 'Stranger',
  fields: [{ name: 'a', type: 'string' }],
});

/** A registry, and subjects that no other case uses. */
class Place {
  readonly prefix = `t${randomBytes(4).toString('hex')}-`;
  readonly #env: Record<string, string>;

  constructor(env: Record<string, string>) {
    this.#env = env;
  }

  /** The subject of a topic. */
  subject(topic: 'submissions' | 'submissions-rejected' | 'changes'): string {
    return `${this.prefix}endorsement-${topic}-value`;
  }

  async ops(subcommand: string): Promise<{ status: number; printed: string[]; told: string[] }> {
    const io = createIo({ ...this.#env, TOPIC_PREFIX: this.prefix });
    const status = await runToExit(run, [subcommand], io);
    return { status, printed: io.printed, told: io.told };
  }

  /** Calls the registry itself. */
  async call(method: string, path: string, body?: object): Promise<unknown> {
    const {
      SCHEMA_REGISTRY_URL: url,
      SCHEMA_REGISTRY_USERNAME: user,
      SCHEMA_REGISTRY_PASSWORD: password,
    } = this.#env;
    const login = Buffer.from(`${user}:${password}`).toString('base64');
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': TYPE, ...(user && { authorization: `Basic ${login}` }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    assert.ok(response.ok, `${method} ${path}: ${response.status}`);
    return JSON.parse(await response.text());
  }

  async put(subject: string, schema: string): Promise<void> {
    await this.call('POST', `/subjects/${subject}/versions`, { schema });
  }

  async setLevel(subject: string, compatibility: string): Promise<void> {
    await this.call('PUT', `/config/${subject}`, { compatibility });
  }
}

/** Without the differences between registries: the ids, and the default compatibility of a subject. */
const plain = (lines: string[]) =>
  lines.map((line) => line.replace(/id [0-9]+$/, 'id N').replace(/ in place of NONE$/, ''));
const REGISTER = 'run "npm run ops -- schemas register"';

/** Each gets the settings of a registry, and throws if the commands behave differently. */
export const CASES: Record<string, (env: Record<string, string>) => Promise<void>> = {
  'check names missing versions, register adds them in order, and both can be repeated': async (env) => {
    const place = new Place(env);
    const [submissions, rejected, changes] = [
      place.subject('submissions'),
      place.subject('submissions-rejected'),
      place.subject('changes'),
    ];
    assert.deepEqual(await place.ops('check'), {
      status: 1,
      printed: [submissions, rejected, changes].map((name) => `${name} is not in the registry: ${REGISTER}.`),
      told: ['3 differences between the registry and the schemas.'],
    });
    const first = await place.ops('register');
    assert.deepEqual([first.status, first.told], [0, []]);
    assert.deepEqual(plain(first.printed), [
      `${submissions}: endorsement-submission.v1 registered with id N`,
      `${submissions}: compatibility FULL_TRANSITIVE`,
      `${rejected}: submission-rejection.v1 registered with id N`,
      `${rejected}: compatibility FULL_TRANSITIVE`,
      `${rejected}: submission-rejection.v2 registered with id N`,
      `${changes}: endorsement-change.v1 registered with id N`,
      `${changes}: compatibility FULL_TRANSITIVE`,
    ]);
    assert.deepEqual(await place.ops('check'), {
      status: 0,
      printed: ['The registry has all 4 schemas of 3 subjects, with the compatibility FULL_TRANSITIVE.'],
      told: [],
    });
    const again = await place.ops('register');
    const expected = first.printed
      .filter((line) => !line.includes('compatibility'))
      .map((line) => line.replace('registered with', 'was there, with'));
    assert.deepEqual(again, { status: 0, printed: expected, told: [] });
    const newest = (await place.call('GET', `/subjects/${rejected}/versions/2`)) as { schema: string };
    assert.deepEqual(JSON.parse(newest.schema), JSON.parse(rejectionV2 ?? ''));
  },

  'another compatibility is named, and corrected': async (env) => {
    const place = new Place(env);
    await place.ops('register');
    const subject = place.subject('changes');
    await place.setLevel(subject, 'BACKWARD');
    const { status, printed } = await place.ops('check');
    assert.deepEqual(
      [status, printed],
      [1, [`${subject} has the compatibility BACKWARD, not FULL_TRANSITIVE: ${REGISTER}.`]],
    );
    const { printed: corrected } = await place.ops('register');
    assert.ok(corrected.includes(`${subject}: compatibility FULL_TRANSITIVE in place of BACKWARD`));
    assert.equal((await place.ops('check')).status, 0);
  },

  'an older version is not registered after a newer one': async (env) => {
    const place = new Place(env);
    const subject = place.subject('submissions-rejected');
    await place.put(subject, rejectionV2 ?? '');
    const sentence =
      `${subject} has submission-rejection.v2 but not submission-rejection.v1, which would come after it now: delete ` +
      `the versions of the subject in the registry, then ${REGISTER}.`;
    const { printed } = await place.ops('check');
    assert.ok(printed.includes(sentence), printed.join('\n'));
    const { status, told } = await place.ops('register');
    assert.deepEqual([status, told], [1, [sentence]]);
    assert.deepEqual(await place.call('GET', `/subjects/${subject}/versions`), [1]);
  },

  'a strange and incompatible version is named, and stops register': async (env) => {
    const place = new Place(env);
    const subject = place.subject('changes');
    await place.put(subject, STRANGER);
    const checked = await place.ops('check');
    assert.equal(checked.status, 1);
    const told = checked.printed.join('\n');
    assert.match(told, new RegExp(`^${subject} lacks endorsement-change.v1: run `, 'm'));
    assert.match(
      told,
      new RegExp(`^${subject} has a version 1 \\(id [0-9]+\\) that this program does not know: `, 'm'),
    );
    const registered = await place.ops('register');
    assert.equal(registered.status, 1);
    assert.match(
      registered.told.join('\n'),
      new RegExp(
        `^The registry finds endorsement-change.v1 incompatible with the versions of ${subject} \\(HTTP 409`,
      ),
    );
    // The level is set by now, so the registry checks compatibility in both directions.
    const { printed } = await place.ops('check');
    assert.match(
      printed.join('\n'),
      new RegExp(
        `^The registry finds endorsement-change.v1 incompatible with version 1 of ${subject}: `,
        'm',
      ),
    );
    assert.deepEqual(await place.call('GET', `/subjects/${subject}/versions`), [1]);
  },

  'a version whose docs were edited is there': async (env) => {
    const place = new Place(env);
    const subject = place.subject('changes');
    await place.put(subject, JSON.stringify({ ...JSON.parse(change), doc: 'Other words.' }));
    const { printed } = await place.ops('register');
    assert.match(
      printed.join('\n'),
      new RegExp(`^${subject}: endorsement-change.v1 was there, with id [0-9]+$`, 'm'),
    );
    assert.equal((await place.ops('check')).status, 0);
  },

  'subjects can have the names of records': async (env) => {
    const place = new Place({ ...env, SCHEMA_REGISTRY_NAMING: 'topic-record' });
    const { printed } = await place.ops('register');
    const names = printed.map((line) => line.split(':')[0]);
    assert.ok(names.includes(`${place.prefix}endorsement-changes-ballot.endorsements.EndorsementChange`));
    assert.equal((await place.ops('check')).status, 0);
  },
};
