import { once } from 'node:events';
import { request as sendRequest } from 'node:http';
import { beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { inTransaction } from '../../../store/connection/transaction.ts';
import { forgetOldUploads } from '../../../store/console/uploads.ts';
import { loadCatalogue } from '../../helpers/ballots/catalogue.ts';
import { CROWD, CROWDED_CONTEST } from '../../helpers/ballots/crowded-contest.ts';
import { endorse } from '../../helpers/ballots/submissions.ts';
import { TABLE_BALLOT } from '../../helpers/ballots/table-ballot.ts';
import { ConsoleClient, type ReceivedPage, readSeen } from '../../helpers/console/console-client.ts';
import { inputsOf } from '../../helpers/console/console-pages.ts';
import { loseAnswer, loseRights } from '../../helpers/console/interrupted-uploads.ts';
import { saveTable } from '../../helpers/postgres/uploads.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { until } from '../../helpers/until.ts';

const service = useTestService({ catalogue: TABLE_BALLOT, gatewayConfig: { today: '2026-11-02' } });
const UPLOADS = '/console/endorsements/uploads';
const GENERAL = 'or-2026-11-03-general';

const allow = (slugs: string[]) => service.allow(slugs, account);

const disallow = () =>
  service.query(
    'DELETE FROM account_endorsers WHERE account_id = (SELECT id FROM accounts WHERE name = $1)',
    [account],
  );

let account: string;
let editor: ConsoleClient;

beforeEach(async () => {
  account = `account ${Math.random()}`;
  await service.createKey(account, 'free');
  await allow(['sierra-club', 'coast-gazette']);
  editor = await ConsoleClient.signIn(service, { account, role: 'editor' });
});

const HEAD = 'Race,District,Candidate,Position,Organization,URL,Notes';
const MIXED = [
  HEAD,
  'Governor,,"KOTEK, TINA (D)",Yes,Sierra Club,https://example.org/a,x',
  'State Senate,D-4,José Núñez,Support,The Sierra Club,,',
  'State Senate,4,Bob Smith,yes,Sierra Club,,',
  'State Senate,5,John Smith,yes,Sierra Club,,',
  'State Senate,5,John Smith,yes,Coast Gazette,,',
  'Measure 110,,,Oppose,Sierra Club,,',
  'Governor,,Christine Drazan,Leaning yes,Sierra Club,,',
  'Governor,,Tina Kotek,Yes,Nation Herald,,',
  'Governor,,Tina Kotek,Yes,Sierra Club,,,too,many',
];

/** Uploads a table. @returns the answer, and the address of the upload */
async function upload(
  lines: readonly string[],
  {
    client = editor,
    ...fields
  }: { client?: ConsoleClient; csrf?: string; endorser?: string; election?: string; whole?: string } = {},
): Promise<ReceivedPage & { address: string }> {
  const text = `${lines.join('\r\n')}\r\n`;
  const answer = await client.postFile(UPLOADS, { election: GENERAL, ...fields }, { name: 'list.csv', text });
  return { ...answer, address: answer.location };
}

/** The fields of the page's form about rows, as a browser sends them, with these choices by line. */
function choicesOf({ html }: ReceivedPage, address: string, choices: Record<number, string>) {
  const fields: Record<string, string | string[]> = {};
  const lines: string[] = [];
  for (const input of inputsOf(html, address)) {
    const name = (input.get('name') ?? '').replaceAll('&quot;', '"');
    const value = (input.get('value') ?? '').replaceAll('&quot;', '"');
    if (name === 'line') lines.push(value);
    else if (input.get('type') === 'hidden' ? name !== 'csrf' : input.has('checked')) fields[name] = value;
  }
  for (const [line, value] of Object.entries(choices)) fields[`row:${line}`] = value;
  return { ...fields, line: lines };
}

/** The state that a preview has shown, as its form says it. */
const seenOf = async (address: string): Promise<string> => readSeen(await editor.get(`${address}/preview`));
/** Opens the preview of an upload, and publishes it. */
async function publish(address: string, more: Record<string, string> = {}) {
  const preview = await editor.get(`${address}/preview`);
  const answer = await editor.post(`${address}/publish`, { seen: readSeen(preview), ...more });
  return { preview, answer };
}

async function positions(endorser: string): Promise<string[]> {
  const { body } = await service.get(`/v1/endorsements?endorsers=${endorser}&limit=500`);
  const found = body.data as { contest: { title: string }; choice: { label: string } }[];
  return found.map(({ contest, choice }) => `${contest.title}: ${choice.label}`).sort();
}

test('an editor uploads a table, decides on its unclear rows, publishes it, and sees it on the stream', async () => {
  const { status, address } = await upload(MIXED);
  expect(status).toBe(303);
  const review = await editor.get(address);
  expect(review.html).toContain(
    '9 rows: 3 exact, 1 close, 2 ambiguous, 1 without a match, 1 that no endorsement can say, 1 that cannot be used.',
  );
  expect(review.html).toContain('<p>Columns that are not used: Notes. If one');
  expect(review.html).toContain('4 rows need a decision');
  expect(review.html).toMatch(/<a href="\/console\/endorsements">[^<]*<\/a>: its key stands there/);
  expect(review.html).toMatch(/<details><summary>3 rows exact/);
  expect(review.html).toContain('has 9 cells, and the header 7');
  expect(review.html).toContain('“Leaning yes”'.replaceAll(/[“”]/g, '&quot;'));
  // Nation Herald is an endorser, but the account may not publish for it.
  expect(review.html).toContain('no endorser of your account has a similar name');

  const chosen = { 4: `${GENERAL}/senate-4/smith`, 5: `${GENERAL}/senate-5/smith-jr`, 9: 'other' };
  const saved = await editor.post(address, { ...choicesOf(review, address, chosen), 'key:9': 'no key' });
  expect([saved.status, saved.location]).toEqual([303, `${address}?after=9`]);
  const end = await editor.get(saved.location);
  expect(end.html).toContain('That was the last row. 1 row still needs a decision.');
  await editor.post(address, choicesOf(await editor.get(address), address, { 9: 'no' }));
  const decided = await editor.get(address);
  // The decision about line 5 counts for line 6, which has the same name.
  expect(decided.html).toContain('No row needs a decision.');

  expect(await positions('sierra-club')).toEqual([]);
  const { preview, answer } = await publish(address);
  expect(preview.html).toContain('6 events reach the stream: 6 new.');
  expect(preview.html).toMatch(
    /<td>Governor of Oregon, Fernville <small[^>]*>or-2026-11-03-general\/governor<\/small><\/td><td>Tina Kotek <small[^>]*>kotek<\/small>/,
  );
  const [, history = ''] =
    /href="([^"]+)" aria-label="History: Sierra Club, Governor/.exec(preview.html) ?? [];
  expect((await editor.get(history.replaceAll('&amp;', '&'))).html).toContain(
    '<h1>History: Sierra Club, Governor of Oregon</h1>',
  );
  expect(answer.location).toBe(`${address}?on`);
  const receipt = await editor.get(`${address}?on`);
  expect(receipt.html).toContain('6 of 6 submissions are sent.');
  expect(receipt.html).toContain('2 rows were left out: not decided on, or not usable.');
  expect(receipt.html).toContain('It is done: readers and the stream have it.');
  expect(await positions('sierra-club')).toEqual([
    'Governor of Oregon: Tina Kotek',
    'Measure 110: Drug treatment: no',
    'State Senator, 4th District: José Núñez',
    'State Senator, 4th District: Robert J. Smith',
    'State Senator, 5th District: John Smith Jr.',
  ]);
  expect(await positions('coast-gazette')).toEqual(['State Senator, 5th District: John Smith Jr.']);
  expect((await editor.get(UPLOADS)).html).toMatch(/list\.csv<\/a><\/th><td>sent/);

  // The same names are known in the account's next table, and what is stored already makes no event.
  const next = await upload(MIXED.slice(0, 5));
  const known = await editor.get(next.address);
  expect(known.html).toContain('4 rows: 4 exact.');
  expect((await editor.get(`${next.address}/preview`)).html).toContain('so nothing changes');
});

