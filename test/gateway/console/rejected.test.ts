import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { historyAddress } from '../../../gateway/console/history-link.ts';
import { loadBounds } from '../../../kafka/reading/read-topic.ts';
import { topicNames } from '../../../kafka/topic-names.ts';
import { openProducer } from '../../../kafka/writing/submissions-producer.ts';
import { rejectionCodec, submissionCodec } from '../../../schemas/submission.ts';
import { endorse, pick, position } from '../../helpers/ballots/submissions.ts';
import { createIo, createRunner } from '../../helpers/commands/command-io.ts';
import { ConsoleClient, readSeen } from '../../helpers/console/console-client.ts';
import { inputsOf } from '../../helpers/console/console-pages.ts';
import { brokersOf } from '../../helpers/servers/servers.ts';
import { findRejection } from '../../helpers/service/publishing.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { until } from '../../helpers/until.ts';

const service = useTestService({ gatewayConfig: { today: '2026-11-02' } });
const REJECTED = '/console/operator/rejected';
const GENERAL = 'or-2026-11-03-general';
let operator: ConsoleClient;

beforeAll(() => service.createKey('operators', 'free'));
beforeEach(async () => {
  operator = await ConsoleClient.signIn(service, { account: 'operators', role: 'operator', person: 'olga' });
});

const placeOf = (text: string) => findRejection(operator, text);

const rowOf = async (text: string, query = ''): Promise<string> =>
  (await operator.get(`${REJECTED}${query}`)).html
    .split('<tr')
    .slice(1)
    .find((each) => each.includes(text)) ?? '';

async function labelsOf(endorser: string): Promise<string[]> {
  const { body } = await service.get(`/v1/endorsements?endorsers=${endorser}`);
  return body.data.map(({ choice }: { choice: { label: string } }) => choice.label).sort();
}

const auditOf = (action: string) =>
  service.query('SELECT person, subject, details FROM audit_log WHERE action = $1 ORDER BY id', [action]);

/** The end of the topic of submissions, by partition. */
async function submissionsEnd(): Promise<number[]> {
  const topic = topicNames(service.topicPrefix).submissions;
  const bounds = await loadBounds({ brokers: brokersOf('ops'), topic, clientId: 'test' });
  return bounds.map(({ end }) => end);
}

async function rejectedCommand(...args: string[]): Promise<string[]> {
  const io = createIo(service.env('ops'));
  await createRunner('rejected')(args, io);
  return [...io.printed, ...io.told];
}

test('an operator corrects a submission as JSON, with hints for mistyped names, and it is sent once', async () => {
  await service.submit([endorse('bakers-locale-1', 'mayor', 'anne', { statement: 'Kept.' })]);
  const place = await placeOf('bakers-locale-1');
  const form = await operator.get(`${place}/edit`);
  expect(form.html).toContain('unknown_endorser');
  expect(form.html).toContain('Kept.');
  const written = {
    ...{ action: 'endorse', endorser: 'bakers-locale-1', contest: `${GENERAL}/mayor`, choice: 'anne' },
    statement: 'Kept.',
  };
  const send = (json: string) => operator.post(`${place}/edit`, { json });
  for (const [change, problem] of [
    [{}, 'There is no endorser &quot;bakers-locale-1&quot;. Did you mean bakers-local-1?'],
    [{}, 'There is no choice &quot;anne&quot;. Did you mean ann'],
    [{ contest: `${GENERAL}/major` }, `Did you mean ${GENERAL}/mayor`],
    [
      { contest: 'or-2026-11-03-genera/mayor' },
      `There is no election &quot;or-2026-11-03-genera&quot;. Did you mean ${GENERAL}`,
    ],
    [{ source_url: 'a letter' }, 'source_url must be'],
    [{ published_on: '2999-01-01' }, 'published_on must not be later than tomorrow'],
  ] as const) {
    const refused = await send(JSON.stringify({ ...written, ...change }));
    expect([refused.status, refused.html.includes(problem)]).toEqual([400, true]);
    expect(refused.html).toContain('Kept.');
  }
  expect((await send('{')).html).toContain('This is not JSON');
  const right = JSON.stringify({ ...written, endorser: 'bakers-local-1', choice: 'ann' });
  expect((await send(right)).location).toBe(`${REJECTED}?corrected=1`);
  await until('it is applied', async () => (await labelsOf('bakers-local-1')).includes('ann'));
  expect(await rowOf('bakers-locale-1')).toContain('corrected');
  for (const page of [place, `${place}/edit`]) {
    expect((await operator.get(page)).html).toMatch(/olga has sent a correction, at <time/);
  }
  const history = historyAddress('bakers-local-1', `${GENERAL}/mayor`);
  expect((await operator.get(history)).html).toContain('A correction by olga of a rejected submission');
  const before = await submissionsEnd();
  const again = await send(right);
  expect([again.status, again.html.includes('was sent already')]).toEqual([409, true]);
  expect(await submissionsEnd()).toEqual(before);
  expect(await auditOf('submission.corrected')).toEqual([
    {
      person: 'olga',
      subject: expect.stringMatching(/^submission \d+\/\d+$/),
      details: expect.objectContaining({ endorser: 'bakers-local-1', choices: ['ann'] }),
    },
  ]);
});

