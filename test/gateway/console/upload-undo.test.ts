import { beforeEach, describe, expect, test } from '@jest/globals';
import { loadCatalogue } from '../../helpers/ballots/catalogue.ts';
import { contest as contestRecord } from '../../helpers/ballots/catalogue-records.ts';
import { CROWD, CROWDED_CONTEST } from '../../helpers/ballots/crowded-contest.ts';
import { endorse, pick, position, withdraw } from '../../helpers/ballots/submissions.ts';
import { TABLE_BALLOT } from '../../helpers/ballots/table-ballot.ts';
import { ConsoleClient, type ReceivedPage, readSeen } from '../../helpers/console/console-client.ts';
import { loseAnswer, loseRights } from '../../helpers/console/interrupted-uploads.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { until } from '../../helpers/until.ts';

const service = useTestService({ catalogue: TABLE_BALLOT, gatewayConfig: { today: '2026-11-02' } });
const UPLOADS = '/console/endorsements/uploads';
const GENERAL = 'or-2026-11-03-general';
const GAZETTE = 'coast-gazette';

let account: string;
let editor: ConsoleClient;

/** The endorsements of an endorser, with their values, in the order of their texts. */
async function held(endorser = GAZETTE): Promise<string[]> {
  const rows = await service.query(
    `SELECT c.key AS contest, h.key AS choice, n.rank, n.statement, n.statement_es, n.source_url, n.published_on::text,
       n.details FROM endorsements n JOIN endorsers e ON e.id = n.endorser_id JOIN contests c ON c.id = n.contest_id
       JOIN choices h ON h.id = n.choice_id WHERE e.slug = $1`,
    [endorser],
  );
  return rows.map((row) => JSON.stringify(row)).sort();
}

const countEvents = async () => (await service.events()).data.length;

beforeEach(async () => {
  account = `account ${Math.random()}`;
  await service.createKey(account, 'free');
  await service.allow([GAZETTE, 'sierra-club'], account);
  editor = await ConsoleClient.signIn(service, { account, role: 'editor' });
  const stored = await service.query(
    `SELECT DISTINCT e.slug AS endorser, c.key AS contest FROM endorsements n JOIN endorsers e ON e.id = n.endorser_id
     JOIN contests c ON c.id = n.contest_id`,
  );
  if (stored.length === 0) return;
  await service.submit(
    stored.map(({ endorser, contest }) => ({
      ...{ action: 'position' as const, picks: [] },
      ...{ endorser: String(endorser), contest: String(contest) },
    })),
  );
  await until(
    'nothing is endorsed',
    async () => (await service.query('SELECT FROM endorsements')).length === 0,
  );
});

/** Uploads a table, publishes it, and waits for its receipt. @returns the address of the upload */
async function publish(lines: readonly string[], fields: Record<string, string> = {}): Promise<string> {
  const text = `${lines.join('\n')}\n`;
  const settings = { election: GENERAL, endorser: GAZETTE, ...fields };
  const { status: uploaded, location: address } = await editor.postFile(UPLOADS, settings, {
    name: 'list.csv',
    text,
  });
  expect(uploaded).toBe(303);
  const preview = await editor.get(`${address}/preview`);
  const [, withdrawn = ''] = /name="withdraw" value="(\d+)"/.exec(preview.html) ?? [];
  const { status } = await editor.post(`${address}/publish`, {
    seen: readSeen(preview),
    withdraw: withdrawn,
  });
  expect(status).toBe(303);
  await done(address);
  return address;
}

/** Waits until an upload is sent and applied. Sends the rest if a slow machine has not sent all in one request. */
async function done(address: string): Promise<ReceivedPage> {
  await until('its receipt is complete', async () => {
    const { html } = await editor.get(address);
    if (!html.includes('data-send-on')) return !/on their way|cannot be shown/.test(html);
    await editor.post(`${address}/send`);
    return false;
  });
  return editor.get(address);
}

/** Previews the undoing of an upload, and asks for it. */
async function undo(address: string, client = editor) {
  const preview = await client.get(`${address}/undo`);
  const answer = await client.post(`${address}/undo`, { seen: readSeen(preview) });
  const made = answer.location.replace(/\?.*/, '');
  const receipt = made.startsWith(UPLOADS) && !made.endsWith('/undo') ? await done(made) : null;
  return { preview, answer, made, receipt };
}