/** A table of one endorser's choices. */
const tableOf = (...rows: string[]) => ['contest,choice', ...rows];
const GAZETTE = { endorser: 'coast-gazette' };

test('what is decided stays for the next session, and only for the account', async () => {
  const { address } = await upload(MIXED);
  const review = await editor.get(address);
  await editor.post(address, choicesOf(review, address, { 4: 'no', 5: `${GENERAL}/senate-5/smith-sr` }));
  await service.query(
    'DELETE FROM console_sessions WHERE account_id = (SELECT id FROM accounts WHERE name = $1)',
    [account],
  );
  const ended = await editor.post(`${address}/publish`, { csrf: 'old' });
  expect(ended.status).toBe(401);
  const again = await ConsoleClient.signIn(service, { account, role: 'editor' });
  expect((await again.get(UPLOADS)).html).toContain(`href="${address}"`);
  const { html } = await again.get(address);
  expect(html).toMatch(/name="row:4" value="no" checked/);
  expect(html).toMatch(/name="row:5" value="or-2026-11-03-general\/senate-5\/smith-sr" checked/);
  expect(html).toContain('1 row needs a decision');

  const stranger = await ConsoleClient.signIn(service);
  for (const path of [address, `${address}/preview`]) expect((await stranger.get(path)).status).toBe(404);
  for (const path of ['', '/settings', '/publish', '/send']) {
    expect((await stranger.post(`${address}${path}`)).status).toBe(404);
  }
  await stranger.post(`${address}/delete`, { seen: 'draft' });
  expect((await again.get(address)).status).toBe(200);
  await again.post(`${address}/delete`, { seen: readSeen(await again.get(address)) });
  expect((await again.get(address)).status).toBe(404);
});