test('a whole position is corrected in the form in which positions are published', async () => {
  const picks = [
    pick('ann', { rank: 1, statement: 'First.', details: '{"page":3}' }),
    pick('annette', { rank: 2 }),
  ];
  await service.submit([position('coast-gazette', 'sheriff', picks)]);
  const place = await placeOf('coast-gazette');
  const form = await operator.get(`${place}/edit`);
  expect(form.html).toContain('does not have these choices of the submission: annette');
  expect(form.html).toMatch(/name="rank:ann"[^>]*value="1"/);
  const fields = { 'rank:ann': '1', 'rank:bob': '1', 'statement:ann': 'First.' };
  const refused = await operator.post(`${place}/edit`, fields);
  expect([refused.status, refused.html.includes('rank must be unique')]).toEqual([400, true]);
  await operator.post(`${place}/edit`, { ...fields, 'rank:bob': '2' });
  await until('it is applied', async () => (await labelsOf('coast-gazette')).length === 2);
  const [stored] = await service.query(`SELECT details FROM endorsements WHERE statement = 'First.'`);
  expect(stored).toEqual({ details: { page: 3 } });
  expect((await operator.get(`${place}/edit?as=json`)).html).toContain('&quot;annette&quot;');
});

test('a correction is previewed as a publication is, and the preview leads back to the form', async () => {
  await service.submit([position('nation-herald', 'sheriff', [pick('ann', { rank: 1 })])]);
  await until('it is applied', async () => (await labelsOf('nation-herald')).length === 1);
  await service.submit([position('nation-herald', 'sheriff', [pick('bobby', { rank: 1 })])]);
  const place = await placeOf('bobby');
  const preview = (fields: Record<string, string>) => operator.post(`${place}/edit/preview`, fields);
  const fields = { 'rank:bob': '1', 'statement:bob': 'Better.' };
  const { html } = await preview(fields);
  expect(html).toMatch(/<strong>Withdraw<\/strong>\s*1. ann/);
  expect(html).toMatch(/<strong>Endorse<\/strong>\s*1. bob: “Better.”/);
  expect(html).toContain('2 events reach the stream.');
  expect(await labelsOf('nation-herald')).toEqual(['ann']);
  const back = await preview({ ...fields, back: '' });
  expect(back.html).toMatch(/name="rank:bob"[^>]*value="1"/);
  expect(back.html).toContain('<button>Preview</button>');
  const [, asJson = ''] = /<a href="([^"]+)">Correct it as JSON/.exec(back.html) ?? [];
  expect((await operator.get(asJson.replace(/^(?=\?)/, `${place}/edit/preview`))).status).toBe(200);
  // A correction that the service would reject again is not sent.
  const json = (choice: string) => ({
    json: JSON.stringify({
      ...{ action: 'endorse', endorser: 'nation-herald', contest: `${GENERAL}/sheriff`, choice, rank: 1 },
    }),
  });
  const taken = await preview(json('cyd'));
  expect([taken.status, taken.html.includes('rank 1 would be held by both')]).toEqual([400, true]);
  expect((await preview(json('ann'))).html).toContain('so nothing changes');
  const [, action = ''] = /<form method="post" action="([^"]+\/edit)"/.exec(html) ?? [];
  const sent = Object.fromEntries(
    inputsOf(html, action).map((input) => [input.get('name') ?? '', input.get('value') ?? '']),
  );
  // Nor is one whose preview is out of date.
  await service.submit([position('nation-herald', 'sheriff', [pick('cyd', { rank: 1 })])]);
  await until('it is applied', async () => (await labelsOf('nation-herald')).join() === 'cyd');
  const outdated = await operator.post(action, sent);
  expect([outdated.status, outdated.html.includes('nothing was sent')]).toEqual([409, true]);
  expect(outdated.html).toMatch(/<strong>Withdraw<\/strong>\s*1. cyd/);
  expect(await labelsOf('nation-herald')).toEqual(['cyd']);
  const seen = inputsOf(outdated.html, action).find((input) => input.get('name') === 'version');
  await operator.post(action, { ...sent, version: seen?.get('value') ?? '' });
  await until('it is applied', async () => (await labelsOf('nation-herald')).join() === 'bob');
});

