import { beforeEach, describe, expect, test } from '@jest/globals';
import { loadCatalogue } from '../../helpers/ballots/catalogue.ts';
import { choice, contest, election } from '../../helpers/ballots/catalogue-records.ts';
import { pick, position } from '../../helpers/ballots/submissions.ts';
import { ConsoleClient, type ReceivedPage } from '../../helpers/console/console-client.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { until } from '../../helpers/until.ts';

const service = useTestService({ gateways: 2, gatewayConfig: { today: '2026-11-02' } });
const ENDORSERS = ['bakers-local-1', 'coast-gazette'];

let account: string;
let editor: ConsoleClient;
let mayor: string;

async function idOf(contest: string): Promise<string> {
  const [row] = await service.query(`SELECT id FROM contests WHERE key LIKE '%/' || $1`, [contest]);
  return `/console/endorsements/${row?.id}`;
}

beforeEach(async () => {
  account = `account ${Math.random()}`;
  await service.createKey(account, 'free');
  await service.allow(ENDORSERS, account);
  editor = await ConsoleClient.signIn(service, { account, role: 'editor' });
  mayor = await idOf('mayor');
});

/** The hidden fields of a form, as a browser sends them. */
const fieldsOf = ({ html }: ReceivedPage, action: string): Record<string, string | string[]> => {
  const form = html.split('<form ').find((part) => part.includes(`action="${action}"`)) ?? '';
  const fields: Record<string, string[]> = {};
  for (const [, name = '', value = ''] of form.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)) {
    const text = value.replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
    if (name !== 'csrf') fields[name] = [...(fields[name] ?? []), text];
  }
  return fields;
};

/** Fills the form of a contest in, and sends the preview on. */
async function take(
  client: ConsoleClient,
  contest: string,
  fields: Record<string, string | string[]>,
): Promise<{ preview: ReceivedPage; receipt: ReceivedPage; sent: Record<string, string | string[]> }> {
  const form = await client.get(`${contest}?endorser=${fields.endorser ?? 'bakers-local-1'}`);
  const preview = await client.post(`${contest}/preview`, {
    ...fieldsOf(form, `${contest}/preview`),
    ...fields,
  });
  const sent = fieldsOf(preview, contest);
  return { preview, sent, receipt: await client.post(contest, sent) };
}

async function positions(endorser = 'bakers-local-1') {
  const { body } = await service.get(`/v1/endorsements?endorsers=${endorser}`);
  return body.data.map(
    ({
      choice,
      rank,
      statement,
    }: {
      choice: { label: string };
      rank: number | null;
      statement: string | null;
    }) => [choice.label, rank, statement],
  );
}

