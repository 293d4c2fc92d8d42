import { expect, test } from '@jest/globals';
import { checkDraft, checkRecord } from '../../administration/catalogue/check-record.ts';
import { type JsonLine, readNdjson } from '../../administration/catalogue/ndjson.ts';
import { createRefusalList, MAX_LISTED, nameOfRecord } from '../../administration/catalogue/refusal-list.ts';
import type { Draft } from '../../intake/catalogue/draft.ts';
import { choice, contest, endorser } from '../helpers/ballots/catalogue-records.ts';

test('a list of refusals keeps the first hundred, counts all, and counts a thousand reasons apart', () => {
  const list = createRefusalList();
  for (let line = 1; line <= 1002; line += 1) {
    list.add({ file: 'a.ndjson', line, field: `field${line}`, message: 'is missing', name: null });
  }
  // A reason that is counted already still counts.
  list.add({ file: 'a.ndjson', line: 2000, field: 'field1', message: 'is missing', name: null });
  expect([list.total, list.kept.length, list.kept.at(-1)?.line]).toEqual([1003, MAX_LISTED, MAX_LISTED]);
  expect([list.counts.length, list.counts[0]?.count, list.counts.at(-1)?.field]).toEqual([
    1000,
    2,
    'field1000',
  ]);
});

test('refusals of different files, fields or reasons count apart', () => {
  const list = createRefusalList();
  const refusal = {
    file: 'a.ndjson',
    line: 1,
    field: 'slug' as string | null,
    message: 'is missing',
    name: null,
  };
  list.add(refusal);
  list.add({ ...refusal, file: 'b.ndjson' });
  list.add({ ...refusal, field: null });
  list.add({ ...refusal, message: 'must be text' });
  list.add({ ...refusal, line: 9, name: 'x' });
  expect(list.counts.map(({ count }) => count)).toEqual([2, 1, 1, 1]);
});

test.each<[unknown, string | null]>([
  [{ key: 'a/b', slug: 'b', title: 'B' }, 'a/b'],
  [{ key: 7, slug: 'b', name: 'B' }, 'b'],
  [{ name: 'B', title: 'C' }, 'B'],
  [{ title: 'C' }, 'C'],
  [{ endorser: 'acme', contest: 'a/b', choice: 'ann', title: 'C' }, 'acme in a/b: ann'],
  [{ endorser: 'acme', contest: 'a/b', choice: 7 }, 'acme in a/b'],
  [{ endorser: 'acme', title: 'C' }, 'C'],
  [{ slug: 'x'.repeat(121) }, `${'x'.repeat(120)}…`],
  [{ url: 'https://a.example' }, null],
  [null, null],
  ['text', null],
])('the name of the record %j is %j', (record, name) => {
  expect(nameOfRecord(record)).toBe(name);
});

test('a record that is refused has each of its problems listed with its line and name, and keeps its key', () => {
  const list = createRefusalList();
  const right = checkRecord('endorsers', 'a.ndjson', 3, endorser(), list);
  expect([right.key, right.record !== null, list.total]).toEqual(['bakers-local-1', true, 0]);
  const wrong = checkRecord('endorsers', 'a.ndjson', 4, endorser({ name: 7, state: 'XX' }), list);
  expect(wrong).toEqual({
    kind: 'endorsers',
    file: 'a.ndjson',
    line: 4,
    key: 'bakers-local-1',
    record: null,
  });
  expect(list.kept.map(({ file, line, field, name }) => [file, line, field, name]).sort()).toEqual([
    ['a.ndjson', 4, 'name', 'bakers-local-1'],
    ['a.ndjson', 4, 'state', 'bakers-local-1'],
  ]);
});

test('problems of a choice from a table are listed with the line of the choice, others with that of the contest', () => {
  const draftOf = (choices: object[], more: object = {}) =>
    ({
      ...{ kind: 'contests', line: 10, problems: [], choiceLines: [10, 12, 15] },
      ...{ record: contest('mayor', { choices }), ...more },
    }) as unknown as Draft;
  const list = createRefusalList();
  const good = ['ann', 'bob', 'cyd'].map((key) => choice(key));
  expect(checkDraft('a.csv', draftOf(good), list)).toMatchObject({
    line: 10,
    key: 'or-2026-11-03-general/mayor',
  });
  expect(list.total).toBe(0);
  checkDraft('a.csv', draftOf([choice('ann'), choice('bob'), choice('cyd', { label: 7 })]), list);
  checkDraft('a.csv', draftOf([choice('ann', { label: 7 }), choice('bob')], { choiceLines: [11, 12] }), list);
  checkDraft('a.csv', draftOf([choice('ann', { label: 7 })], { choiceLines: undefined }), list);
  expect(list.kept.map(({ line, field }) => [line, field])).toEqual([
    [15, 'choices[2].label'],
    [11, 'choices[0].label'],
    [10, 'choices[0].label'],
  ]);
});

test('problems that were found in the table itself leave the record out, each with its own line or that of the record', () => {
  const list = createRefusalList();
  const problems = [
    { field: 'rank', message: 'is not a number' },
    { field: null, message: 'is there twice', line: 14 },
  ];
  const draft = { kind: 'contests', line: 10, problems, record: { ...contest('mayor'), key: '' } };
  expect(checkDraft('a.csv', draft as unknown as Draft, list)).toEqual({
    ...{ kind: 'contests', file: 'a.csv', line: 10, key: null, record: null },
  });
  expect(list.kept.map(({ line, message, name }) => [line, message, name])).toEqual([
    [10, 'is not a number', 'Title of mayor'],
    [14, 'is there twice', 'Title of mayor'],
  ]);
});

test('a line may be as long as its bound, wherever it is divided, and is refused a byte later', async () => {
  const [fitting, longer] = ['{"a":"é"}', '{"a":"éx"}'];
  const bytes = new TextEncoder().encode(`${fitting}\n${longer}\n${fitting}`);
  for (let place = 0; place <= bytes.length; place += 1) {
    const pieces = async function* () {
      yield bytes.subarray(0, place);
      yield bytes.subarray(place);
    };
    const lines: JsonLine[] = [];
    for await (const line of readNdjson('a.ndjson', pieces(), 10)) lines.push(line);
    expect(lines).toEqual([
      { line: 1, value: { a: 'é' } },
      { line: 2, fault: 'is longer than 10 bytes' },
      { line: 3, value: { a: 'é' } },
    ]);
  }
});
