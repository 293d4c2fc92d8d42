/** The list of an account's endorsements: its filters, both languages, and the table that `submit` reads back. */
import { writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { ConsoleContext } from '../../../gateway/console/context.ts';
import type { PageRequest } from '../../../gateway/console/page.ts';
import { ownEndorsementPages } from '../../../gateway/console/pages/own-endorsements.ts';
import { CALIFORNIA, lines, SMALL_BALLOT } from '../../helpers/ballots/catalogue.ts';
import { choice, contest } from '../../helpers/ballots/catalogue-records.ts';
import { pick, position } from '../../helpers/ballots/submissions.ts';
import { createIo, createRunner, runToExit } from '../../helpers/commands/command-io.ts';
import { ConsoleClient } from '../../helpers/console/console-client.ts';
import { createFolder } from '../../helpers/folder.ts';
import { useTestService } from '../../helpers/service/service.ts';

const line = (key: string, party: string) =>
  choice(key, { label: 'Ann Lee', party, candidate: { key: 'ann-lee', full_name: 'Ann Lee' } });

const service = useTestService({
  gatewayConfig: { today: '2026-11-02' },
  catalogue: [
    ...SMALL_BALLOT,
    ...lines('contests', [
      contest('judge', {
        ...{ title: 'Judge', title_es: 'Jueza o juez' },
        choices: [
          line('ann-blue', 'Blue'),
          choice('bo', { label: 'Bo Ray', label_es: 'Bo Rey', party: 'Red', party_label_es: 'Rojo' }),
          line('ann-green', 'Green'),
        ],
      }),
    ]),
  ],
});
const ENDORSERS = ['bakers-local-1', 'coast-gazette'];
let editor: ConsoleClient;

const HELD = [
  position('bakers-local-1', 'mayor', [
    pick('ann', { statement: '=1+1; "quoted", and\nin two lines', statement_es: 'Sí, señora' }),
  ]),
  position('bakers-local-1', 'sheriff', [pick('bob', { rank: 1 }), pick('ann', { rank: 2 }), pick('cyd')]),
  position('bakers-local-1', 'judge', [pick('ann-green'), pick('bo', { published_on: '2026-10-01' })]),
  position('coast-gazette', 'prop-1', [pick('yes', { source_url: 'https://coast.example/yes?a=1,2' })]),
  position('coast-gazette', 'council', [pick('dee', { details: '{"source":"Our paper, page 3"}' })]),
];
const EVENTS = 8;

/** Everything that the endorsers hold, without what the service assigns. */
async function held(): Promise<object[]> {
  return service.query(
    `SELECT e.slug, c.key AS contest, h.key AS choice, rank, statement, statement_es, n.source_url, published_on, n.details
     FROM endorsements n JOIN endorsers e ON e.id = n.endorser_id JOIN contests c ON c.id = n.contest_id
       JOIN choices h ON h.id = n.choice_id ORDER BY 1, 2, 3`,
  );
}

beforeAll(async () => {
  await service.allow(ENDORSERS);
  editor = await ConsoleClient.signIn(service, { role: 'editor' });
  await service.submit([...HELD, position('nation-herald', 'mayor', [pick('dee')])]);
  await service.eventsOnceThereAre(EVENTS + 1);
});

test('the table has all endorsements of the account, and submit reads it back as they were', async () => {
  const { status, headers, html: table } = await editor.get('/console/endorsements.csv');
  expect([status, headers.get('Content-Type')]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(headers.get('Content-Disposition')).toBe('attachment; filename="endorsements.csv"');
  expect(table).not.toContain('nation-herald');
  const before = await held();
  const folder = await createFolder({});
  try {
    const file = folder.file('endorsements.csv');
    await writeFile(file, table);
    const submit = async () => {
      const io = createIo(service.env('ops'));
      const exit = await runToExit(createRunner('submit'), ['--replace', '--wait', file], io);
      return { exit, text: [...io.printed, ...io.told].join('\n') };
    };
    // A position that is stored already makes no event.
    expect(await submit()).toMatchObject({ exit: 0, text: expect.stringMatching(/unchanged +8\n/) });
    expect((await service.events()).data).toHaveLength(EVENTS + 1);
    await service.submit(HELD.map((one) => ({ ...one, picks: [] })));
    await service.eventsOnceThereAre(2 * EVENTS + 1);
    expect(await held()).toHaveLength(1);
    await submit();
    expect(await held()).toEqual(before);
  } finally {
    await folder.remove();
  }
});

test('the table can be of one endorser and election, and is only of endorsers of the account', async () => {
  const rowsOf = async (query: string) =>
    (await editor.get(`/console/endorsements.csv?${query}`)).html.split('\r\n');
  expect(await rowsOf(`endorser=coast-gazette&election=${CALIFORNIA}`)).toHaveLength(3);
  expect(await rowsOf('endorser=nation-herald')).toHaveLength(2);
  expect(await rowsOf('endorser=%00')).toHaveLength(EVENTS + 2);
});

test.each([
  ['show=missing', ['council']],
  ['show=taken', ['judge', 'mayor', 'sheriff']],
  ['level=federal', []],
  ['level=city&kind=candidate&show=missing', ['council']],
  ['kind=measure', []],
  ['q=jueza', ['judge']],
  ['level=nothing&show=nothing&q=%00', ['council', 'judge', 'mayor', 'sheriff']],
])('the list can be narrowed: %s', async (query, contests) => {
  const { html } = await editor.get(
    `/console/endorsements?endorser=bakers-local-1&election=or-2026-11-03-general&${query}`,
  );
  const rows = await service.query('SELECT id, key FROM contests ORDER BY key');
  const shown = rows.filter(({ id }) => html.includes(`/console/endorsements/${id}?`));
  expect(shown.map(({ key }) => String(key).split('/')[1])).toEqual(contests);
});

test('lists and forms show the Spanish names of the ballot, and lines of a candidate together', async () => {
  const [row] = await service.query(`SELECT id FROM contests WHERE key LIKE '%/judge'`);
  const list = await editor.get(
    '/console/endorsements?endorser=bakers-local-1&election=or-2026-11-03-general',
  );
  const marked = (text: string) => `Spanish: <span lang="es">${text}</span>`;
  expect(list.html).toContain(marked('Jueza o juez'));
  const { html } = await editor.get(`/console/endorsements/${row?.id}?endorser=bakers-local-1`);
  for (const text of ['Jueza o juez', 'Bo Rey', 'Rojo']) expect(html).toContain(marked(text));
  const [, lines = ''] = /<legend>Ann Lee, on 2 lines<\/legend>(.*?)<\/fieldset>/s.exec(html) ?? [];
  expect([...lines.matchAll(/name="choice" value="([^"]+)"/g)].map(([, key]) => key)).toEqual([
    'ann-blue',
    'ann-green',
  ]);
  expect(html).toContain('at most 20,000 characters');
});

test('the preview counts the lines of a candidate once, as a voter marks the candidate once', async () => {
  const [row] = await service.query(`SELECT id FROM contests WHERE key LIKE '%/judge'`);
  const form = `/console/endorsements/${row?.id}`;
  const { html } = await editor.get(`${form}?endorser=bakers-local-1`);
  const [, version = ''] = /name="version" value="(\d+)"/.exec(html) ?? [];
  const fields = { endorser: 'bakers-local-1', version };
  const preview = async (choices: string[]) =>
    (await editor.post(`${form}/preview`, { ...fields, choice: choices })).html;
  expect(await preview(['ann-blue', 'ann-green'])).not.toContain('a voter may');
  expect(await preview(['ann-blue', 'ann-green', 'bo'])).toContain(
    'You endorse 2 choices; a voter may mark 1.',
  );
});

describe('with 1,500 choices in a contest', () => {
  let contestId: number;
  beforeAll(async () => {
    const [row] = await service.query(`SELECT id FROM contests WHERE key LIKE '%/council'`);
    contestId = Number(row?.id);
    await service.query(
      `INSERT INTO choices (contest_id, key, label, ballot_order)
       SELECT $1, 'more-' || n, 'More ' || n, 100 + n FROM generate_series(1, 1500) AS n`,
      [contestId],
    );
  });

  test('the form of a position can be sent', async () => {
    const { html } = await editor.get(`/console/endorsements/${contestId}?endorser=bakers-local-1`);
    const fields: Record<string, string> = { endorser: 'bakers-local-1', choice: 'more-1499' };
    for (const [, name = ''] of html.matchAll(/name="([a-z_]+:[^"]+)"/g)) fields[name] = '';
    fields['statement:more-1499'] = 'The last but one.';
    const [, version = ''] = /name="version" value="(\d+)"/.exec(html) ?? [];
    expect(Object.keys(fields).length).toBeGreaterThan(6_000);
    const sent = await editor.post(`/console/endorsements/${contestId}/preview`, { ...fields, version });
    expect(sent.status).toBe(200);
    expect(sent.html).toContain('More 1499: “The last but one.”');
  });

  test('a table that is too large is refused before it is read', async () => {
    await service.query(
      `INSERT INTO endorsements (endorser_id, contest_id, choice_id, election_id, statement, updated_at)
       SELECT e.id, c.id, h.id, c.election_id, repeat('x', 12000), now()
       FROM endorsers e, contests c JOIN choices h ON h.contest_id = c.id
       WHERE e.slug = 'coast-gazette' AND h.key LIKE 'more-%'`,
    );
    expect((await editor.get(`/console/endorsements.csv?election=${CALIFORNIA}`)).status).toBe(200);
    const [account] = await service.query(
      "SELECT account_id FROM account_endorsers a JOIN endorsers e ON e.id = a.endorser_id WHERE e.slug = 'coast-gazette'",
    );
    const texts: string[] = [];
    const pool = {
      query: async (text: string, values: unknown[]) => {
        texts.push(text);
        return { rows: await service.query(text, values) };
      },
    };
    const request = { query: new URLSearchParams(), session: { accountId: account?.account_id } };
    const page = ownEndorsementPages.find(({ path }) => path === '/console/endorsements.csv');
    const table = page?.handle(request as PageRequest, { pool } as unknown as ConsoleContext);
    await expect(table).rejects.toMatchObject({ status: 413 });
    expect(texts).toHaveLength(1);
    expect((await editor.get('/console/endorsements.csv')).status).toBe(413);
  });
});
