import { writeFile } from 'node:fs/promises';
import { beforeEach, expect, test } from '@jest/globals';
import { foldText } from '../../intake/matching/words.ts';
import { saveAliases } from '../../store/intake/aliases.ts';
import { createIo, createRunner } from '../helpers/commands/command-io.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { useFolder } from '../helpers/use-folder.ts';

const run = createRunner('aliases');
const { url, client } = useTestDatabase();
const inFolder = useFolder();

async function aliases(...args: string[]) {
  const io = createIo({ DATABASE_URL: url });
  const error = await run(args, io).then(
    () => null,
    (thrown: Error) => thrown.message,
  );
  return { printed: io.printed, told: io.told, error };
}

beforeEach(async () => {
  await client.query('TRUNCATE intake_aliases, accounts RESTART IDENTITY CASCADE');
  await client.query("INSERT INTO accounts (name, plan) VALUES ('acme', 'free')");
});

const alias = (text: string, key = 'coast-gazette') => ({ kind: 'endorser', scope: '', text, key });

async function importLines(lines: readonly unknown[], ...flags: string[]) {
  const file = inFolder('aliases.ndjson');
  await writeFile(
    file,
    lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''),
  );
  return aliases('import', file, ...flags);
}
const textOf = ({ text }: { text: string }) => text;
/** The exported decisions, by their texts. */
const exported = async (...flags: string[]) =>
  (await aliases('export', ...flags)).printed
    .map((line) => JSON.parse(line))
    .sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));

test('decisions are imported into one list, and exported from it as they were', async () => {
  const common = [alias('gazette'), { kind: 'contest', scope: 'el', text: 'mayor', key: 'el/mayor' }];
  expect(await importLines(common)).toMatchObject({
    printed: ['2 of 2 decisions are new or changed.'],
    error: null,
  });
  await importLines([alias('gazette', 'bay-gazette')], '--account', 'acme');
  expect(await exported()).toEqual(common);
  expect(await exported('--account', 'acme')).toEqual([alias('gazette', 'bay-gazette')]);
  expect((await importLines([alias('gazette'), alias('herald', 'h')])).printed).toEqual([
    '1 of 2 decisions are new or changed.',
  ]);
  expect((await importLines([alias('gazette', 'other')])).printed).toEqual([
    '1 of 1 decisions are new or changed.',
  ]);
});

test('a decision about a name in Hangul, or within a contest of the longest key, is imported as it was exported', async () => {
  const long = `el/${'x'.repeat(200)}`;
  const decided = [
    { kind: 'choice', scope: long, text: foldText('김 철수'), key: 'kim' },
    { kind: 'endorser', scope: '', text: foldText('한인회'), key: 'hanin' },
  ] as const;
  await saveAliases(client, null, decided);
  const before = await exported();
  expect(await importLines(before)).toMatchObject({ printed: ['0 of 2 decisions are new or changed.'] });
  expect(await exported()).toEqual(before);
});

test('of a file with a line that is wrong nothing is imported, and each such line is told', async () => {
  const lines = [alias('gazette'), '{', { ...alias('herald'), kind: 'town' }, alias('herald')];
  const { told, error, printed } = await importLines(lines);
  expect(error).toBe('Nothing was imported: correct these lines first.');
  expect(told.join('\n')).toMatch(/aliases\.ndjson:2\b[\s\S]*aliases\.ndjson:3\b/);
  expect([printed, await exported()]).toEqual([[], []]);
});

test('more decisions than are in memory at a time are imported, listed and exported once each', async () => {
  const many = Array.from({ length: 2001 }, (_, at) => alias(`gazette ${at}`));
  expect((await importLines(many)).printed).toEqual(['2,001 of 2,001 decisions are new or changed.']);
  expect((await exported()).map(textOf)).toEqual(many.map(textOf).sort());
  const { printed } = await aliases('list');
  expect(printed[0]).toBe('ID\tKIND\tWITHIN\tTEXT\tMEANS\tDECIDED');
  expect(new Set(printed.slice(1).map((line) => line.split('\t')[0])).size).toBe(2001);
  expect(printed[1]).toMatch(/^\d+\tendorser\t-\tgazette 0\tcoast-gazette\t\d{4}-\d\d-\d\d$/);
});

test('decisions are forgotten by their ids in one list, all or none', async () => {
  await importLines([alias('a'), alias('b'), alias('c')]);
  await importLines([alias('a')], '--account', 'acme');
  const ids = (await aliases('list')).printed.slice(1).map((line) => line.split('\t')[0] ?? '');
  const [a = '', b = '', c = ''] = ids;
  expect((await aliases('forget', a, '4711', '4712')).error).toBe(
    'The list has no decision 4711, 4712: nothing was forgotten.',
  );
  expect((await aliases('forget', a, '--account', 'acme')).error).toContain(
    `no decision ${a}: nothing was forgotten`,
  );
  expect(await exported()).toHaveLength(3);
  expect(await aliases('forget', a, c, a)).toMatchObject({
    printed: ['2 decisions are forgotten.'],
    error: null,
  });
  expect(await exported()).toEqual([alias('b')]);
  expect(await exported('--account', 'acme')).toHaveLength(1);
  expect((await aliases('forget', b, 'b')).error).toBe('"b" is not an id: "aliases list" shows them.');
  const many = Array.from({ length: 1001 }, (_, at) => String(at + 1));
  expect((await aliases('forget', ...many)).error).toBe('At most 1,000 ids can be given at once.');
});

test.each([
  [['list', '--account', 'nobody'], 'There is no account "nobody"; "accounts list" shows every account.'],
  [['import', '/nowhere/aliases.ndjson'], 'There is no file /nowhere/aliases.ndjson.'],
  [['import', '/'], '/ is a folder: name a file in it.'],
])('%j is refused in a sentence', async (args, message) => {
  expect((await aliases(...args)).error).toBe(message);
});
