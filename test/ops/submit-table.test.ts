import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { submitTable } from '../../ops/submit/table/submit-table.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { loadCatalogue } from '../helpers/ballots/catalogue.ts';
import { choice, contest } from '../helpers/ballots/catalogue-records.ts';
import { TABLE_BALLOT } from '../helpers/ballots/table-ballot.ts';
import { createIo, createRunner, runToExit } from '../helpers/commands/command-io.ts';
import { createFolder } from '../helpers/folder.ts';
import { INHERITED_ENV } from '../helpers/service/inherited-env.ts';
import { useTestService } from '../helpers/service/service.ts';

const service = useTestService({ catalogue: TABLE_BALLOT });

let folder: Awaited<ReturnType<typeof createFolder>>;
beforeEach(async () => {
  folder = await createFolder({});
});
afterEach(() => folder.remove());

/** Runs `submit` or `aliases`. @returns its exit status and lines */
async function run(command: string, args: string[]) {
  const io = createIo(service.env('ops'));
  const status = await runToExit(createRunner(command), args, io);
  return { status, printed: io.printed, told: io.told, text: [...io.printed, ...io.told].join('\n') };
}

/** Writes a table, and submits it. */
async function submit(name: string, lines: string[], ...options: string[]) {
  await writeFile(folder.file(name), lines.map((line) => `${line}\r\n`).join(''));
  return run('submit', [...options, folder.file(name)]);
}

const GENERAL = ['--election', '2026-11-03', '--wait'];

/** The endorsements of an endorser, as `contest choice`. */
async function endorsementsOf(slug: string): Promise<string[]> {
  const { body } = await service.get(`/v1/endorsements?endorsers=${slug}&limit=500`);
  const found = body.data as { contest: { title: string }; choice: { label: string } }[];
  return found.map(({ contest: { title }, choice: { label } }) => `${title}: ${label}`).sort();
}

const countOf = (printed: string[], label: string) =>
  Number(printed.find((line) => line.trim().startsWith(`${label} `))?.match(/(\d+)$/)?.[1] ?? 0);

const HEAD = 'State,Race,District,Candidate,Position,Organization,URL,Date,Notes';