test('of two tabs with one upload, the second sees what the first has decided, and loses nothing', async () => {
  const { address } = await upload(MIXED);
  const [first, second] = [await editor.get(address), await editor.get(address)];
  const [senior, junior] = [`${GENERAL}/senate-5/smith-sr`, `${GENERAL}/senate-5/smith-jr`];
  await editor.post(address, choicesOf(first, address, { 5: senior }));
  const refused = await editor.post(address, choicesOf(second, address, { 4: 'no', 5: junior, 9: 'no' }));
  expect(refused.status).toBe(409);
  expect(refused.html).toContain(
    `Somebody else has decided on this row since the page was opened: ${senior}`,
  );
  expect(refused.html).toContain(`name="row:5" value="${junior}" checked`);
  const stored = await editor.get(address);
  expect(stored.html).toContain(`name="row:5" value="${senior}" checked`);
  for (const { html } of [refused, stored]) {
    for (const line of [4, 9]) expect(html).toContain(`name="row:${line}" value="no" checked`);
  }
  await editor.post(address, choicesOf(refused, address, {}));
  expect((await editor.get(address)).html).toContain(`name="row:5" value="${junior}" checked`);
  await editor.post(address, choicesOf(await editor.get(address), address, { 5: '' }));
  expect((await editor.get(address)).html).toContain('name="row:5" value checked');
});

test('of two people who say what a table holds, the second sees what the first has said', async () => {
  const { address } = await upload(MIXED);
  const page = await editor.get(address);
  const [, shown = ''] = /name="shown" value="([^"]+)"/.exec(page.html) ?? [];
  const seen = { shown: shown.replaceAll('&quot;', '"'), election: GENERAL, 'column:4': '-' };
  const say = (fields: object) => editor.post(`${address}/settings`, { ...seen, ...fields });
  expect((await say({ endorser: 'coast-gazette' })).status).toBe(303);
  // The same again is not another choice.
  expect((await say({ endorser: 'coast-gazette' })).status).toBe(303);
  const refused = await say({ endorser: 'sierra-club' });
  expect([refused.status, refused.html.includes('so your choice is not saved')]).toEqual([409, true]);
  const open = '<details open><summary>Endorser, election and columns';
  expect([page.html.includes(open), refused.html.includes(open)]).toEqual([false, true]);
  expect((await editor.get(address)).html).toContain('<option value="coast-gazette" selected>');
});

test('an endorser is a part of the decision on a row: one can be chosen anew, and none is lost', async () => {
  const { address } = await upload(MIXED);
  const tabs = [await editor.get(address), await editor.get(address)] as const;
  const choose = (page: ReceivedPage, endorser: string) => {
    const chosen = choicesOf(page, address, { 9: `${GENERAL}/governor/kotek` });
    return editor.post(address, { ...chosen, 'endorser:9': endorser });
  };
  const chosen = async () => / value="([^"]+)" selected/.exec((await editor.get(address)).html)?.[1];
  await choose(tabs[0], 'sierra-club');
  expect((await choose(tabs[1], 'coast-gazette')).status).toBe(409);
  expect(await chosen()).toBe('sierra-club');
  expect((await choose(await editor.get(address), 'coast-gazette')).status).toBe(303);
  expect(await chosen()).toBe('coast-gazette');
  // An endorser of all rows, without the column of endorsers, is that of this row too.
  const all = { endorser: 'sierra-club', election: GENERAL, 'column:4': '-' };
  await editor.post(`${address}/settings`, all);
  const { html } = await editor.get(`${address}/preview`);
  expect([html.includes('Tina Kotek'), html.includes('Coast Gazette')]).toEqual([true, false]);
  // New settings leave the decisions.
  expect((await editor.get(address)).html).toContain(`value="${GENERAL}/governor/kotek" checked`);
});