const submit = async (...submissions: Parameters<typeof service.submit>[0]) => {
  const before = await countEvents();
  await service.submit(submissions);
  await service.eventsOnceThereAre(before + submissions.length);
};

const HEAD = 'contest,choice,statement';
/** Ann in mayor is changed, Bob in council withdrawn, and Cyd in sheriff added. */
async function publishMixed(): Promise<{ before: string[]; address: string }> {
  await submit(
    endorse(GAZETTE, 'mayor', 'ann', {
      ...{ statement: 'Old.', statement_es: 'Viejo.', source_url: 'https://example.org/a' },
      ...{ published_on: '2026-10-01', details: '{"page":4}' },
    }),
    endorse(GAZETTE, 'council', 'bob'),
    endorse(GAZETTE, 'council', 'dee'),
  );
  const before = await held();
  const address = await publish([HEAD, 'mayor,ann,New.', 'council,dee,', 'sheriff,cyd,'], { whole: 'yes' });
  expect(await held()).not.toEqual(before);
  return { before, address };
}

test('an editor undoes an upload: additions are withdrawn, changes get every former value, withdrawals come back', async () => {
  const { before, address } = await publishMixed();
  const after = await held();
  const receipt = await editor.get(address);
  expect(receipt.html).toContain(`href="${address}/undo">Undo this upload</a>`);
  expect(receipt.html).toMatch(/It can be undone until <time/);
  const events = await countEvents();
  const { preview, answer, made, receipt: undone } = await undo(address);
  expect(preview.html).toContain(
    '3 positions get back what stood before the upload. 3 events reach the stream: 1 withdrawn, 1 changed back, 1 endorsed again.',
  );
  expect(preview.html).toMatch(/<td><div>ann: “New\.”<\/div><\/td><td><div>ann: “Old\.”<\/div><\/td>/);
  expect(preview.html).toMatch(/<td><div>cyd<\/div><\/td><td><span class="muted">No position<\/span><\/td>/);
  expect(preview.html).toMatch(/>1 that stays<\/div><\/td><td><div>bob<\/div><div[^>]*>and 1 that stays/);
  expect(answer.location).toBe(`${made}?on`);
  expect(undone?.html).toContain('It is done: readers and the stream have it.');
  expect(undone?.html).toContain(`It restores what stood before <a href="${address}">list.csv</a>`);
  expect(await held()).toEqual(before);
  expect(await countEvents()).toBe(events + 3);
  expect((await editor.get(address)).html).toContain(
    `Undone: <a href="${made}">Undo of list.csv</a>, by ann`,
  );
  expect((await editor.get(UPLOADS)).html).toContain('Undo of list.csv</a>');

  // Undoing it twice does nothing more.
  const again = await undo(address);
  expect(again.preview.html).toContain('Nothing is left to undo.');
  expect(again.preview.html).toContain('3 positions stand as before the upload already.');
  expect(again.answer.location).toBe(made);

  // An undoing can be undone, and that again.
  const redone = await undo(made);
  expect(redone.receipt?.html).toContain('It restores what stood before');
  expect(await held()).toEqual(after);
  await undo(redone.made);
  expect(await held()).toEqual(before);
});

test('a position that somebody has changed since the upload is named, and stays', async () => {
  const { address } = await publishMixed();
  await submit(endorse(GAZETTE, 'mayor', 'ann', { statement: 'Theirs.' }));
  // The position of another endorser in a contest is another position.
  await submit(endorse('bakers-local-1', 'council', 'ann', { statement: `Bakers ${address}.` }));
  const { preview } = await undo(address);
  expect(preview.html).toContain('2 positions get back');
  expect(preview.html).toContain('1 position stays as it is, because somebody has changed it since.');
  expect(preview.html).toMatch(/Title of mayor.*<td>Changed since the upload\.<\/td>/s);
  const now = await held();
  expect(now.some((row) => row.includes('Theirs.'))).toBe(true);
  expect(now.map((row) => JSON.parse(row).choice).sort()).toEqual(['ann', 'bob', 'dee']);
});