test('a table is sent as far as it is sure, and a person decides on the rest once', async () => {
  const lines = [
    HEAD,
    'OR,Governor,,"KOTEK, TINA (D)",Yes,Sierra Club,https://example.org/a,"Sept. 3, 2026",x',
    'Oregon,State Senate,D-4,Jose Nunez,Support,The Sierra Club,,9/4/26,',
    'OR,State Senate,4,Bob Smith,yes,Sierra Club,,,=1+1',
    'OR,State Senate,5,John Smith,yes,Sierra Club,,,',
    'OR,State Senate,5,John Smith Jr,yes,Sierra Club,,,',
    'OR,Measure 110,,,Oppose,Sierra Club,,,',
    'OR,Governor,,Christine Drazan,Oppose,Sierra Club,,,',
    'OR,Governor,,No endorsement,Yes,Sierra Club,,,',
    'OR,Dogcatcher,,Ann,Yes,Sierra Club,,,',
  ];
  const first = await submit('list.csv', lines, ...GENERAL);
  expect(first).toMatchObject({ status: 0 });
  const labels = ['rows', 'exact', 'close', 'ambiguous', 'none', 'not representable'];
  expect(labels.map((label) => countOf(first.printed, label))).toEqual([9, 4, 1, 1, 1, 2]);
  expect(first.printed).toContain('  Columns that are not used: Notes');
  expect(first.printed.at(-1)).toBe('4 applied: 4 made changes, 0 changed nothing, 0 rejected');
  const sent = [
    'Governor of Oregon: Tina Kotek',
    'Measure 110: Drug treatment: no',
    'State Senator, 4th District: José Núñez',
    'State Senator, 5th District: John Smith Jr.',
  ];
  expect(await endorsementsOf('sierra-club')).toEqual(sent);
  const { body } = await service.get('/v1/contests?limit=500&elections=or-2026-11-03-general');
  const governor = body.data.find(({ title }: { title: string }) => title === 'Governor of Oregon');
  const { body: one } = await service.get(`/v1/contests/${governor.id}`);
  expect(one.data.endorsements[0].picks[0]).toMatchObject({
    source_url: 'https://example.org/a',
    published_on: '2026-09-03',
  });

  const review = folder.file('list-review.csv');
  const text = await readFile(review, 'utf8');
  const [head = '', ...rows] = text.replace('\ufeff', '').trim().split('\r\n');
  expect(head).toBe(
    `${HEAD},match_grade,match_reason,proposed_endorser,proposed_contest,proposed_choice,decision`,
  );
  expect(rows.map((row) => row.split(',').slice(0, 4).join(','))).toEqual([
    'OR,State Senate,4,Bob Smith',
    'OR,State Senate,5,John Smith',
    'OR,Dogcatcher,,Ann',
  ]);
  expect(rows[0]).toContain(
    ",'=1+1,close,choice: a nickname stands for the name,sierra-club,or-2026-11-03-general/senate-4,smith,",
  );
  expect(rows[1]).toContain('John Smith Sr. (smith-sr) or John Smith Jr. (smith-jr)');

  const again = await submit('list.csv', lines, ...GENERAL);
  expect(again.told.at(-1)).toContain('list-review.csv exists already, and perhaps has decisions');
  expect((await submit('list.csv', lines, ...GENERAL, '--dry-run')).status).toBe(0);
  expect(await readFile(review, 'utf8')).toBe(text);

  const decisions = ['yes', 'smith-sr', 'no'];
  await writeFile(
    review,
    `\ufeff${[head, ...rows.map((row, at) => `${row}${decisions[at]}`)].join('\r\n')}\r\n`,
  );
  const decided = await run('submit', [...GENERAL, review]);
  expect(decided.told).toContain('2 decisions are remembered.');
  expect(countOf(decided.printed, 'decided')).toBe(2);
  expect(countOf(decided.printed, 'left out')).toBe(1);
  const all = [
    ...sent,
    'State Senator, 4th District: Robert J. Smith',
    'State Senator, 5th District: John Smith Sr.',
  ];
  expect(await endorsementsOf('sierra-club')).toEqual(all.sort());

  const second = await submit('next.csv', lines.slice(0, 6), ...GENERAL);
  expect(countOf(second.printed, 'exact')).toBe(5);
  expect(second.printed.at(-1)).toContain('0 rejected');
  expect(await endorsementsOf('sierra-club')).toEqual(all);

  const { printed: listed } = await run('aliases', ['list']);
  expect(listed.slice(1).map((line) => line.split('\t').slice(1, 5))).toEqual([
    ['choice', 'or-2026-11-03-general/senate-4', 'bob smith', 'smith'],
    ['choice', 'or-2026-11-03-general/senate-5', 'john smith', 'smith-sr'],
  ]);
  const { printed: exported } = await run('aliases', ['export']);
  const ids = listed.slice(1).map((line) => line.split('\t')[0] as string);
  expect((await run('aliases', ['forget', ...ids])).printed).toEqual(['2 decisions are forgotten.']);
  const forgotten = await submit('next.csv', lines.slice(0, 6), ...GENERAL, '--dry-run');
  expect([countOf(forgotten.printed, 'close'), countOf(forgotten.printed, 'ambiguous')]).toEqual([1, 1]);
  await writeFile(folder.file('aliases.ndjson'), `${exported.join('\n')}\n`);
  expect((await run('aliases', ['import', folder.file('aliases.ndjson')])).printed).toEqual([
    '2 of 2 decisions are new or changed.',
  ]);
  const known = await submit('next.csv', lines.slice(0, 6), ...GENERAL, '--dry-run');
  expect(countOf(known.printed, 'exact')).toBe(5);
});

const OPTIONS = [...GENERAL, '--endorser', 'coast-gazette'];

test('--replace withdraws what the table lacks, within the guard, and nothing while a row is open', async () => {
  const head = 'contest,choice,rank';
  const general = 'or-2026-11-03-general';
  const full = [
    head,
    ...['mayor,ann,', 'council,ann,', 'council,bob,', 'sheriff,ann,1', 'sheriff,bob,2', 'governor,kotek,'],
  ];
  const options = ['--endorser', 'coast-gazette', '--election', general, '--wait'];
  expect((await submit('full.csv', full, ...options)).printed.at(-1)).toContain('6 applied: 6 made changes');

  const swapped = [head, 'sheriff,ann,2', 'sheriff,bob,1', 'mayor,bob,', 'governor,kotek,'];
  const dry = await submit('less.csv', swapped, ...options, '--replace', '--dry-run');
  const effects = ['created', 'changed', 'unchanged', 'withdrawn'].map((effect) => `would be ${effect}`);
  expect(effects.map((effect) => countOf(dry.printed, effect))).toEqual([1, 2, 1, 3]);
  expect(dry.told).toEqual(['This was a dry run: nothing was sent.']);
  expect(await endorsementsOf('coast-gazette')).toHaveLength(6);

  const lines = [...swapped, 'governor,Tina Kotec,'];
  await submit('open.csv', lines, ...options, '--dry-run');
  await expect(readFile(folder.file('open-review.csv'))).rejects.toThrow('ENOENT');
  const open = await submit('open.csv', lines, ...options, '--replace');
  expect(open.told.at(-1)).toContain('Nothing was sent: 1 rows are open');
  expect(await endorsementsOf('coast-gazette')).toHaveLength(6);

  await expect(readFile(folder.file('open-review.csv'))).rejects.toThrow('ENOENT');
  const wide = ['contest,choice,rank,position', ...swapped.slice(1).map((line) => `${line},yes`)];
  const unclear = await submit('unclear.csv', [...wide, 'council,bob,,Leaning yes'], ...options, '--replace');
  expect(unclear.told.at(-1)).toContain('Nothing was sent: 1 rows are open');

  const replaced = await submit('less.csv', swapped, ...options, '--replace');
  expect(replaced.printed.at(-1)).toBe('4 applied: 3 made changes, 1 changed nothing, 0 rejected');
  expect(await endorsementsOf('coast-gazette')).toEqual([
    'Governor of Oregon: Tina Kotek',
    'Title of mayor: bob',
    'Title of sheriff: ann',
    'Title of sheriff: bob',
  ]);
});