test('two tabs that publish one upload publish it once', async () => {
  const { address } = await upload(tableOf('mayor,ann', 'council,bob'), GAZETTE);
  const before = (await service.events()).data.length;
  const preview = await editor.get(`${address}/preview`);
  // Other contests have choices with the same keys.
  expect(preview.html.match(/>Endorse</g)).toHaveLength(2);
  const seen = readSeen(preview);
  const csrf = await editor.formToken();
  const answers = await Promise.all([1, 2].map(() => editor.post(`${address}/publish`, { csrf, seen })));
  expect(answers.map(({ status }) => status)).toEqual([303, 303]);
  const receipt = await editor.get(address);
  expect(receipt.html).toContain('2 of 2 submissions are sent.');
  expect((await service.eventsOnceThereAre(before + 2)).length).toBe(before + 2);
  for (const path of ['', '/settings', '/publish']) {
    expect((await editor.post(`${address}${path}`)).location).toMatch(address);
  }
  expect((await editor.get(`${address}/preview`)).location).toBe(address);
});

test('an upload that somebody has sent since the page was opened is not deleted, and its receipt follows', async () => {
  const { address } = await upload(tableOf('council,ann'), GAZETTE);
  const seen = readSeen(await editor.get(address));
  expect((await publish(address)).answer.status).toBe(303);
  expect((await editor.post(`${address}/delete`, { seen })).location).toBe(address);
  expect((await editor.get(address)).html).toContain('1 of 1 submissions are sent.');
});

test('a batch is published once, even if its answer is lost, and its key forgotten before the rest is sent', async () => {
  const { address } = await upload(tableOf('mayor,bob'), GAZETTE);
  const seen = await seenOf(address);
  const broken = await loseAnswer(service, () => editor.post(`${address}/publish`, { seen }));
  expect(broken.status).toBe(503);
  await service.query(
    'DELETE FROM idempotency_keys WHERE account_id = (SELECT id FROM accounts WHERE name = $1)',
    [account],
  );
  expect((await editor.post(`${address}/send`)).status).toBe(303);
  expect((await editor.get(address)).html).toContain('1 of 1 submissions are sent.');
  const [published] = await service.query(
    'SELECT count(*)::int FROM publications p JOIN accounts a ON a.id = p.account_id WHERE a.name = $1',
    [account],
  );
  expect(published).toEqual({ count: 1 });
});

