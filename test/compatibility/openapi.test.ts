/**
 * The OpenAPI description breaks nothing of the last release's, as docs/compatibility.md promises. At a release,
 * `UPDATE_RELEASED=1 npm test -- test/compatibility` stores the current one.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { createOpenApi } from '../../gateway/http/openapi.ts';
import { routes } from '../../gateway/routes/index.ts';
import { findProgram } from '../helpers/servers/find-program.ts';
import { useFolder } from '../helpers/use-folder.ts';

const released = (name: string) => fileURLToPath(new URL(`released/${name}`, import.meta.url));
const RELEASED = released('openapi.json');
/** More changes that break generated clients, beyond oasdiff's own errors. */
const LEVELS = fileURLToPath(new URL('oasdiff-levels.txt', import.meta.url));

const built = path.resolve('.cache/oasdiff/oasdiff');
const oasdiff = existsSync(built) ? built : findProgram('oasdiff');
/** Skips without oasdiff, which `.ci/oasdiff` builds. */
const oasdiffTest = oasdiff === null ? test.skip : test;

const inFolder = useFolder();

// biome-ignore lint/suspicious/noExplicitAny: the changes below reach deep into the document.
type AnyDocument = any;

const present = (): AnyDocument => JSON.parse(JSON.stringify(createOpenApi(routes)));

/** The ids of the breaks between two descriptions. */
async function findBreaks(before: string, after: AnyDocument): Promise<string[]> {
  const file = inFolder('after.json');
  await writeFile(file, JSON.stringify(after));
  const args = ['breaking', '--severity-levels', LEVELS, '--format', 'json', before, file];
  const output = await new Promise<string>((resolve, reject) => {
    execFile(String(oasdiff), args, { maxBuffer: 2 ** 26 }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    );
  });
  const found: { id: string; text: string; path?: string }[] = output.startsWith('[')
    ? JSON.parse(output)
    : [];
  return found.map(({ id, text, path: where = '' }) => `${id}: ${where} ${text}`);
}

oasdiffTest('the description breaks nothing of the last release', async () => {
  if (process.env.UPDATE_RELEASED) await writeFile(RELEASED, `${JSON.stringify(present(), null, 1)}\n`);
  expect(await findBreaks(RELEASED, present())).toEqual([]);
});

/** A change of the current description, to compare with the description itself. */
async function breaksOf(change: (document: AnyDocument) => void): Promise<string[]> {
  const before = inFolder('before.json');
  await writeFile(before, JSON.stringify(present()));
  const changed = present();
  change(changed);
  const breaks = await findBreaks(before, changed);
  return [...new Set(breaks.map((line) => line.slice(0, line.indexOf(':'))))];
}

const schemas = (document: AnyDocument) => document.components.schemas;
const list = (document: AnyDocument) => document.paths['/v1/elections'].get;

describe('a break is', () => {
  const testBreak = (name: string, id: string, change: (document: AnyDocument) => void) =>
    oasdiffTest(name, async () => {
      expect(await breaksOf(change)).toContain(id);
    });

  testBreak('a removed field', 'response-required-property-removed', (document) => {
    delete schemas(document).Choice.properties.party;
    schemas(document).Choice.required.splice(schemas(document).Choice.required.indexOf('party'), 1);
  });
  testBreak('a removed optional field', 'response-optional-property-removed', (document) => {
    delete schemas(document).Choice.properties.party_label;
  });
  testBreak('a field that becomes nullable', 'response-property-became-nullable', (document) => {
    schemas(document).Choice.properties.label.type = ['string', 'null'];
  });
  testBreak('another type', 'response-property-type-changed', (document) => {
    schemas(document).Choice.properties.label.type = 'integer';
  });
  testBreak('a required parameter', 'new-required-request-parameter', (document) => {
    list(document).parameters.push({ name: 'x', in: 'query', required: true, schema: {} });
  });
  testBreak('a removed parameter', 'request-parameter-removed', (document) => {
    list(document).parameters.shift();
  });
  testBreak('a removed word of a parameter', 'request-parameter-enum-value-removed', (document) => {
    schemas(document).Language.enum.pop();
  });
  testBreak('a new word in answers', 'response-property-enum-value-added', (document) => {
    schemas(document).Agreement.enum.push('unknown');
  });
  testBreak('a new kind of frame in the stream', 'response-body-one-of-added', (document) => {
    schemas(document).ServerSentEvent.oneOf.push({ $ref: '#/components/schemas/StreamReady' });
  });
  testBreak('a new required field of a body', 'request-property-became-required', (document) => {
    schemas(document).SubscriptionBody.required.push('filter');
  });
  testBreak('a removed operation', 'api-path-removed-without-deprecation', (document) => {
    delete document.paths['/v1/coverage'];
  });
  testBreak('a renamed operation', 'api-operation-id-removed', (document) => {
    list(document).operationId = 'elections';
  });
  testBreak('an error whose description is removed', 'response-non-success-status-removed', (document) => {
    delete list(document).responses['400'];
  });
  testBreak('a removed header', 'required-response-header-removed', (document) => {
    delete list(document).responses['200'].headers.ETag;
  });
});

describe('compatible changes are', () => {
  const testCompatible = (name: string, change: (document: AnyDocument) => void) =>
    oasdiffTest(name, async () => {
      expect(await breaksOf(change)).toEqual([]);
    });

  testCompatible('a new field of a record', (document) => {
    schemas(document).Choice.properties.more = { type: 'string' };
    schemas(document).Choice.required.push('more');
  });
  testCompatible('a new optional parameter', (document) => {
    list(document).parameters.push({ name: 'x', in: 'query', schema: { type: 'string' } });
  });
  testCompatible('a new operation', (document) => {
    const { get } = document.paths['/v1/coverage'];
    document.paths['/v1/new'] = { get: { ...get, operationId: 'getNew' } };
  });
  testCompatible('a new media type of an answer', (document) => {
    const { content } = list(document).responses['200'];
    content['application/x-ndjson'] = { schema: { $ref: '#/components/schemas/Election' } };
  });
  testCompatible('a new word that a parameter takes', (document) => {
    schemas(document).Language.enum.push('fr');
  });
  testCompatible('another description', (document) => {
    list(document).description = 'Elections.';
  });
});

test('Avro schemas of the last release are unchanged', async () => {
  const read = async (file: string) => JSON.parse(await readFile(file, 'utf8'));
  if (process.env.UPDATE_RELEASED) await cp('schemas/avro', released('avro'), { recursive: true });
  const names = await readdir(released('avro'));
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) {
    expect([name, await read(path.resolve('schemas/avro', name))]).toEqual([
      name,
      await read(released(`avro/${name}`)),
    ]);
  }
});