test('a new decision replaces a remembered one, and names that are decided on in two ways are not remembered', async () => {
  const meanings = async () => {
    const { printed } = await run('aliases', ['list']);
    return printed.filter((line) => line.includes('j smith')).map((line) => line.split('\t')[4]);
  };
  const decide = (...keys: string[]) =>
    submit(
      'decided.csv',
      ['contest,choice,decision,proposed_contest', ...keys.map((key) => `State Senate 5,J. Smith,${key},`)],
      ...['--endorser', 'coast-gazette', '--election', 'or-2026-11-03-general', '--wait'],
    );
  expect((await decide('smith-sr')).told).toContain('1 decisions are remembered.');
  expect((await decide('smith-jr', 'smith-jr', '')).told).toContain('1 decisions are remembered.');
  expect(await meanings()).toEqual(['smith-jr']);
  const { told, printed } = await decide('smith-sr', 'smith-jr', 'smith-jr', '');
  expect(told).not.toContain('1 decisions are remembered.');
  expect([countOf(printed, 'decided'), countOf(printed, 'ambiguous')]).toEqual([3, 1]);
  expect(await meanings()).toEqual(['smith-jr']);
});

test('--replace refuses a review file, which lacks the rows that were sure', async () => {
  const options = ['--endorser', 'nation-herald', '--election', 'or-2026-11-03-general', '--wait'];
  await submit('sure.csv', ['contest,choice', 'mayor,ann', 'State Senate 4,Jose Nunes'], ...options);
  const text = await readFile(folder.file('sure-review.csv'), 'utf8');
  const decided = text.trim().replace(/,$/, ',yes').split('\r\n');
  const replaced = await submit('decided.csv', decided, ...options, '--replace');
  expect(replaced.told.at(-1)).toMatch(/^Nothing was sent: a review file has only .* Send it without/);
  expect(await endorsementsOf('nation-herald')).toEqual(['Title of mayor: ann']);
  // A copy of the whole table can have the columns of the review as well.
  const copy = [decided[0] ?? '', `mayor,ann${','.repeat(6)}`, ...decided.slice(1)];
  await submit('copy.csv', copy, ...options, '--replace');
  expect(await endorsementsOf('nation-herald')).toEqual([
    'State Senator, 4th District: José Núñez',
    'Title of mayor: ann',
  ]);
  await submit('end.csv', ['contest,choice', 'mayor,none'], ...options, '--replace');
});

test('what a table has no column for stays as it is stored, and a file sent again changes nothing', async () => {
  const options = ['--endorser', 'bakers-local-1', '--election', 'or-2026-11-03-general', '--wait'];
  const full = [
    'contest,choice,rank,statement,source',
    'sheriff,ann,2,"Good,\nreally.",a letter',
    'sheriff,bob,1,,',
  ];
  expect((await submit('full.csv', full, ...options)).printed.at(-1)).toContain('2 applied: 2 made changes');
  for (const more of [[], ['--replace']]) {
    const again = await submit(
      'names.csv',
      ['contest,choice', 'sheriff,bob', 'sheriff,ann'],
      ...options,
      ...more,
    );
    expect(again.printed.at(-1)).toContain('0 made changes');
  }
  const { body } = await service.get('/v1/endorsements?endorsers=bakers-local-1');
  const { body: ann } = await service.get(`/v1/endorsements/${body.data[0].id}`);
  expect(ann.data).toMatchObject({ rank: 2, statement: 'Good,\nreally.', source_url: null });
  for (const more of [[], ['--replace']]) {
    const twice = ['contest,choice,statement', 'sheriff,ann,Later.', 'sheriff,bob,', 'sheriff,ann,Last.'];
    const repeated = await submit('twice.csv', twice, ...options, ...more);
    expect(countOf(repeated.printed, 'repeated')).toBe(1);
    const { body: last } = await service.get(`/v1/endorsements/${body.data[0].id}`);
    expect(last.data).toMatchObject({ rank: 2, statement: 'Last.' });
  }
  const cleared = await submit('empty.csv', ['contest,choice,statement', 'sheriff,ann,'], ...options);
  expect(cleared.printed.at(-1)).toContain('1 made changes');
});