describe('nobody publishes by an upload', () => {
  test('for an endorser for which the account may not, by whatever field', async () => {
    const { address } = await upload(tableOf('mayor,ann'), { endorser: 'nation-herald' });
    const review = await editor.get(address);
    expect(review.status).toBe(400);
    expect(review.html).toContain('The table has no column for the endorser.');
    await editor.post(`${address}/settings`, { endorser: 'nation-herald', election: GENERAL });
    expect((await editor.get(address)).status).toBe(400);

    const named = await upload([
      'endorser,contest,choice',
      'Nation Herald,mayor,ann',
      'nation-herald,mayor,bob',
    ]);
    const page = await editor.get(named.address);
    expect(page.html).toContain('2 rows: 2 without a match');
    const forged = {
      ...choicesOf(page, named.address, { 2: `${GENERAL}/mayor/ann` }),
      'endorser:2': 'nation-herald',
    };
    await editor.post(named.address, forged);
    expect((await editor.get(named.address)).html).toContain('choose the endorser as well');
    const { preview, answer } = await publish(named.address);
    expect(preview.html).not.toContain('>Publish</button>');
    expect(answer.status).toBe(409);
    expect(await positions('nation-herald')).toEqual([]);
  });

  test('whose right was taken back since the preview, or after the first batch; it continues where it stopped', async () => {
    const { address } = await upload(tableOf('mayor,cyd'), GAZETTE);
    const seen = await seenOf(address);
    await disallow();
    const refused = await editor.post(`${address}/publish`, { seen });
    expect(refused.status).toBe(409);
    expect(refused.html).toContain('Something has changed since the preview');
    await allow(['coast-gazette', 'sierra-club']);

    await loadCatalogue(service.databaseUrl, [...TABLE_BALLOT, CROWDED_CONTEST]);
    const mine = CROWD.map((key) => `Sierra Club,crowd,${key}`);
    const long = await upload(['endorser,contest,choice', ...mine, 'Coast Gazette,council,dee']);
    const shown = await seenOf(long.address);
    const before = (await service.events()).data.length;
    const stopped = await loseRights(service, editor, `${long.address}/publish`, { seen: shown });
    expect(stopped.status).toBe(409);
    expect(stopped.html).toMatch(/coast-gazette.*1 submissions are not sent yet/);
    expect((await editor.get(long.address)).html).toContain('500 of 501 submissions are sent.');
    expect((await editor.post(`${long.address}/send`)).status).toBe(409);
    await allow(['coast-gazette', 'sierra-club']);
    expect((await editor.post(`${long.address}/send`)).location).toBe(`${long.address}?on`);
    expect((await editor.get(long.address)).html).toContain('501 of 501 submissions are sent.');
    expect((await service.eventsOnceThereAre(before + 501)).length).toBe(before + 501);
  });

  test('as a member, or without an endorser', async () => {
    const { address } = await upload(tableOf('mayor,ann'), GAZETTE);
    const member = await ConsoleClient.signIn(service, { account, role: 'member' });
    for (const path of [UPLOADS, address, `${address}/preview`])
      expect((await member.get(path)).status).toBe(403);
    expect((await upload(tableOf('mayor,ann'), { client: member })).status).toBe(403);
    await disallow();
    expect((await editor.get(UPLOADS)).html).toContain('may not publish for any endorser yet');
    expect((await upload(tableOf('mayor,ann'))).status).toBe(403);
  });
});

test('what somebody else has changed since the preview is shown before it is overwritten', async () => {
  const { address } = await upload(['contest,choice,statement', 'mayor,dee,Mine.'], GAZETTE);
  for (const statement of ['Theirs.', 'Theirs again.']) {
    const seen = await seenOf(address);
    await service.submit([endorse('coast-gazette', 'mayor', 'dee', { statement })]);
    await until('it is applied', async () => {
      const held = await service.query('SELECT FROM endorsements WHERE statement = $1', [statement]);
      return held.length === 1;
    });
    const refused = await editor.post(`${address}/publish`, { seen });
    expect(refused.status).toBe(409);
    expect(refused.html).toMatch(/Something has changed since the preview.*<th scope="row">Change/s);
  }
  expect((await publish(address)).answer.status).toBe(303);
});

test('a preview says what becomes of each row that makes no event: it is lost by publishing now, or endorses nobody', async () => {
  const table = tableOf('governor,Tina Kotec', 'governor,no endorsement', 'mayor,neutral');
  const { address } = await upload(table, GAZETTE);
  const { html } = await editor.get(`${address}/preview`);
  expect(html).toContain('<p>There is nothing to publish yet.</p>');
  expect(html).toContain(
    `1 row is left out: not decided on, or not usable. <a href="${address}">Look at them</a> first: publishing closes the upload`,
  );
  expect(html).toContain('<li>2 rows make no endorsement, as the table says or as was decided.</li>');
});

test('a preview says where a corrected pick would stand beside the old one, or two picks would have one rank', async () => {
  const heading = 'Look at these before you publish.';
  const position = (title: string, rest: string) =>
    expect.stringMatching(
      new RegExp(
        `<li><a href="/console/endorsements/\\d+\\?endorser=coast-gazette">Coast Gazette: ${title}, [^<]+</a>: ${rest}</li>`,
      ),
    );
  const rankedBy = (...rows: string[]) => upload(['contest,choice,rank', ...rows], GAZETTE);
  const first = await publish((await rankedBy('sheriff,bob,1', 'measure-110,yes,')).address);
  expect(first.preview.html).not.toContain(heading);
  await until('it is applied', async () =>
    (await positions('coast-gazette')).includes('Measure 110: Drug treatment: yes'),
  );

  const corrected = tableOf('measure-110,no', 'governor,kotek');
  const { html } = await editor.get(`${(await upload(corrected, GAZETTE)).address}/preview`);
  expect(html).toContain(heading);
  expect(html).toEqual(position('Measure 110: Drug treatment', 'yes, no'));
  const [, form = ''] = /href="(\/console\/endorsements\/\d+\?endorser=coast-gazette)"/.exec(html) ?? [];
  expect((await editor.get(form)).html).toContain(`Key: <code>${GENERAL}/measure-110/no</code>`);
  expect(html).not.toContain('Coast Gazette: Governor');
  const whole = await upload(corrected, { ...GAZETTE, whole: 'yes' });
  expect((await editor.get(`${whole.address}/preview`)).html).not.toContain(heading);

  // The pick that the table repeats counts once.
  const second = await rankedBy('sheriff,bob,1', 'sheriff,cyd,2');
  expect((await editor.get(`${second.address}/preview`)).html).not.toContain(heading);
  const ranked = await rankedBy('sheriff,bob,1st', 'sheriff,cyd,first');
  expect((await editor.get(`${ranked.address}/preview`)).html).toEqual(
    position('[^<]*', '[^<]* \\(two have the same rank, which is rejected\\)'),
  );
});

