/** The types of the TypeScript client match the service's description. */
import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { ENDORSEMENT_FILTER_FIELDS } from '../../../clients/typescript/src/filter-fields.ts';
import { FILTER_FIELDS } from '../../../schemas/vocabulary.ts';
import { CLIENT_TYPES, generateClientTypes } from '../../helpers/clients/client-types.ts';

const generated = await generateClientTypes();
const testGenerated = generated === null ? test.skip : test;
const SKIPPED = generated === null ? ' (skipped: openapi-typescript cannot be installed)' : '';

test('the client knows every field of filters', () => {
  expect(['types', ...ENDORSEMENT_FILTER_FIELDS].sort()).toEqual([...FILTER_FIELDS].sort());
});

testGenerated(`the client's types match the current description${SKIPPED}`, async () => {
  // If this fails: npm run client:types
  expect(await readFile(CLIENT_TYPES, 'utf8')).toBe(generated);
});