test('a source replaces the source alone among the details', async () => {
  const [endorser, contest, choice] = ['sierra-club', 'or-2026-11-03-general/council', 'dee'];
  const details = { page: 4, source: 'a letter' };
  const record = JSON.stringify({ endorser, contest, choice, details });
  await writeFile(folder.file('endorsements.ndjson'), record);
  await run('submit', ['--wait', folder.file('endorsements.ndjson')]);
  const detailsAfter = async (source: string) => {
    const lines = ['contest,choice,source', `${contest},${choice},${source}`];
    const sent = await submit('list.csv', lines, ...GENERAL, '--endorser', endorser);
    expect(sent.printed.at(-1)).toContain('0 rejected');
    return service.query(
      `SELECT n.details FROM endorsements n JOIN endorsers e ON e.id = n.endorser_id JOIN contests c ON c.id = n.contest_id
       WHERE e.slug = $1 AND c.key = $2`,
      [endorser, contest],
    );
  };
  expect(await detailsAfter('a call')).toEqual([{ details: { page: 4, source: 'a call' } }]);
  expect(await detailsAfter('https://example.org/a')).toEqual([{ details: { page: 4 } }]);
});

test('--replace withdraws all endorsements of an endorser whose rows are only such as "No endorsement"', async () => {
  const head = 'organization,race,candidate,position';
  const options = ['--election', 'or-2026-11-03-general', '--wait'];
  const both = [head, 'Nation Herald,governor,Tina Kotek,Yes', 'Coast Gazette,governor,Tina Kotek,Yes'];
  await submit('both.csv', both, ...options, '--replace', '--allow-removals', '100');
  const one = [head, 'Nation Herald,governor,No endorsement,', 'Coast Gazette,governor,Tina Kotek,Yes'];
  const plain = await submit('one.csv', one, ...options);
  expect(plain.printed.at(-1)).toContain('0 made changes');
  const replaced = await submit('one.csv', one, ...options, '--replace');
  expect(countOf(replaced.printed, 'withdrawn')).toBe(1);
  expect(await endorsementsOf('nation-herald')).toEqual([]);
  expect(await endorsementsOf('coast-gazette')).toEqual(['Governor of Oregon: Tina Kotek']);
});

test('--replace needs consent to withdraw many endorsements', async () => {
  const contests = ['mayor', 'council', 'sheriff'];
  const choices = ['ann', 'bob', 'cyd', 'dee'];
  const rows = contests.flatMap((each) => choices.map((key) => `${each},${key}`));
  const options = ['--endorser', 'nation-herald', '--election', 'or-2026-11-03-general', '--wait'];
  await submit('many.csv', ['contest,choice', ...rows], ...options);
  expect(await endorsementsOf('nation-herald')).toHaveLength(12);
  const few = ['contest,choice', ...rows.slice(0, 7)];
  const refused = await submit('few.csv', few, ...options, '--replace');
  expect(refused.told.at(-1)).toContain('nation-herald in or-2026-11-03-general: 5 of 12 endorsements');
  expect(await endorsementsOf('nation-herald')).toHaveLength(12);
  await submit('few.csv', few, ...options, '--replace', '--allow-removals', '5');
  expect(await endorsementsOf('nation-herald')).toHaveLength(7);
});

test('--replace sends nothing if a position would have more choices than a submission can', async () => {
  const keys = Array.from({ length: 501 }, (_, at) => `person-${at}`);
  const crowd = contest('throng', { choices: keys.map((key) => choice(key)) });
  await loadCatalogue(service.databaseUrl, [...TABLE_BALLOT, ['contests', crowd]]);
  const options = ['--endorser', 'bakers-local-1', '--election', 'or-2026-11-03-general', '--replace'];
  const rows = keys.map((key) => `throng,${key}`);
  const { told } = await submit('throng.csv', ['contest,choice', ...rows], ...options);
  expect(told).toEqual([
    'Nothing was sent: bakers-local-1 has more than 500 choices in or-2026-11-03-general/throng, and a position has at most 500.',
  ]);
});