test('a whole list withdraws what it lacks, but nothing while a row is open, and much only if the person agrees', async () => {
  const contests = ['mayor', 'council', 'sheriff'];
  const all = contests.flatMap((contest) =>
    ['ann', 'bob', 'cyd', 'dee'].map((choice) => `${contest},${choice}`),
  );
  await publish((await upload(tableOf(...all), GAZETTE)).address);
  await until('all are applied', async () => (await positions('coast-gazette')).length >= 12);
  const whole = { ...GAZETTE, whole: 'yes' };
  const open = await upload(tableOf(...all.slice(0, 7), 'governor,Tina Kotec'), whole);
  const unclear = await publish(open.address);
  expect(unclear.preview.html).toContain('1 row is open, and as the whole list');
  expect(unclear.preview.html).not.toContain('reach the stream');
  expect(unclear.answer.status).toBe(409);
  const unusable = await upload(tableOf(...all, 'mayor,ann,more cells'), whole);
  expect((await editor.get(unusable.address)).html).toContain('No row needs a decision.');
  const advice = 'correct them in the file and upload it again';
  expect((await editor.get(`${unusable.address}/preview`)).html).toContain(advice);
  // A formula that finds nothing does not say "no answer": it would withdraw the endorsement.
  const failed = await upload(['contest,choice,position', 'mayor,ann,yes', 'mayor,bob,#N/A'], whole);
  expect((await editor.get(failed.address)).html).toContain('has #N/A in the column &quot;position&quot;');
  expect((await publish(failed.address)).preview.html).toContain('1 row is open, and as the whole list');
  const decide = async (choice: string) =>
    editor.post(open.address, choicesOf(await editor.get(open.address), open.address, { 9: choice }));
  await decide('no');
  const hasty = await publish(open.address);
  expect(hasty.preview.html).toMatch(/Withdraw \d+ endorsements/);
  expect(hasty.answer.html).toContain('Nothing was published: agree to the withdrawals first.');
  expect((await positions('coast-gazette')).length).toBeGreaterThanOrEqual(12);
  const [, withdraw = ''] = /name="withdraw" value="(\d+)"/.exec(hasty.preview.html) ?? [];
  // Somebody takes the decision back after the preview, which changes none of its events.
  const seen = readSeen(hasty.preview);
  await decide('');
  const reopened = await editor.post(`${open.address}/publish`, { seen, withdraw });
  expect(reopened.html).toContain('1 row is open, and as the whole list');
  await decide('no');
  expect((await publish(open.address, { withdraw })).answer.status).toBe(303);
  expect((await editor.get(open.address)).html).toContain('It is done');
  expect(await positions('coast-gazette')).toHaveLength(7);
});