describe('an editor', () => {
  test('finds a contest without a position, takes one, sees its event, and undoes it', async () => {
    const list = await editor.get('/console/endorsements?show=missing');
    expect(list.html).toContain('3 of 3 contests are without a position of Bakers Local 1');
    expect(list.html).toContain(`href="${mayor}?endorser=bakers-local-1"`);
    const { preview, receipt, sent } = await take(editor, mayor, {
      choice: 'ann',
      'statement:ann': 'She <listens> & "acts".',
      'statement:bob': 'not sent',
    });
    expect(preview.html).toMatch(/<strong>Endorse<\/strong>.*ann.*She &lt;listens/);
    expect(preview.html).toContain(
      'One event reaches the stream. Readers usually have what you publish within',
    );
    // So that the way back from the receipt is not the browser's error page.
    expect(preview.headers.get('Cache-Control')).toBe('private, max-age=0');
    expect(preview.headers.get('Vary')).toContain('Cookie');
    expect(preview.html).toContain(
      'Your texts beside bob are not published, because you do not endorse that choice.',
    );
    expect(receipt.html).toContain('It is done: readers and the stream have it.');
    const [, event] = /<code>([^<]+)<\/code>/.exec(receipt.html) ?? [];
    const events = await service.eventsOnceThereAre(1);
    expect(events.map(({ id }: { id: string }) => id)).toContain(event);
    expect(await positions()).toEqual([['ann', null, 'She <listens> & "acts".']]);
    expect((await editor.get('/console/endorsements')).html).toContain('2 of 3 contests');

    // The same form again publishes nothing and shows the same receipt, without an "Undo" that would change nothing.
    const again = await editor.post(mayor, sent);
    expect([receipt, again].map(({ html }) => html.includes('>Undo<'))).toEqual([true, false]);
    expect(/Receipt \d+/.exec(again.html)?.[0]).toBe(/Receipt \d+/.exec(receipt.html)?.[0]);

    const undone = await editor.post(`${mayor}/undo`, fieldsOf(receipt, `${mayor}/undo`));
    expect(undone.html).toContain('<strong>Withdraw</strong>');
    expect(await positions()).toHaveLength(1);
    expect((await editor.post(mayor, fieldsOf(undone, mayor))).html).toContain('It is done');
    expect(await positions()).toEqual([]);
  });

  test('changes a position, which keeps what the form does not show, and withdraws it after a question', async () => {
    const council = await idOf('council');
    await take(editor, council, { choice: ['ann', 'bob'], 'statement:ann': 'First.' });
    const { preview } = await take(editor, council, {
      choice: ['ann', 'cyd', 'dee'],
      'statement:ann': 'Second.',
    });
    expect(preview.html.match(/<strong>(Endorse|Change|Withdraw)<\/strong>/g)).toHaveLength(4);
    expect(preview.html).toContain('You endorse 3 choices; a voter may mark 2.');
    expect((await positions()).sort()).toEqual([
      ['ann', null, 'Second.'],
      ['cyd', null, null],
      ['dee', null, null],
    ]);
    const question = await editor.get(`${council}/withdraw?endorser=bakers-local-1`);
    expect(question.html).toContain('3 events reach the stream.');
    // An empty form would withdraw what the person only wants to look at again.
    expect(question.html).toContain(`<a href="${council}?endorser=bakers-local-1">Back to the form</a>`);
    expect(await positions()).toHaveLength(3);
    await editor.post(council, fieldsOf(question, council));
    expect(await positions()).toEqual([]);
  });

  test('publishes nothing if the contest has lost a choice since the preview', async () => {
    const slug = 'or-2027-05-18-primary';
    const load = (...keys: string[]) =>
      loadCatalogue(service.databaseUrl, [
        ['elections', election({ slug })],
        ['contests', contest('clerk', { election: slug, choices: keys.map((key) => choice(key)) })],
      ]);
    await load('eve', 'fay');
    const clerk = await idOf('clerk');
    await take(editor, clerk, { choice: 'eve' });
    const form = fieldsOf(await editor.get(`${clerk}?endorser=bakers-local-1`), `${clerk}/preview`);
    const preview = await editor.post(`${clerk}/preview`, { ...form, choice: 'fay' });
    await load('eve', 'gus');
    const late = await editor.post(clerk, fieldsOf(preview, clerk));
    expect(late.status).toBe(400);
    expect(late.html).toContain('has choices that the contest no longer has: &quot;fay&quot;.');
    expect(await positions()).toEqual([['eve', null, null]]);
    await editor.post(clerk, fieldsOf(await editor.get(`${clerk}/withdraw`), clerk));
  });

  test('edits a statement beside details with numbers that JavaScript would round or rewrite, and these stay', async () => {
    const details = '{"id": 12345678901234567890, "share": 1.50}';
    await service.submit([position('bakers-local-1', 'mayor', [pick('ann', { details })])]);
    await until('it is applied', async () => (await positions()).length === 1);
    const { receipt } = await take(editor, mayor, { choice: 'ann', 'statement:ann': 'Beside numbers.' });
    expect(receipt.html).toContain('It is done');
    const stored = 'SELECT details::text FROM endorsements WHERE statement = $1';
    expect(await service.query(stored, ['Beside numbers.'])).toEqual([{ details }]);
    await editor.post(mayor, fieldsOf(await editor.get(`${mayor}/withdraw`), mayor));
  });

  test('ranks choices, and gets the form again with its entries and the reason if two have one rank', async () => {
    const sheriff = await idOf('sheriff');
    const ranked = await take(editor, sheriff, { 'rank:bob': '1', 'rank:ann': '2' });
    expect(ranked.preview.html).not.toContain('a voter may');
    expect((await positions()).sort()).toEqual([
      ['ann', 2, null],
      ['bob', 1, null],
    ]);
    const { preview } = await take(editor, sheriff, {
      'rank:cyd': '1',
      'rank:ann': '1',
      'statement:cyd': 'kept',
    });
    expect(preview.status).toBe(400);
    expect(preview.html).toContain('cyd: rank must be unique in the position, is 1 as in ann.');
    expect(preview.html).toContain('>kept</textarea>');
    expect(await positions()).toHaveLength(2);
    const all = { 'rank:bob': '1', 'rank:ann': '2', 'rank:cyd': '3', 'rank:dee': '4' };
    const form = await editor.get(sheriff);
    const more = await editor.post(`${sheriff}/preview`, { ...fieldsOf(form, `${sheriff}/preview`), ...all });
    expect(more.html).toContain('You endorse 4 choices; a voter may rank 3.');
    await editor.post(sheriff, fieldsOf(await editor.get(`${sheriff}/withdraw`), sheriff));
  });

  test('sees what another editor did before it is overwritten, and nothing was published', async () => {
    const [first, second] = [editor, await ConsoleClient.signIn(service, { account, role: 'editor' })];
    const form = await second.get(`${mayor}?endorser=bakers-local-1`);
    await take(first, mayor, { choice: 'bob' });
    const late = { ...fieldsOf(form, `${mayor}/preview`), choice: 'cyd' };
    for (const path of [`${mayor}/preview`, mayor]) {
      const refused = await second.post(path, late);
      expect(refused.status).toBe(409);
      expect(refused.html).toContain('The position has changed since you opened the form');
      expect(refused.html).toMatch(/The position now<\/h2><ul><li>.*bob/);
      expect(refused.html).toMatch(/value="cyd" checked/);
    }
    expect(await positions()).toEqual([['bob', null, null]]);
    const { html } = await second.post(`${mayor}/preview`, late);
    const seen = fieldsOf({ html } as ReceivedPage, `${mayor}/preview`);
    const preview = await second.post(`${mayor}/preview`, { ...seen, choice: 'cyd' });
    await second.post(mayor, fieldsOf(preview, mayor));
    expect(await positions()).toEqual([['cyd', null, null]]);
    await editor.post(mayor, fieldsOf(await editor.get(`${mayor}/withdraw`), mayor));
  });

  test('and another one publish at the same moment: one is first, and the other sees it before anything else', async () => {
    const second = await ConsoleClient.signIn(service, { account, role: 'editor' });
    second.gateway = 1;
    for (let round = 0; round < 3; round += 1) {
      const form = await editor.get(`${mayor}?endorser=bakers-local-1`);
      const sent = await Promise.all(
        [editor, second].map(async (client, index) => {
          const choice = [`ann`, `bob`][(index + round) % 2] ?? '';
          const preview = await client.post(`${mayor}/preview`, {
            ...fieldsOf(form, `${mayor}/preview`),
            choice,
          });
          return { client, choice, fields: fieldsOf(preview, mayor) };
        }),
      );
      const answers = await Promise.all(
        sent.map(async ({ client, choice, fields }) => ({ choice, ...(await client.post(mayor, fields)) })),
      );
      const first = answers.find(({ status }) => status === 200);
      const late = answers.find(({ status }) => status === 409);
      expect(first?.html).toContain('It is done');
      expect(late?.html).toMatch(new RegExp(`The position now</h2><ul><li>.*${first?.choice}`));
      expect(late?.html).toMatch(new RegExp(`value="${late?.choice}" checked`));
      expect(await positions()).toEqual([[first?.choice, null, null]]);
      await editor.post(mayor, fieldsOf(await editor.get(`${mayor}/withdraw`), mayor));
    }
  });

  test('who corrects a form, or goes back to it, still sees what changed since it was opened', async () => {
    const form = await editor.get(`${mayor}?endorser=bakers-local-1`);
    const opened = fieldsOf(form, `${mayor}/preview`);
    const preview = await editor.post(`${mayor}/preview`, { ...opened, choice: 'cyd' });
    await take(editor, mayor, { choice: 'bob' });
    const wrong = { ...opened, choice: 'cyd', 'source_url:cyd': 'page 3' };
    const corrected = await editor.post(`${mayor}/preview`, wrong);
    expect(corrected.status).toBe(400);
    const back = await editor.post(`${mayor}/edit`, fieldsOf(preview, mayor));
    for (const page of [corrected, back]) {
      const late = await editor.post(`${mayor}/preview`, {
        ...fieldsOf(page, `${mayor}/preview`),
        choice: 'cyd',
      });
      expect(late.status).toBe(409);
      expect(late.html).toMatch(/The position now<\/h2><ul><li>.*bob/);
    }
    await editor.post(mayor, fieldsOf(await editor.get(`${mayor}/withdraw`), mayor));
  });

  test('who writes about a choice but forgets to mark it is told, and is not asked to withdraw anything', async () => {
    const { html } = await editor.post(`${mayor}/preview`, {
      ...fieldsOf(await editor.get(mayor), `${mayor}/preview`),
      'statement:bob': 'Not marked.',
    });
    expect(html).toContain('<h1>Publish: ');
    expect(html).toContain(
      'Your texts beside bob are not published, because you do not endorse that choice.',
    );
  });

  test('goes back from the preview to the form with the entries', async () => {
    const form = await editor.get(`${mayor}?endorser=coast-gazette`);
    const preview = await editor.post(`${mayor}/preview`, {
      ...fieldsOf(form, `${mayor}/preview`),
      choice: 'dee',
      'statement:dee': 'On reflection',
    });
    const back = await editor.post(`${mayor}/edit`, fieldsOf(preview, mayor));
    expect(back.html).toMatch(/value="dee" checked/);
    expect(back.html).toContain('>On reflection</textarea>');
    expect(back.html).toContain('Coast Gazette');
  });

  test('finds contests by a part of the title or the place, in pages', async () => {
    expect((await editor.get('/console/endorsements?q=MAYO')).html).toContain(mayor);
    expect((await editor.get('/console/endorsements?q=sheriff')).html).not.toContain(mayor);
    expect((await editor.get('/console/endorsements?page=2')).html).toContain('There is no such contest.');
    expect((await editor.get('/console/endorsements?election=nothing&endorser=nobody&page=x')).status).toBe(
      200,
    );
  });

  test('keeps the filter on the next page of contests', async () => {
    const slug = 'or-2027-11-02-general';
    const named = (at: number) => contest(`seat-${at}`, { election: slug, title: `Seat ${at}` });
    await loadCatalogue(service.databaseUrl, [
      ['elections', election({ slug, date: '2027-11-02' })],
      ...Array.from({ length: 51 }, (_, at) => ['contests', named(at)] as ['contests', object]),
    ]);
    const { html } = await editor.get(`/console/endorsements?election=${slug}&show=missing&q=seat`);
    const [, next = ''] = /href="(\?[^"]+)">Next contests/.exec(html) ?? [];
    expect(Object.fromEntries(new URLSearchParams(next.replaceAll('&amp;', '&')))).toMatchObject({
      ...{ election: slug, show: 'missing', q: 'seat', page: '2' },
    });
  });
});