test('a position that was changed while the upload was on its way, or set to the same by somebody else, stays', async () => {
  await loadCatalogue(service.databaseUrl, [...TABLE_BALLOT, CROWDED_CONTEST]);
  const lines = [HEAD, ...CROWD.map((key) => `crowd,${key},`), 'mayor,ann,Mine.', 'council,bob,Mine.'];
  // The second batch waits, because the account may not publish for a moment.
  const { location: address } = await editor.postFile(
    UPLOADS,
    { election: GENERAL, endorser: GAZETTE },
    { name: 'list.csv', text: lines.join('\n') },
  );
  const seen = readSeen(await editor.get(`${address}/preview`));
  expect((await loseRights(service, editor, `${address}/publish`, { seen })).status).toBe(409);
  await submit(
    endorse(GAZETTE, 'mayor', 'ann', { statement: 'Theirs.' }),
    endorse(GAZETTE, 'council', 'bob', { statement: 'Mine.' }),
  );
  await service.allow([GAZETTE], account);
  await editor.post(`${address}/send`);
  await done(address);
  const { preview } = await undo(address);
  expect(preview.html).toContain('1 position gets back');
  expect(preview.html).toContain('2 positions stay as they are, because somebody has changed them since.');
  expect((await held()).map((row) => JSON.parse(row).statement)).toEqual(['Mine.', 'Mine.']);
});

test('a change by a producer that claims to be the publication is not taken for the upload', async () => {
  const address = await publish(['contest,choice', 'mayor,ann']);
  const [, receipt] = /receipts\/(\d+)/.exec((await editor.get(address)).html) ?? [];
  const before = await countEvents();
  await service.submit(
    [endorse(GAZETTE, 'mayor', 'ann', { statement: 'Forged.' })],
    `publication ${receipt}`,
  );
  await service.eventsOnceThereAre(before + 1);
  const { preview } = await undo(address);
  expect(preview.html).toContain('Nothing is left to undo.');
  expect(preview.html).toContain('1 position stays as it is');
});

test('edits of the catalogue do not hinder undoing, unless they make the position before impossible', async () => {
  await submit(endorse(GAZETTE, 'mayor', 'ann'), endorse(GAZETTE, 'council', 'ann'));
  const address = await publish(['contest,choice', 'mayor,bob', 'council,bob'], { whole: 'yes' });
  const choices = ['bob', 'cyd', 'dee'].map((key) => ({ key, label: key, candidate: { full_name: key } }));
  const mayor = TABLE_BALLOT.find(([, record]) => (record as { slug?: string }).slug === 'mayor');
  const council = TABLE_BALLOT.find(([, record]) => (record as { slug?: string }).slug === 'council');
  const rest = TABLE_BALLOT.filter((line) => line !== mayor && line !== council);
  const changed = TABLE_BALLOT.map(([kind, record]): (typeof TABLE_BALLOT)[number] => [
    kind,
    record === council?.[1] ? { ...record, title: 'The council' } : record,
  ]);
  await loadCatalogue(service.databaseUrl, changed);
  await until('the title is announced', async () => {
    const { data } = await service.events();
    return data.some((event) => event.contest?.title === 'The council');
  });
  await loadCatalogue(service.databaseUrl, [
    ...rest.filter(([kind]) => kind === 'contests'),
    ['contests', { ...council?.[1], title: 'The council' }],
    ['contests', contestRecord('mayor', { choices })],
  ]);
  const { preview } = await undo(address);
  expect(preview.html).toContain('1 position gets back');
  expect(preview.html).toContain('1 position stays as it is, because it cannot be restored.');
  expect(preview.html).toContain('has no choice &quot;ann&quot;');
  const now = (await held())
    .map((row) => JSON.parse(row))
    .map(({ contest, choice }) => `${contest} ${choice}`);
  expect(now).toEqual([`${GENERAL}/council ann`, `${GENERAL}/mayor bob`]);
  await loadCatalogue(service.databaseUrl, TABLE_BALLOT);
});