describe('a file', () => {
  test.each([
    ['that is empty', '', 'Choose a file that is not empty', 400],
    ['with a header alone', 'contest,choice', 'no rows below the names', 400],
    ['that is a workbook', 'PK\u0003\u0004', 'an Excel workbook', 400],
    ['with 5,001 rows', `contest,choice\n${'mayor,ann\n'.repeat(5_001)}`, 'more than 5,000 rows', 400],
    ['of 5 MB', 'x'.repeat(5 * 1024 * 1024), 'The file is larger than 4 MB', 413],
  ])('%s is refused with the reason, and nothing is kept', async (_what, text, reason, status) => {
    const answer = await editor.postFile(UPLOADS, GAZETTE, { name: 'list.csv', text });
    expect([answer.status, answer.html.includes(reason)]).toEqual([status, true]);
    const again =
      status === 400 ? 'value="coast-gazette" selected' : `<a href="${UPLOADS}">Back to the form</a>`;
    expect(answer.html).toContain(again);
    expect((await editor.get(UPLOADS)).html).not.toContain('list.csv');
  });

  const PART = 'Content-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\na\r\n';
  const FORM = 'multipart/form-data; boundary=x';

  test.each([
    ['without a boundary', 400, 'multipart/form-data', `--x\r\n${PART}--x--`],
    [
      'with a boundary in which a search would take minutes',
      400,
      `${FORM}${'a'.repeat(8_000)}`,
      'a'.repeat(9_000),
    ],
    ['that ends within the file', 400, FORM, `--x\r\n${PART}`],
    ['of too many parts', 400, FORM, `--x\r\n${PART}`.repeat(50_000)],
    ['with a field that has no name', 400, FORM, '--x\r\nContent-Disposition: form-data\r\n\r\na\r\n--x--'],
    ['with a file in another field', 400, FORM, `--x\r\n${PART.replace('"file"', '"other"')}--x--`],
    ['of 5 MB in headers', 413, FORM, `--x\r\nA: ${'a'.repeat(5_000_000)}`],
    [
      'with 100 KB in a field',
      413,
      FORM,
      `--x\r\n${PART.replace('; filename="a.csv"\r\n\r\n', `\r\n\r\n${'a'.repeat(100_000)}`)}--x--`,
    ],
    [
      'with headers in which a search would take minutes',
      403,
      FORM,
      `--x\r\n${PART.replace('"a', `"${' filename="'.repeat(60_000)}`)}--x--`,
    ],
  ])('in a form %s is refused: %i', async (_form, status, contentType, body) => {
    const Cookie = `bes_session=${editor.cookie('bes_session')}`;
    const headers = { 'Content-Type': contentType, Cookie };
    const answer = await fetch(service.url(UPLOADS), { method: 'POST', headers, body });
    expect(answer.status).toBe(status);
    expect((await editor.get(UPLOADS)).status).toBe(200);
  });

  test('without a name is called "table"', async () => {
    const answer = await editor.postFile(UPLOADS, GAZETTE, { name: '', text: 'contest,choice\nmayor,ann' });
    expect(answer.status).toBe(303);
    expect((await editor.get(answer.location)).html).toContain('<title>Upload: table ');
    const long = { name: `${'x'.repeat(300)}-2026.csv`, text: 'contest,choice\nmayor,ann' };
    const { location } = await editor.postFile(UPLOADS, GAZETTE, long);
    expect((await editor.get(location)).html).toContain(`<title>Upload: ${long.name.slice(-200)} `);
  });

  test('is not blamed for other fields that are larger than 64 KB in bytes', async () => {
    const csrf = await editor.formToken();
    const answer = await editor.postFile(
      UPLOADS,
      { ...GAZETTE, csrf, notes: 'é'.repeat(20_000), more: 'é'.repeat(20_000) },
      { name: 'list.csv', text: 'contest,choice' },
    );
    expect(answer.status).toBe(413);
    expect(answer.html).toContain(
      'The fields beside the file are larger than 64 KB together, with the field &quot;more&quot;: shorten it.',
    );
  });

  test('whose upload breaks off in the middle leaves nothing; until then, others of the account wait or are refused', async () => {
    const csrf = await editor.formToken();
    const part = (name: string, more = '') =>
      `--x\r\nContent-Disposition: form-data; name="${name}"${more}\r\n`;
    const sent = sendRequest(service.url(UPLOADS), {
      method: 'POST',
      headers: {
        'Content-Type': 'multipart/form-data; boundary=x',
        'Content-Length': 1_000_000,
        Expect: '100-continue',
        Cookie: `bes_session=${editor.cookie('bes_session')}`,
      },
    });
    sent.on('error', () => {});
    sent.flushHeaders();
    // The gateway has begun to answer it.
    await once(sent, 'continue');
    sent.write(
      `${part('csrf')}\r\n${csrf}\r\n${part('file', '; filename="half.csv"')}Content-Type: text/csv\r\n\r\n`,
    );
    await new Promise((resolve) => sent.write(`contest,choice\n${'mayor,ann\n'.repeat(1_000)}`, resolve));
    expect((await editor.get(UPLOADS)).status).toBe(200);
    const others = [1, 2, 3].map(() => upload(tableOf('mayor,ann'), { ...GAZETTE, csrf }));
    const refused = await Promise.race(others);
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '2']);
    sent.destroy();
    expect((await Promise.all(others)).map(({ status }) => status).sort()).toEqual([303, 303, 429]);
    expect((await editor.get(UPLOADS)).html.match(/\w+\.csv<\/a>/g)).toEqual([
      'list.csv</a>',
      'list.csv</a>',
    ]);
  });

  test('whose columns have other names is kept, and read once the person says what they hold', async () => {
    const { address } = await upload(['Who,Our word,What', 'Coast Gazette,Yes,Measure 110'], {
      election: '',
    });
    const unread = await editor.get(address);
    expect(unread.status).toBe(400);
    expect(unread.html).toContain('choose the endorser and the election of all rows. If the first line');
    expect((await editor.get(`${address}/preview`)).location).toBe(address);
    const columns = { 'column:0': 'endorser', 'column:1': 'position', 'column:2': 'contest' };
    await editor.post(`${address}/settings`, { ...columns, election: GENERAL });
    const read = await editor.get(address);
    expect(read.html).toContain('1 row: 1 exact.');
    expect(read.html).toMatch(/name="column:1".*value="position" selected/);
  });

  test('beside ten others that are not sent is refused; one that is sent makes room, and old ones are forgotten', async () => {
    const first = await upload(tableOf('governor,Tina Kotek'), GAZETTE);
    for (let count = 1; count < 10; count += 1) await upload(tableOf('mayor,ann'), GAZETTE);
    const refused = await upload(tableOf('mayor,ann'), GAZETTE);
    expect([refused.status, refused.html.includes('10 tables that are not sent')]).toEqual([400, true]);
    expect((await publish(first.address)).answer.status).toBe(303);
    expect((await upload(tableOf('mayor,ann'), GAZETTE)).status).toBe(303);
    expect((await editor.get(first.address)).status).toBe(404);
    // Of two gateways that take the tenth at the same time, one refuses.
    const uploads = await service.query('SELECT account_id, id FROM uploads ORDER BY id DESC LIMIT 1');
    await service.query('DELETE FROM uploads WHERE id = $1', [uploads[0]?.id]);
    const pool = new pg.Pool({ connectionString: service.databaseUrl });
    const save = () =>
      inTransaction(pool, async (saver) => {
        await saveTable(saver, Number(uploads[0]?.account_id));
        await saver.query('SELECT pg_sleep(0.1)');
      });
    const saved = await Promise.allSettled([save(), save()]);
    expect(saved.map((each) => each.status).sort()).toEqual(['fulfilled', 'rejected']);
    await service.query(`UPDATE uploads SET changed_at = now() - interval '15 days'`);
    await forgetOldUploads(pool).finally(() => pool.end());
    expect((await editor.get(UPLOADS)).html).not.toContain('list.csv');
  });
});