test('refused rows stop a table unless they are skipped, and reports are written', async () => {
  const lines = [
    'contest,choice,Date,rank',
    'mayor,ann,yesterday,',
    'mayor,cyd,2999-01-01,',
    'mayor,bob,"Nov. 3, 2026",1',
    'mayor,cyd,,,too,many',
    `mayor,${'('.repeat(90_000)},,`,
    'mayor,dee,,',
  ];
  const options = ['--endorser', 'coast-gazette', '--election', 'or-2026-11-03-general', '--wait'];
  const report = folder.file('report.html');
  const begun = performance.now();
  const refused = await submit('bad.csv', lines, ...options, '--report', report);
  expect(performance.now() - begun).toBeLessThan(10_000);
  expect(refused.status).toBe(1);
  expect(refused.text).toContain('has the date "yesterday"; it must be like 11/3/2026');
  expect(refused.text).toContain('Date must not be later than tomorrow');
  expect(refused.text).toContain('has the rank 1, and the contest or-2026-11-03-general/mayor has no ranks');
  expect(refused.text).toContain('has 6 cells, and the header 4');
  expect(refused.text).toContain('has more than 1,000 characters in the choice');
  expect(refused.told.at(-1)).toContain('Nothing was sent.');
  expect(await readFile(report, 'utf8')).toContain('<h1>Endorsements of bad.csv</h1>');
  const json = folder.file('report.json');
  const skipped = await submit('bad.csv', lines, ...options, '--skip-refused', '--report', json);
  expect(skipped.printed).toContain('1 submissions sent');
  const { counts } = JSON.parse(await readFile(json, 'utf8'));
  expect(counts).toContainEqual({ label: 'refused', count: 5 });
});

test('an empty position beside a choice is not an endorsement, unless the table has positions for measures alone', async () => {
  const options = [
    '--endorser',
    'bakers-local-1',
    '--election',
    'or-2026-11-03-general',
    '--accept-close',
    '--dry-run',
  ];
  const head = 'race,candidate,position';
  const matrix = [head, 'governor,Tina Kotek,Yes', 'governor,Christine Drazan,', 'Measure 110,,No'];
  const { printed } = await submit('matrix.csv', matrix, ...options);
  expect([countOf(printed, 'exact'), countOf(printed, 'not representable')]).toEqual([2, 1]);
  const empty = await submit('empty.csv', [head, 'governor,Tina Kotek,', 'mayor,ann,'], ...options);
  expect([countOf(empty.printed, 'exact'), countOf(empty.printed, 'not representable')]).toEqual([0, 2]);
  const mixed = [head, 'governor,Tina Kotek,', 'mayor,ann,', 'Measure 110,,No', 'Measure 110,,'];
  const other = await submit('mixed.csv', mixed, ...options);
  expect([countOf(other.printed, 'exact'), countOf(other.printed, 'not representable')]).toEqual([3, 1]);
  const ballot = [head, 'governor,Tina Kotek,x', 'governor,Christine Drazan,', 'Measure 110,No,'];
  const answers = await submit('answers.csv', ballot, ...options);
  expect([countOf(answers.printed, 'exact'), countOf(answers.printed, 'not representable')]).toEqual([2, 1]);
  const marked = await submit('marked.csv', [...ballot, 'Measure 110,Yes,x'], ...options);
  expect([countOf(marked.printed, 'exact'), countOf(marked.printed, 'not representable')]).toEqual([2, 2]);
});

test('another answer about the measure of an earlier row is refused', async () => {
  const options = ['--endorser', 'bakers-local-1', '--election', 'or-2026-11-03-general', '--dry-run'];
  const lines = ['race,position', 'Measure 110,Yes', 'Measure 110,Support', 'Measure 110,No'];
  const { printed } = await submit('two-answers.csv', lines, ...options);
  expect([countOf(printed, 'exact'), countOf(printed, 'refused')]).toEqual([2, 1]);
  expect(printed.join('\n')).toMatch(
    /line 4 .* has another answer about \S+ than line 2: correct one of them/,
  );
});