describe('of two at once', () => {
  test('who ask to undo an upload, the second gets the receipt of the first, and each event is made once', async () => {
    const address = await publish(['contest,choice', 'mayor,ann', 'council,bob']);
    const other = await ConsoleClient.signIn(service, { account, role: 'editor', person: 'bob' });
    const clients = [editor, other];
    const forms = await Promise.all(clients.map((client) => client.get(`${address}/undo`)));
    const before = await countEvents();
    const answers = await Promise.all(
      clients.map((client, at) =>
        client.post(`${address}/undo`, { seen: readSeen(forms[at] as ReceivedPage) }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
    const [first, second] = answers.map(({ location }) => location.replace(/\?.*/, ''));
    expect(first).toBe(second);
    await done(first ?? '');
    expect(await held()).toEqual([]);
    expect(await countEvents()).toBe(before + 2);
  });

  test('a change that comes between the preview and the undoing is shown in a new preview', async () => {
    const address = await publish(['contest,choice', 'mayor,ann', 'council,bob']);
    const seen = readSeen(await editor.get(`${address}/undo`));
    await submit(endorse(GAZETTE, 'mayor', 'ann', { statement: 'Theirs.' }));
    const refused = await editor.post(`${address}/undo`, { seen });
    expect(refused.status).toBe(409);
    expect(refused.html).toContain('Something has changed since the preview');
    expect(refused.html).toContain('1 position stays as it is, because somebody has changed it since.');
    expect(await held()).toHaveLength(2);
    expect((await editor.get(UPLOADS)).html).not.toContain('Undo of');
  });
});

describe('if the connection is lost in the middle', () => {
  /** Endorses in many contests, so that undoing takes two batches. */
  async function publishMany(): Promise<string> {
    const many = Array.from({ length: 501 }, (_, at) => `many-${String(at).padStart(3, '0')}`);
    await loadCatalogue(service.databaseUrl, [
      ...TABLE_BALLOT,
      ...many.map((slug): (typeof TABLE_BALLOT)[number] => ['contests', contestRecord(slug)]),
    ]);
    const address = await publish(['contest,choice', ...many.map((slug) => `${GENERAL}/${slug},ann`)]);
    expect(await held()).toHaveLength(501);
    return address;
  }

  test('of undoing, the rest is sent when somebody asks for it, once; a batch whose position has changed since is not', async () => {
    const address = await publishMany();
    const events = await countEvents();
    const seen = readSeen(await editor.get(`${address}/undo`));
    const broken = await loseAnswer(service, () => editor.post(`${address}/undo`, { seen }));
    expect(broken.status).toBe(503);
    const made = /href="([^"]+)">Undo of list\.csv/.exec((await editor.get(UPLOADS)).html)?.[1] ?? '';
    expect((await editor.get(made)).html).toContain('500 of 501 submissions are sent.');
    // A second click meanwhile leads to the same undoing.
    expect((await editor.post(`${address}/undo`, { seen })).location).toBe(made);
    await until('the first batch is applied', async () => (await held()).length === 1);
    expect((await editor.post(`${made}/send`)).location).toBe(`${made}?on`);
    expect((await done(made)).html).toContain('501 of 501 submissions are sent.');
    expect(await countEvents()).toBe(events + 501);

    // The same of the undoing's undoing; somebody changes a position of the batch that waits.
    const again = readSeen(await editor.get(`${made}/undo`));
    const stopped = await loseRights(service, editor, `${made}/undo`, { seen: again });
    expect(stopped.location).toBe(`${made}/undo?stopped`);
    await until('the first batch is applied', async () => (await held()).length === 500);
    const page = await editor.get(stopped.location);
    expect(page.html).toContain('nothing more was sent');
    expect(page.html).toContain('500 positions stand as before the upload already.');
    expect(page.html).toContain('The account may no longer publish for this endorser.');
    expect(page.html).not.toContain('>Undo this upload</button>');
    await service.allow([GAZETTE], account);
    expect((await undo(made)).preview.html).toContain('1 position gets back');
    expect(await held()).toHaveLength(501);
  });

  test('and somebody changes a position of a batch that waits, that batch is not sent, and a new preview follows', async () => {
    const address = await publishMany();
    const seen = readSeen(await editor.get(`${address}/undo`));
    await loseAnswer(service, () => editor.post(`${address}/undo`, { seen }));
    await until('the first batch is applied', async () => (await held()).length === 1);
    const [waiting = ''] = await held();
    const { contest } = JSON.parse(waiting);
    await submit(endorse(GAZETTE, contest.split('/')[1], 'ann', { statement: 'Theirs.' }));
    const made = /href="([^"]+)">Undo of list\.csv/.exec((await editor.get(UPLOADS)).html)?.[1] ?? '';
    const stopped = await editor.post(`${made}/send`);
    expect(stopped.location).toBe(`${address}/undo?stopped`);
    const page = await editor.get(stopped.location);
    expect(page.html).toContain('nothing more was sent');
    expect(page.html).toContain('500 positions stand as before the upload already.');
    expect(page.html).toContain('1 position stays as it is, because somebody has changed it since.');
    expect((await editor.get(made)).html).toContain('500 of 500 submissions are sent.');
    expect((await held()).map((row) => JSON.parse(row).statement)).toEqual(['Theirs.']);
  });

  test('of the upload, what is sent can be undone, and the rest is not sent any more', async () => {
    await loadCatalogue(service.databaseUrl, [...TABLE_BALLOT, CROWDED_CONTEST]);
    const lines = CROWD.map((key) => `crowd,${key}`);
    const { location: address } = await editor.postFile(
      UPLOADS,
      { election: GENERAL, endorser: GAZETTE },
      { name: 'list.csv', text: ['contest,choice', ...lines, 'council,bob', 'sheriff,cyd'].join('\n') },
    );
    const seen = readSeen(await editor.get(`${address}/preview`));
    expect((await loseAnswer(service, () => editor.post(`${address}/publish`, { seen }))).status).toBe(503);
    await until('the first batch is applied', async () => (await held()).length === CROWD.length);
    expect((await editor.get(address)).html).toContain('500 of 502 submissions are sent.');
    const { preview, receipt } = await undo(address);
    expect(preview.html).toContain('1 position gets back');
    expect(preview.html).toContain(
      '<li>2 submissions of the upload are not sent yet. They will not be sent.',
    );
    expect(receipt?.html).toContain('1 of 1 submissions are sent.');
    expect(await held()).toEqual([]);
    expect((await editor.get(address)).html).toContain('500 of 500 submissions are sent.');
    expect((await editor.post(`${address}/send`)).location).toBe(`${address}?on`);
    expect(await held()).toEqual([]);
  });
});