test('what is dismissed is not listed as open, in the page and the command, and not sent again by a retry', async () => {
  await service.submit([endorse('nobody-one', 'mayor', 'ann'), endorse('nobody-two', 'mayor', 'ann')]);
  const [first, second] = [await placeOf('nobody-one'), await placeOf('nobody-two')];
  expect((await operator.post(`${first}/dismiss`)).location).toBe(`${REJECTED}?dismissed=1`);
  expect((await operator.post(`${first}/dismiss`)).location).toBe(`${REJECTED}?dismissed=0`);
  const name = decodeURIComponent(second).split('/').slice(-2).join('/');
  expect(await rejectedCommand('dismiss', name)).toEqual(['1 rejected submissions are dismissed.']);
  expect(await auditOf('submission.dismissed')).toHaveLength(2);
  expect(await rowOf('nobody-one')).toContain('dismissed');
  expect(await rowOf('nobody-one')).not.toContain('Retry');
  expect(await rowOf('nobody-one', '?show=open')).toBe('');
  expect((await rejectedCommand('list')).join()).not.toContain('nobody-');
  expect((await rejectedCommand('list', '--all')).join()).toContain('nobody-two');
  const told = await rejectedCommand('retry');
  expect(told[0]).toBe('0 rejected submissions were sent again.');
  expect(told.join()).toMatch(/[2-9] were not, since an operator has dismissed or corrected them/);
  expect((await operator.post(`${REJECTED}/0/999999/dismiss`)).status).toBe(404);
});

test('rejections are found by reason, endorser and age', async () => {
  await service.submit([endorse('coast-gazette', 'mayor', 'zed'), endorse('nobody-three', 'mayor', 'ann')]);
  await placeOf('nobody-three');
  await placeOf('unknown_choice');
  const { html } = await operator.get(`${REJECTED}?code=unknown_choice&endorser=coast-gazette&days=1`);
  expect(html).toContain('coast-gazette');
  expect(html).not.toContain('nobody-three');
  expect(html).toContain('<option value="unknown_endorser">');
  expect(await rowOf('nobody-three', '?endorser=nobody-three')).not.toBe('');
  expect((await operator.get(`${REJECTED}?code=nothing`)).html).toContain('No rejected submission fits.');
});

test('the page of a rejection says what came later', async () => {
  const again = endorse('nobody-four', 'mayor', 'ann');
  await service.submit([again, endorse('nation-herald', 'mayor', 'zed')]);
  const first = await placeOf('nobody-four');
  const mended = await placeOf('nation-herald');
  await service.submit([again, endorse('nation-herald', 'mayor', 'bob')]);
  await until('the same is rejected again', async () =>
    (await operator.get(first)).html.includes('came again and was rejected again'),
  );
  await until('the position has changed', async () =>
    (await operator.get(mended)).html.includes('has changed the position since'),
  );
  // The list from before offers a retry, which would undo the change.
  const before = await submissionsEnd();
  const refused = await operator.post(`${mended}/retry`);
  expect([refused.status, refused.html]).toEqual([409, expect.stringContaining('so nothing was sent')]);
  expect(await submissionsEnd()).toEqual(before);
  expect((await operator.post(`${mended}/retry`, { seen: readSeen(refused) })).location).toBe(
    `${REJECTED}?sent=1`,
  );
  expect((await operator.get(mended)).html).toMatch(
    /The submission \d\/\d+ has changed.*: change \d+ of the stream\. <a href="\/console\/history\?endorser=nation-herald&amp;/,
  );
});

/** Puts rejections of submissions with these choices into the rejected topic, at these origins in partition 1. */
async function reject(
  endorser: string,
  choices: readonly string[],
  firstOffset: number,
  code = 'unknown_endorser',
): Promise<void> {
  const { rejected, submissions } = topicNames(service.topicPrefix);
  const producer = await openProducer(brokersOf('ops'), rejected);
  await producer.send(
    choices.map((choice, index) => ({
      key: endorser,
      value: rejectionCodec.encode({
        ...{ code, message: 'No.', topic: submissions },
        ...{ partition: 1, offset: firstOffset + index },
        ...{ rejected_at: Date.now() + index, last_offset: null, truncated: null },
        value: submissionCodec.encode(endorse(endorser, 'mayor', choice)),
      }),
    })),
  );
  await producer.close();
}