test('names without a match are known in the next table by what was decided about them', async () => {
  const lines = ['contest,choice,statement', 'governor,Nobody At All,Known.', 'Top Job,ann,Known.'];
  const { address } = await upload(lines, GAZETTE);
  const review = await editor.get(address);
  expect(review.html).toContain('2 rows: 2 without a match.');
  await editor.post(address, {
    ...choicesOf(review, address, { 2: `${GENERAL}/governor/kotek`, 3: 'other' }),
    'key:3': `${GENERAL}/mayor/ann`,
  });
  expect((await publish(address)).answer.status).toBe(303);
  const next = await upload(lines, GAZETTE);
  expect((await editor.get(next.address)).html).toContain('2 rows: 2 exact.');
});

test('a form with a file for another account is not handled, and can be sent again without the file', async () => {
  const csrf = await editor.formToken();
  const other = `other ${Math.random()}`;
  await service.createKey(other, 'free');
  await service.query(
    `UPDATE console_sessions SET account_id = (SELECT id FROM accounts WHERE name = $1), link_role = 'operator'
     WHERE account_id = (SELECT id FROM accounts WHERE name = $2)`,
    [other, account],
  );
  const stray = await editor.postFile(
    UPLOADS,
    { csrf, ...GAZETTE },
    { name: 'list.csv', text: 'contest,choice\nmayor,ann' },
  );
  expect(stray.status).toBe(409);
  const again = await editor.post(UPLOADS, { csrf, ...GAZETTE, show_account: 'yes' });
  expect([again.status, again.html.includes('Choose a file')]).toEqual([400, true]);
  expect(again.html).toContain('value="coast-gazette" selected');
});
