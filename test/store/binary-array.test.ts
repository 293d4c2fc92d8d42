import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { binaryArray } from '../../store/connection/binary-array.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { character } from '../helpers/properties/arbitraries.ts';

const { client } = useTestDatabase();

const text = fc.string({ unit: character }).filter((each) => !each.includes('\0'));
const list = <T>(element: fc.Arbitrary<T>) => fc.array(fc.option(element), { maxLength: 20 });

async function echo<T>(
  type: 'bytea' | 'text' | 'jsonb',
  elements: readonly (string | Buffer | null)[],
): Promise<T[]> {
  const { rows } = await client.query<{ element: T }>(
    `SELECT element FROM unnest($1::${type}[]) WITH ORDINALITY AS echoed (element, n) ORDER BY n`,
    [binaryArray(type, elements)],
  );
  return rows.map(({ element }) => element);
}

test('Postgres reads texts as they are', () =>
  fc.assert(
    fc.asyncProperty(list(text), async (elements) => {
      // Like everywhere, Node replaces halves of surrogate pairs.
      const sent = elements.map((each) => each?.toWellFormed() ?? null);
      expect(await echo('text', elements)).toEqual(sent);
    }),
  ));

test('Postgres reads bytes as they are', () =>
  fc.assert(
    fc.asyncProperty(list(fc.uint8Array().map((each) => Buffer.from(each))), async (elements) => {
      expect(await echo('bytea', elements)).toEqual(elements);
    }),
  ));

test('Postgres reads JSON as it is', () =>
  fc.assert(
    fc.asyncProperty(
      list(fc.record({ text: text.map((each) => each.toWellFormed()), number: fc.integer() })),
      async (elements) => {
        const sent = elements.map((each) => (each === null ? null : JSON.stringify(each)));
        expect(await echo('jsonb', sent)).toEqual(elements);
      },
    ),
  ));