test('INV-15: one of many rejections is settled where the list shows it, and looked for among the newest otherwise', async () => {
  const choices = Array.from({ length: 51 }, (_, index) => `choice-${index}`);
  await reject('nobody-five', choices, 7000);
  const { html } = await operator.get(REJECTED);
  expect([html.includes('1/7001<'), html.includes('1/7000<')]).toEqual([true, false]);
  const [, older = ''] = /href="(\?[^"]+)">Older rejected submissions/.exec(html) ?? [];
  const row = await rowOf('1/7000<', older);
  for (const [work, done] of [
    ['retry', 'sent'],
    ['dismiss', 'dismissed'],
  ]) {
    const [, place = '', before = ''] = new RegExp(`action="([^"?]+/${work})(\\?[^"]+)"`).exec(row) ?? [];
    const missed = await operator.post(place);
    expect([missed.status, missed.html.includes('&quot;ops rejected&quot; finds older ones')]).toEqual([
      404,
      true,
    ]);
    expect((await operator.post(place + before)).location).toBe(`${REJECTED}?${done}=1`);
  }
  const page = await operator.get(/href="([^"]+)">1\/7000</.exec(row)?.[1] ?? '');
  expect(page.html).toMatch(/<li>.+ has dismissed it, at <time/);
  const ofPage = [...page.html.matchAll(/action="[^"]+\/1\/7000[^"]+\?before=/g)];
  expect(ofPage).toHaveLength(2);
  const edit = await operator.get(/href="([^"]+\/1\/7000[^"]*\/edit\?[^"]+)"/.exec(page.html)?.[1] ?? '');
  const back = await operator.get(/href="([^"]+)">Cancel/.exec(edit.html)?.[1] ?? '');
  expect(back.html).toContain('has dismissed it');
  // The refused form is still that of the older page.
  const [, action = ''] = /action="([^"]+\/edit\/preview)"/.exec(edit.html) ?? [];
  const kept = /name="before" value="([^"]+)"/;
  const [field = '', place = ''] = kept.exec(edit.html) ?? [];
  expect((await operator.post(action, { before: place, json: '{}' })).html).toContain(field);
});

test('an older page tells that a submission came again and was rejected again, on a newer page', async () => {
  const choices = Array.from({ length: 60 }, (_, index) => `choice-${index}`);
  await reject('nobody-six', [...choices, ...choices, ...choices], 8000);
  const queries = ['?endorser=nobody-six&show=open'];
  const open: string[] = [];
  for (const query of queries) {
    const { html } = await operator.get(REJECTED + query);
    open.push(...[...html.matchAll(/>1\/(8\d+)</g)].map(([, offset = '']) => offset));
    const older = /href="(\?[^"]+)">Older rejected/.exec(html)?.[1];
    if (older) queries.push(older.replaceAll('&amp;', '&'));
  }
  expect(open.sort()).toEqual(choices.map((_, index) => String(8120 + index)));

  const rows = await Promise.all(queries.map((query) => rowOf('1/8000<', query.replace('&show=open', ''))));
  const row = rows.join('');
  expect(row).toContain('sent again since');
  const page = await operator.get(/href="([^"]+)">1\/8000</.exec(row)?.[1] ?? '');
  const [, later = ''] = /rejected again: <a href="([^"]+)">1\/8120</.exec(page.html) ?? [];
  expect((await operator.get(later)).html).toContain('choice-0');
});

test('a submission whose details have a number that a correction would round is not corrected', async () => {
  const details = '{"page":3,"id":9007199254740993}';
  await service.submit([position('coast-gazette', 'mayor', [pick('anny', { details })])]);
  const place = await placeOf('anny');
  const { status, html } = await operator.get(`${place}/edit`);
  expect(status).toBe(409);
  expect(html).toContain('the number 9007199254740993, which would be rounded');
  expect((await operator.get(place)).html).toContain('9007199254740993');
});

test('a position of an unknown endorser is corrected as JSON, since the other form has no field for it', async () => {
  await service.submit([position('nobody-two', 'sheriff', [pick('ann', { rank: 1 })])]);
  expect((await operator.get(`${await placeOf('nobody-two')}/edit`)).html).toContain('name="json"');
});

test('a submission that came again is not open, even if a filter leaves out the later rejection', async () => {
  await reject('nobody-seven', ['choice-0'], 9000, 'unknown_contest');
  const open = `${REJECTED}?code=unknown_contest&show=open`;
  expect((await operator.get(open)).html).toContain('>1/9000<');
  await reject('nobody-seven', ['choice-0'], 9001);
  const { html } = await operator.get(open);
  expect(html).not.toContain('>1/9000<');
});