test('of an upload that is rejected in part, the rest is undone', async () => {
  const { location: address } = await editor.postFile(
    UPLOADS,
    { election: GENERAL, endorser: GAZETTE },
    { name: 'list.csv', text: 'contest,choice,rank\nsheriff,ann,1\nmayor,bob,\n' },
  );
  const seen = readSeen(await editor.get(`${address}/preview`));
  // Somebody takes the rank after the preview has been confirmed.
  await service.query(
    `CREATE FUNCTION take() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       NEW.submissions = replace(NEW.submissions, '"rank":1', '"rank":2');
       RETURN NEW;
     END $$`,
  );
  await service.query(
    'CREATE TRIGGER take BEFORE INSERT ON upload_batches FOR EACH ROW EXECUTE FUNCTION take()',
  );
  await submit(endorse(GAZETTE, 'sheriff', 'dee', { rank: 2 }));
  const again = readSeen(await editor.get(`${address}/preview`));
  await editor.post(`${address}/publish`, { seen: again || seen });
  await service.query('DROP FUNCTION take() CASCADE');
  expect((await done(address)).html).toContain('The service has rejected 1 of them');
  const { preview } = await undo(address);
  expect(preview.html).toContain('1 position gets back');
  expect(preview.html).toContain('1 position stands as before the upload already.');
  expect((await held()).map((row) => JSON.parse(row).choice)).toEqual(['dee']);
});

