import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import avro from 'avsc';
import { fingerprint, readSchemaVersions } from '../../schemas/avro-codec.ts';

/*
 * Messages outlive the program that wrote them, and during an upgrade two versions of the service run side by side. So
 * every version of a schema must read the values of every other version, and a released version is never edited.
 */
const released: Record<string, string> = JSON.parse(
  readFileSync(new URL('./avro-fingerprints.json', import.meta.url), 'utf8'),
);
const files = readdirSync(new URL('../../schemas/avro/', import.meta.url));
const names = [...new Set(files.map((file) => file.replace(/\.v[0-9]+\.avsc$/, '')))];

/** The incompatible pairs of versions, counted from 1. */
function findIncompatible(versions: readonly avro.Schema[]): string[] {
  const types = versions.map((schema) => avro.Type.forSchema(schema));
  return types.flatMap((writer, written) =>
    types.flatMap((reader, read) => {
      try {
        reader.createResolver(writer);
        return [];
      } catch {
        return [`v${read + 1} cannot read v${written + 1}`];
      }
    }),
  );
}

describe.each(names)('%s', (name) => {
  test('versions are numbered from 1 without a gap', () => {
    const numbered = readSchemaVersions(name).map((_, index) => `${name}.v${index + 1}.avsc`);
    expect(files.filter((file) => file.startsWith(`${name}.v`)).sort()).toEqual(numbered.sort());
  });

  test('every version reads the values of every other', () => {
    expect(findIncompatible(readSchemaVersions(name))).toEqual([]);
  });

  test('released versions are unchanged', () => {
    const problems = readSchemaVersions(name).flatMap((schema, index) => {
      const version = `${name}.v${index + 1}`;
      const actual = fingerprint(avro.Type.forSchema(schema)).toString('hex');
      if (released[version] === actual) return [];
      return released[version] === undefined
        ? [`${version}.avsc is new: write "${version}": "${actual}" into avro-fingerprints.json`]
        : [`${version}.avsc was edited after its release: restore it, and add ${name}.v${index + 2}.avsc`];
    });
    expect(problems).toEqual([]);
  });
});

test('no released version was removed', () => {
  expect(files).toEqual(expect.arrayContaining(Object.keys(released).map((version) => `${version}.avsc`)));
});

const recordOf = (fields: Record<string, object>): avro.Schema =>
  ({
    type: 'record',
    name: 'R',
    fields: Object.entries(fields).map(([name, field]) => ({ name, ...field })),
  }) as avro.Schema;
const A = { type: 'string' };

test.each([
  ['a new field with a default is', { a: A, b: { type: 'int', default: 0 } }, []],
  ['a new field without a default is not', { a: A, b: { type: 'int' } }, ['v2 cannot read v1']],
  ['a field less is not', {}, ['v1 cannot read v2']],
  ['another type is not', { a: { type: 'int' } }, ['v2 cannot read v1', 'v1 cannot read v2']],
])('compatibility: %s', (_, fields, expected) => {
  expect(findIncompatible([recordOf({ a: A }), recordOf(fields)])).toEqual(expected);
});