test('close rows are sent if they are accepted, and decisions of an account are its own', async () => {
  const options = ['--endorser', 'bakers-local-1', '--election', 'or-2026-11-03-general', '--wait'];
  const lines = ['race,name', 'governor,C. Drazan', 'State Senate 4,Robert Smith', 'State Senate 4,J. Nunez'];
  const accepted = await submit('some.csv', lines.slice(0, 2), ...options, '--accept-close');
  expect(accepted.printed.at(-1)).toContain('1 applied: 1 made changes');
  expect(await endorsementsOf('bakers-local-1')).toContain('Governor of Oregon: Christine Drazan');

  const account = ['--account', 'test'];
  await submit('list.csv', lines, ...options, ...account, '--review', folder.file('mine.csv'));
  const review = await readFile(folder.file('mine.csv'), 'utf8');
  await writeFile(folder.file('mine.csv'), review.replaceAll(',\r\n', ',yes\r\n'));
  const decided = await run('submit', [...options, ...account, folder.file('mine.csv')]);
  expect(decided.told).toContain('3 decisions are remembered.');
  const below = [
    'race,name,decision,proposed_contest',
    'governor,Ms. Tine Kotek,kotek,or-2026-11-03-general/governor',
  ];
  const learned = await submit(
    'below.csv',
    [...below, 'governor,Tine Kotek,,', 'governor,Tine Koteck,,'],
    ...options,
    '--dry-run',
  );
  expect([countOf(learned.printed, 'decided'), countOf(learned.printed, 'exact')]).toEqual([1, 0]);
  const same = await submit('same.csv', [...below, 'governor,Ms Tine Kotek,,'], ...options, '--dry-run');
  expect([countOf(same.printed, 'decided'), countOf(same.printed, 'exact')]).toEqual([1, 1]);
  const grades = async (...more: string[]) => {
    const { printed } = await submit('again.csv', lines, ...options, ...more, '--dry-run');
    return [countOf(printed, 'exact'), countOf(printed, 'close')];
  };
  expect(await grades(...account)).toEqual([3, 0]);
  expect(await grades()).toEqual([0, 3]);
  expect((await run('aliases', ['list'])).text).not.toContain('drazan');
  expect((await run('aliases', ['list', ...account])).printed).toHaveLength(4);
});

test.each([
  [
    'an unclosed quotation mark',
    'contest,choice\nmayor,"ann',
    'The row that begins in line 2 has a quotation mark',
  ],
  ['too many columns', `${'c,'.repeat(10_000)}d`, 'has 10,001 columns; a table has at most 1,000'],
  ['a workbook', 'PK\x03\x04rest', 'is an Excel workbook'],
  ['nothing', '', 'The file is empty'],
  ['a header alone', 'contest,choice\n', 'The table has no rows below the names of its columns.'],
  ['zeros', '\0\0\0', 'has zero bytes'],
  [
    'a row without an end',
    `contest,choice\nmayor,"${'x\n'.repeat(600_000)}`,
    'has more than 1,000,000 bytes',
  ],
])('a file with %s is refused in a sentence', async (_, content, words) => {
  await writeFile(folder.file('bad.csv'), content);
  const { status, printed, told } = await run('submit', [...OPTIONS, folder.file('bad.csv')]);
  expect([status, printed]).toEqual([1, []]);
  expect(told).toEqual([expect.stringContaining(words)]);
});

test.each([
  [
    'a column of days first',
    ['contest,choice,date', 'mayor,ann,25/12/2025'],
    OPTIONS,
    'Line 2 has 25/12/2025 in the column "date", which fits only with the day first, and dates are read with the month ' +
      'first: write it as 2025-12-25, and the other dates of the column as YYYY-MM-DD too, or leave the column out',
  ],
  [
    'a column of elections with days first',
    ['election,contest,choice', '3/11/2026,mayor,ann', '31/12/2026,mayor,bob'],
    ['--endorser', 'x'],
    'Line 3 has 31/12/2026 in the column "election"',
  ],
  ['no election', ['contest,choice', 'mayor,ann'], ['--endorser', 'x'], 'has no column for the election'],
  ['no endorser', ['contest,choice', 'mayor,ann'], GENERAL, 'has no column for the endorser'],
  [
    'two columns for one field',
    ['race,office,choice', 'a,b,c'],
    OPTIONS,
    'The columns "race" and "office" both hold the contest',
  ],
  [
    'an unknown field',
    ['race,choice', 'a,c'],
    [...OPTIONS, '--map', 'race=mayoralty'],
    'names the unknown field "mayoralty"',
  ],
  [
    'an unknown column',
    ['race,choice', 'a,c'],
    [...OPTIONS, '--map', 'r=contest'],
    'the table has "race" or "choice"',
  ],
  [
    'an unknown account',
    ['race,choice', 'a,c'],
    [...OPTIONS, '--account', 'nobody'],
    'There is no account "nobody"; "accounts list" shows every account.',
  ],
])('%s is refused in a sentence', async (_, lines, options, words) => {
  const { status, told } = await submit('wrong.csv', lines, ...options);
  expect(status).toBe(1);
  expect(told).toEqual([expect.stringContaining(words)]);
});