describe('nobody undoes an upload', () => {
  test('of another account, as a member, or for an endorser whose right was taken back', async () => {
    const address = await publish(
      ['endorser,contest,choice', 'Coast Gazette,mayor,ann', 'Sierra Club,mayor,bob'],
      {
        endorser: '',
      },
    );
    const seen = readSeen(await editor.get(`${address}/undo`));
    const stranger = await ConsoleClient.signIn(service);
    const member = await ConsoleClient.signIn(service, { account, role: 'member' });
    for (const [client, status] of [
      [stranger, 404],
      [member, 403],
    ] as const) {
      expect((await client.get(`${address}/undo`)).status).toBe(status);
      expect((await client.post(`${address}/undo`, { seen })).status).toBe(status);
    }
    await service.query(
      `DELETE FROM account_endorsers WHERE endorser_id = (SELECT id FROM endorsers WHERE slug = 'sierra-club')`,
    );
    expect((await editor.post(`${address}/undo`, { seen })).status).toBe(409);
    const { preview } = await undo(address);
    expect(preview.html).toContain('The account may no longer publish for this endorser.');
    expect([await held(), (await held('sierra-club')).length]).toEqual([[], 1]);
  });

  test('once its changes are no longer kept, or the time is over; and the page says so', async () => {
    const address = await publish(['contest,choice', 'mayor,ann']);
    const id = address.split('/').at(-1);
    const seen = readSeen(await editor.get(`${address}/undo`));
    const refuse = async () => {
      const page = await editor.get(`${address}/undo`);
      expect([page.status, page.html.includes('can no longer be undone')]).toEqual([409, true]);
      expect((await editor.post(`${address}/undo`, { seen })).status).toBe(409);
      const receipt = await editor.get(address);
      expect(receipt.html).toContain('It can no longer be undone.');
      expect(receipt.html).not.toContain('>Undo this upload<');
    };
    await service.query(`UPDATE uploads SET changed_at = changed_at - interval '7 days' WHERE id = $1`, [id]);
    await refuse();
    await service.query(`UPDATE uploads SET changed_at = now() WHERE id = $1`, [id]);
    expect((await editor.get(`${address}/undo`)).status).toBe(200);
    // The publication made room for newer ones.
    const [publication] = await service.query(
      'SELECT publication_id AS id FROM upload_batches WHERE upload_id = $1',
      [id],
    );
    await service.query('UPDATE publications SET account_id = account_id, id = DEFAULT WHERE id = $1', [
      publication?.id,
    ]);
    await refuse();
    await service.query(
      'UPDATE upload_batches SET publication_id = (SELECT max(id) FROM publications) WHERE upload_id = $1',
      [id],
    );
    // The log has lost the first change since.
    const [since] = await service.query('SELECT since_sequence AS at FROM uploads WHERE id = $1', [id]);
    await service.query('UPDATE uploads SET since_sequence = -5 WHERE id = $1', [id]);
    await refuse();
    await service.query('UPDATE uploads SET since_sequence = $2 WHERE id = $1', [id, since?.at]);
    expect(await held()).toHaveLength(1);
  });

  test('with a session that has ended: the form is kept for the next one', async () => {
    const address = await publish(['contest,choice', 'mayor,ann']);
    const seen = readSeen(await editor.get(`${address}/undo`));
    await service.query(
      'DELETE FROM console_sessions WHERE account_id = (SELECT id FROM accounts WHERE name = $1)',
      [account],
    );
    const ended = await editor.send('POST', `${address}/undo`, new URLSearchParams({ csrf: 'old', seen }));
    expect(ended.status).toBe(401);
    expect(ended.html).toContain(`name="seen" value="${seen}"`);
    expect(await held()).toHaveLength(1);
    editor = await ConsoleClient.signIn(service, { account, role: 'editor' });
    await done((await editor.post(`${address}/undo`, { seen })).location.replace(/\?.*/, ''));
    expect(await held()).toEqual([]);
  });
});

test('an undoing keeps its upload, and needs room among the uploads that are not sent', async () => {
  const address = await publish(['contest,choice', 'mayor,ann']);
  for (let count = 1; count < 10; count += 1) {
    const file = { name: 'list.csv', text: 'contest,choice\nmayor,bob\n' };
    await editor.postFile(UPLOADS, { election: GENERAL, endorser: GAZETTE }, file);
  }
  const refused = await undo(address);
  expect(refused.answer.status).toBe(409);
  expect(refused.answer.html).toContain('10 tables that are not sent. Send or delete one of them first.');
  expect((await editor.get(address)).status).toBe(200);
});

test('an upload whose submissions are on their way is undone once they are applied', async () => {
  const address = await publish(['contest,choice', 'mayor,ann']);
  const [, publication] = /receipts\/(\d+)/.exec((await editor.get(address)).html) ?? [];
  const [kept] = await service.query('SELECT offsets FROM publications WHERE id = $1', [publication]);
  await service.query(`UPDATE publications SET offsets = '{999999}' WHERE id = $1`, [publication]);
  const early = await editor.get(`${address}/undo`);
  expect([early.status, early.html.includes('still on their way')]).toEqual([409, true]);
  await service.query('UPDATE publications SET offsets = $2 WHERE id = $1', [publication, kept?.offsets]);
  await undo(address);
  expect(await held()).toEqual([]);
});

test('what a withdrawal and another endorsement have made of a position is not undone either', async () => {
  const address = await publish(['contest,choice', 'council,ann', 'council,bob']);
  await submit(withdraw(GAZETTE, 'council', 'ann'));
  expect((await undo(address)).preview.html).toContain('Nothing is left to undo.');
  await submit(position(GAZETTE, 'council', []));
  expect((await undo(address)).preview.html).toContain('1 position stands as before the upload already.');
  await submit(position(GAZETTE, 'council', [pick('cyd')]));
  expect((await undo(address)).preview.html).toContain('1 position stays as it is');
});