describe('nobody publishes', () => {
  test('as a member, by a page or by the API of the console', async () => {
    const member = await ConsoleClient.signIn(service, { account, role: 'member' });
    for (const path of ['/console/endorsements', mayor, `${mayor}/withdraw`]) {
      expect((await member.get(path)).status).toBe(403);
    }
    const late = { endorser: 'bakers-local-1', choice: 'ann', 'statement:ann': 'Long <words>.' };
    const refused = await member.post(mayor, late);
    expect(refused.status).toBe(403);
    // A person whose role was lowered meanwhile can copy it.
    expect(refused.html).toContain('<dd>Long &lt;words>.</dd>');
    expect((await member.get('/console/api/v1/submissions/1')).status).toBe(403);
    expect((await member.get('/console/account')).html).not.toContain('/console/endorsements');
  });

  test('for an endorser of another account, or one whose right was taken back after the preview', async () => {
    const foreign = { endorser: 'nation-herald', choice: 'ann' };
    expect((await editor.get(`${mayor}?endorser=nation-herald`)).status).toBe(403);
    expect((await editor.post(`${mayor}/preview`, foreign)).status).toBe(403);
    expect((await editor.post(mayor, foreign)).status).toBe(403);
    const form = await editor.get(`${mayor}?endorser=coast-gazette`);
    const preview = await editor.post(`${mayor}/preview`, {
      ...fieldsOf(form, `${mayor}/preview`),
      choice: 'ann',
    });
    await service.query(
      `DELETE FROM account_endorsers WHERE account_id = (SELECT id FROM accounts WHERE name = $1)`,
      [account],
    );
    expect((await editor.post(mayor, fieldsOf(preview, mayor))).status).toBe(403);
    expect((await editor.get('/console/endorsements')).html).toContain(
      'may not publish for any endorser yet',
    );
    expect(await positions('coast-gazette')).toEqual([]);
    expect(await positions('nation-herald')).toEqual([]);
  });

  test('in a contest that does not exist, and no receipt of another account is shown', async () => {
    for (const id of ['0', '999999', 'x', '99999999999999999999']) {
      expect((await editor.get(`/console/endorsements/${id}`)).status).toBe(404);
      expect((await editor.get(`/console/endorsements/receipts/${id}`)).status).toBe(404);
    }
    const { receipt } = await take(editor, mayor, { endorser: 'coast-gazette', choice: 'ann' });
    const [, address = ''] = /href="(\/console\/endorsements\/receipts\/\d+)"/.exec(receipt.html) ?? [];
    expect((await editor.get(address)).status).toBe(200);
    expect((await (await ConsoleClient.signIn(service)).get(address)).status).toBe(404);
    await editor.post(mayor, fieldsOf(await editor.get(`${mayor}/withdraw?endorser=coast-gazette`), mayor));
  });
});