test('a reader that closes the pipe early, as head does, does not end the sending', async () => {
  const lines = ['contest,choice', 'governor,drazan'];
  await writeFile(folder.file('piped.csv'), lines.join('\n'));
  const args = ['ops/main.ts', 'submit', ...GENERAL, '--endorser', 'nation-herald', folder.file('piped.csv')];
  const child = spawn(process.execPath, args, {
    env: { ...INHERITED_ENV, ...service.env('ops') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.destroy();
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(await endorsementsOf('nation-herald')).toContain('Governor of Oregon: Christine Drazan');
});

/** A table with open rows, whose review file has about 30 KB. */
async function writeOpenTable(name: string): Promise<string> {
  const row = `governor,Tina Kotec,${'x'.repeat(1000)}`;
  await writeFile(folder.file(name), ['race,choice,notes', ...Array(30).fill(row), 'mayor,ann,'].join('\n'));
  return folder.file(name);
}

test('the review file is complete before anything is sent, and removed if the sending fails', async () => {
  const file = await writeOpenTable('open.csv');
  const { DATABASE_URL: databaseUrl = '' } = service.env('ops');
  const flags = { endorser: 'nation-herald', election: 'or-2026-11-03-general' };
  const submitWith = (send: (review: string) => number) =>
    submitTable(createIo({}), { databaseUrl, file, skipRefused: false }, flags, async () =>
      send(await readFile(folder.file('open-review.csv'), 'utf8')),
    );
  const failing = submitWith(() => {
    throw new OperatorError('cut');
  });
  await expect(failing).rejects.toThrow('cut');
  expect(existsSync(folder.file('open-review.csv'))).toBe(false);
  let seen = '';
  await submitWith((review) => {
    seen = review;
    return 1;
  });
  expect(seen.split('\r\n')).toHaveLength(32);
  expect(await readFile(folder.file('open-review.csv'), 'utf8')).toBe(seen);
});

test('a review file that cannot be written stops the sending, and is removed', async () => {
  const file = await writeOpenTable('full.csv');
  const args = ['ops/main.ts', 'submit', ...GENERAL, '--endorser', 'bakers-local-1', file];
  // The shell limits files to 20 blocks, which are 10 or 20 KB.
  const child = spawn('sh', ['-c', 'ulimit -f 20; exec "$0" "$@"', process.execPath, ...args], {
    env: { ...INHERITED_ENV, ...service.env('ops') },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [told, [status]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect(told).toMatch(/^The review file .*full-review\.csv cannot be written \(.*Nothing was sent\.\n$/);
  expect(status).toBe(1);
  expect(existsSync(folder.file('full-review.csv'))).toBe(false);
  expect(await endorsementsOf('bakers-local-1')).not.toContain('Title of mayor: ann');
});

test('options of tables are refused without a table, and a table is sent alone', async () => {
  const { told } = await run('submit', ['--endorser', 'x', 'a.ndjson']);
  expect(told).toEqual(['--endorser is of use only with a table, whose name ends in .csv or .tsv.']);
  expect((await run('submit', ['a.csv', 'b.csv'])).told).toEqual([
    'A table is sent alone: name one table, or no table.',
  ]);
});

test('an unknown endorser or election of all rows is told once, and no review file is made', async () => {
  const lines = ['Race,Candidate,State', ...Array.from({ length: 3 }, () => 'Governor,Tina Kotek,OR')];
  const unknown = async (...options: string[]) => {
    const { status, printed, told } = await submit('unknown.csv', lines, ...options);
    expect([status, printed, existsSync(folder.file('unknown-review.csv'))]).toEqual([1, [], false]);
    return told.join('\n');
  };
  expect(await unknown('--endorser', 'Coast Gazette', '--election', 'or-2026-11-04-general')).toMatch(
    /unknown\.csv: --election is "or-2026-11-04-general": no such election; the nearest are .*\(or-2026-11-03-general\)\.$/,
  );
  expect(await unknown('--endorser', 'Zebra League', ...GENERAL)).toMatch(
    /unknown\.csv: --endorser is "Zebra League": no endorser has a similar name\.$/,
  );
});

test.each([
  ['missing.csv', 'There is no file FILE.'],
  ['device.csv', 'FILE is neither a file nor a folder: copy its contents to a file first.'],
  ['folder.csv', 'FILE is a folder: name a file in it.'],
  ['loop.csv', 'FILE cannot be used: too many symbolic links encountered.'],
])('the reason why %s is not a table is told', async (name, words) => {
  const file = folder.file(name);
  await mkdir(folder.file('folder.csv'));
  await symlink('/dev/null', folder.file('device.csv'));
  await symlink('loop.csv', folder.file('loop.csv'));
  expect((await run('submit', ['--dry-run', file])).told).toEqual([words.replace('FILE', file)]);
});

test('a list that corrects its own ranks, or has another order than before, is sent without a rejection', async () => {
  const options = ['--endorser', 'nation-herald', '--election', 'or-2026-11-03-general', '--wait'];
  const ranked = (...lines: string[]) => ['contest,choice,rank', ...lines.map((line) => `sheriff,${line}`)];
  const ranks = async () => {
    const { body } = await service.get('/v1/endorsements?endorsers=nation-herald');
    const found = body.data as { choice: { label: string }; rank: number; statement: string | null }[];
    return found
      .filter(({ rank }) => rank !== null)
      .map(({ choice, rank, statement }) => `${rank} ${choice.label}${statement ? `: ${statement}` : ''}`)
      .sort();
  };
  // The last row about a choice counts, and only it is sent.
  const first = await submit('first.csv', ranked('ann,2', 'bob,2', 'ann,1'), ...options);
  expect(first.printed.at(-1)).toContain('2 applied: 2 made changes');
  expect(await ranks()).toEqual(['1 ann', '2 bob']);
  await submit('said.csv', ['contest,choice,rank,statement', 'sheriff,dee,4,Hm.'], ...options);
  const swapped = await submit('swapped.csv', ranked('ann,2', 'bob,1'), ...options);
  expect(swapped.printed.at(-1)).toContain('0 rejected');
  expect(await ranks()).toEqual(['1 bob', '2 ann', '4 dee: Hm.']);
  const inserted = await submit('inserted.csv', ranked('bob,1', 'cyd,2', 'ann,3'), ...options);
  expect(countOf(inserted.printed, 'created')).toBe(1);
  expect(inserted.printed.at(-1)).toContain('0 rejected');
  expect(await ranks()).toEqual(['1 bob', '2 cyd', '3 ann', '4 dee: Hm.']);
});

test('a dry run names positions that would have a rank twice, or more choices than a voter may mark', async () => {
  const lines = [
    'contest,choice,rank',
    'sheriff,ann,1',
    'sheriff,bob,1',
    'governor,Tina Kotek,',
    'governor,Christine Drazan,',
  ];
  const options = ['--endorser', 'Coast Gazette', '--election', 'or-2026-11-03-general', '--dry-run'];
  const { printed } = await submit('crowded.csv', lines, ...options);
  const start = printed.findIndex((line) => line.startsWith('Positions with more choices'));
  expect(printed.slice(start + 1, start + 3)).toEqual([
    '  endorser coast-gazette | contest Governor of Oregon, Fernville | choices Tina Kotek, Christine Drazan',
    '  endorser coast-gazette | contest Title of sheriff, Fernville | choices ann, bob | problem two have the same rank, which is rejected',
  ]);
});

test('the names of candidates can be in several columns, also in the review file', async () => {
  const lines = [
    'State,Race,First Name,Last Name,Suffix,Organization',
    'OR,State Senate 5,John,Smith,Jr.,Coast Gazette',
    'OR,Governor,Chris,Drazan,,Coast Gazette',
  ];
  const { status, printed } = await submit('parts.csv', lines, ...GENERAL);
  expect([status, countOf(printed, 'exact'), countOf(printed, 'close')]).toEqual([0, 1, 1]);
  expect(printed.join('\n')).not.toContain('not used');
  expect(await endorsementsOf('coast-gazette')).toContain('State Senator, 5th District: John Smith Jr.');
  const review = folder.file('parts-review.csv');
  const text = await readFile(review, 'utf8');
  expect(text).toContain('State,Race,Candidate,Organization,match_grade');
  await writeFile(review, text.replace(/,\r\n$/, ',yes\r\n'));
  const second = await run('submit', [...GENERAL, review]);
  expect(second.printed.at(-1)).toBe('1 applied: 1 made changes, 0 changed nothing, 0 rejected');
});

test('a cell with several names endorses all of them, each with what the row says', async () => {
  const lines = [
    'State,Race,Pick,Organization,Quote',
    'OR,State Senate 4,Robert J. Smith; Jose Nunez,Nation Herald,"Two, for two seats."',
  ];
  const { status, printed } = await submit('several.csv', lines, ...GENERAL);
  expect([status, countOf(printed, 'rows'), countOf(printed, 'exact')]).toEqual([0, 1, 1]);
  const { body } = await service.get('/v1/endorsements?endorsers=nation-herald&limit=500');
  const found = (body.data as { choice: { label: string }; statement: string }[]).filter(
    ({ statement }) => statement === 'Two, for two seats.',
  );
  expect(found.map(({ choice: { label } }) => label).sort()).toEqual(['José Núñez', 'Robert J. Smith']);
});
