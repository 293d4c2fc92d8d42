import { expect, test } from '@jest/globals';
import { createRefusalList } from '../../administration/catalogue/refusal-list.ts';
import type { LineRefusal } from '../../store/catalogue/refusals.ts';

const refusal = (line: number, field: string, message: string): LineRefusal => ({
  ...{ file: 'contests.ndjson', line, field, message, name: null },
});

test('refusals count together whatever their places in lists and the values that were found', () => {
  const list = createRefusalList();
  list.add(refusal(1, 'choices[0].lines[2]', 'must be text, is 7'));
  list.add(refusal(2, 'choices[11].lines[0]', 'must be text, is null'));
  list.add(refusal(3, 'choices[0].key', 'must be text, is 7'));
  list.add({ ...refusal(4, '', 'is not JSON: Unexpected end of JSON input'), field: null });
  list.add({ ...refusal(5, '', 'is not JSON: Expected double-quoted property name'), field: null });
  expect(list.counts).toMatchObject([
    { field: 'choices[].lines[]', reason: 'must be text', count: 2 },
    { field: 'choices[].key', reason: 'must be text', count: 1 },
    { field: null, reason: 'is not JSON', count: 2 },
  ]);
});
