/** The parts of the console's forms and addresses. */
import { describe, expect, test } from '@jest/globals';
import { idempotencyKeyOf, readFormId } from '../../../gateway/console/form-id.ts';
import { html, InTurns, renderDocument, renderLongDocument } from '../../../gateway/console/html.ts';
import { EventSentence } from '../../../gateway/console/imports/outcome.ts';
import { Entered, SendAgain } from '../../../gateway/console/kept-form.ts';
import { changesTo } from '../../../gateway/console/publishing/position-changes.ts';
import { PositionFields } from '../../../gateway/console/publishing/position-fields.ts';
import { fieldsOfQuery } from '../../../gateway/console/query-fields.ts';
import { readBefore, writeBefore } from '../../../gateway/console/rejections/rejection.ts';
import { readRowId } from '../../../gateway/console/row-id.ts';
import { replacesUnseen } from '../../../gateway/console/shown-values.ts';
import { readWebhookForm, tryCall } from '../../../gateway/console/webhooks/webhook.ts';
import { ApiError } from '../../../gateway/http/api-error.ts';
import type { ErrorCode } from '../../../schemas/errors.ts';
import type { OwnPosition } from '../../../store/console/own-positions.ts';
import { pick } from '../../helpers/ballots/submissions.ts';

test('a form that is sent again in another session, or for its own account, is the same request', () => {
  const keyOf = (...more: [string, string][]) =>
    idempotencyKeyOf(new URLSearchParams([['form', 'a'], ['name', 'Ours'], ...more]));
  const key = keyOf(['csrf', '1.first']);
  expect(keyOf(['csrf', '1.second'])).toBe(key);
  expect(keyOf(['csrf', '1.first'], ['show_account', 'yes'])).toBe(key);
  expect(keyOf(['csrf', '1.first'], ['states', 'OR'])).not.toBe(key);
});

test('an import tells endorsements that it announces anew from those that it withdraws', () => {
  const announced = { created: 2, updated: 1, deleted: 5 };
  const outcome = { announced } as Parameters<typeof EventSentence>[0]['outcome'];
  const page = renderDocument(html`<body><${EventSentence} outcome=${outcome} isDone=${false} /></body>`);
  expect(page).toContain(
    'announces then: 1 updated; 2 deleted and created again, because the edit affects filters; 3 withdrawn.',
  );
});

test.each([
  ['7', 7],
  ['999999999', 999_999_999],
  ['1000000000', null],
  ['0', null],
  ['07', null],
  ['-1', null],
  ['7 ', null],
  ['', null],
  [undefined, null],
])('the id %j of a row is %j', (text, id) => {
  expect(readRowId(text)).toBe(id);
});

test('the id of a form is a UUID', () => {
  const id = '5f2d1c1e-0b57-4c8e-9f57-2d1f9b7c0001';
  const read = (form: string) => readFormId(new URLSearchParams({ form }));
  expect([read(id), read(id.toUpperCase()), read(`${id}0`), readFormId(new URLSearchParams())]).toEqual([
    ...[id, null, null, null],
  ]);
});

test('the place up to which rejections were read is written as it is read', () => {
  const before = new Map([
    [0, 120],
    [11, 88],
  ]);
  expect(writeBefore(before)).toBe('0-120,11-88');
  expect(readBefore('0-120,11-88')).toEqual(before);
  for (const text of [null, '', '0', '0-', '0-1,', '0-1;1-2', '-1-2', ' 0-1'])
    expect(readBefore(text)).toBeNull();
});

test('the next page of a search has its fields that say something', () => {
  const query = new URLSearchParams({ name: 'ann', role: '', page: '2' });
  expect(fieldsOfQuery(query, ['name', 'role', 'other'])).toEqual([['name', 'ann']]);
});

test('a form that was not handled is shown without what nobody has entered, and sent again with it', () => {
  const fields: [string, string][] = [
    ['csrf', 'old-token'],
    ['form', 'id-1'],
    ['version', '5'],
    ['file_name', 'list.csv'],
    ['choice', 'ann'],
    ['choice', 'bob'],
    ['empty', ''],
  ];
  const form = new URLSearchParams(fields);
  const entered = renderDocument(html`<body><${Entered} form=${form} /></body>`);
  expect(
    [...entered.matchAll(/<dt>([^<]*)<\/dt><dd>([^<]*)</g)].map(([, name, value]) => `${name} ${value}`),
  ).toEqual([...['file name list.csv', 'choice ann', 'choice bob']]);
  const again = renderDocument(html`<body><${SendAgain} form=${form} path="/console/x?a=1" /></body>`);
  expect(
    [...again.matchAll(/name="([^"]*)" value(?:="([^"]*)")?/g)].map(([, name, value]) => `${name} ${value}`),
  ).toEqual([
    ...[
      'csrf old-token',
      'form id-1',
      'version 5',
      'file_name list.csv',
      'choice ann',
      'choice bob',
      'empty undefined',
    ],
  ]);
  expect(again).toContain('action="/console/x?a=1"');
  const hidden = { version: '5', seen: 'a1', after: '0', line: '2', 'shown:2': '["no",null]' };
  const none = new URLSearchParams({ csrf: 'x', ...hidden, note: '' });
  expect(renderDocument(html`<body><${Entered} form=${none} /></body>`)).not.toContain('What the form says');
});

test('a form replaces values unseen if somebody has stored others since, unless it says the same', () => {
  const [shown, other] = [{ a: 1 }, { a: 2 }];
  const form = new URLSearchParams({ shown: JSON.stringify(shown) });
  expect(replacesUnseen(form, shown, other)).toBe(false);
  expect(replacesUnseen(form, other, { a: 3 })).toBe(true);
  expect(replacesUnseen(form, other, null)).toBe(true);
  expect(replacesUnseen(form, other, { a: 2 })).toBe(false);
  expect(replacesUnseen(new URLSearchParams(), other, shown)).toBe(false);
});

test('a webhook follows the subscription of its form, or the filter of the form', () => {
  const read = (fields: Record<string, string>) => readWebhookForm(new URLSearchParams(fields));
  const given = { name: ' Ours ', url: ' https://a.example ', states: 'OR, CA' };
  expect(read({ ...given, subscription: '' })).toEqual({
    ...{ name: ' Ours ', url: 'https://a.example', filter: { states: ['OR', 'CA'] } },
  });
  expect(read({ ...given, subscription: '12' })).toEqual({
    ...{ name: ' Ours ', url: 'https://a.example', subscription: 12 },
  });
  // The API refuses a forged one by name.
  expect(read({ subscription: 'x' })).toEqual({ name: '', url: '', subscription: 'x' });
});

test('a form shows the refusals of the API, but neither what is missing nor failures of the service', async () => {
  const refuse = (code: ErrorCode) => tryCall(Promise.reject(new ApiError(code, 'No.')));
  expect(await tryCall(Promise.resolve(5))).toEqual({ answer: 5 });
  for (const [code, status] of [
    ['invalid_webhook', 400],
    ['insufficient_scope', 403],
    ['conflict', 409],
    ['rate_limit_exceeded', 429],
  ] as const)
    expect(await refuse(code)).toEqual({ refusal: { status, problem: 'No.' } });
  for (const code of ['not_found', 'internal_error', 'server_busy'] as const)
    await expect(refuse(code)).rejects.toThrow('No.');
  await expect(tryCall(Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});

test('a new position changes what differs, and nothing that stays', () => {
  const before = [pick('ann', { statement: 'Old.' }), pick('bob'), pick('cyd')];
  const changes = changesTo({ picks: before }, [
    pick('ann', { statement: 'New.' }),
    pick('cyd'),
    pick('dee'),
  ]);
  expect(changes.map(({ type, pick: { choice } }) => `${type} ${choice}`).sort()).toEqual([
    ...['created dee', 'deleted bob', 'updated ann'],
  ]);
});

test('of a form with many entries, 1,000 are shown, and all are kept', () => {
  const names = Array.from({ length: 1_002 }, (_, at) => `field-${at}`);
  const form = new URLSearchParams(Object.fromEntries(names.map((name) => [name, 'said'])));
  const entered = renderDocument(html`<body><${Entered} form=${form} /></body>`);
  expect(entered.match(/<dd>said/g)).toHaveLength(1_000);
  expect(entered).toContain('The form has 2 more entries.');
  const again = renderDocument(html`<body><${SendAgain} form=${form} path="/console/keys" /></body>`);
  expect(again.match(/value="said"/g)).toHaveLength(1_002);
});

describe('INV-15: a page with a form of two thousand choices', () => {
  const choices = Array.from({ length: 2000 }, (_, place) => ({
    ...{ key: `key-${place}`, label: `Person ${place}.`, label_es: null, party: null, party_es: null },
    ...{ withdrawn: false, contender: place, candidate: null },
  }));
  const position = {
    ...{ key: 'or-1/mayor', vote_method: 'plurality', mostMarked: 1, ranks_allowed: null, picks: [] },
    choices,
  } as unknown as OwnPosition;
  const render = () =>
    renderLongDocument(
      html`<body><${PositionFields} position=${position} values=${new URLSearchParams()} /></body>`,
    );
  const labelsOf = (page: string) =>
    [...page.matchAll(/> (?:<[^>]*>)*(Person \d+\.)</g)].map(([, label]) => label);

  test('is rendered in turns with the other work of the process', async () => {
    let turns = 0;
    let isRendering = true;
    const work = () => {
      turns += 1;
      if (isRendering) setImmediate(work);
    };
    setImmediate(work);
    await render();
    isRendering = false;
    expect(turns).toBeGreaterThan(2);
  });

  test('has all of them in their order, also while another page is rendered', async () => {
    const expected = choices.map(({ label }) => label);
    for (const page of await Promise.all([render(), render()])) {
      expect(labelsOf(page)).toEqual(expected);
      expect(page).toMatch(/<\/fieldset><\/body><\/html>$/);
    }
  });
});

test('a long list within another one is rendered whole', async () => {
  const rows = Array.from({ length: 300 }, (_, row) => row);
  const cells = (row: number) =>
    html`<li>${row}:<${InTurns} items=${rows} each=${(cell: number) => html`<b>${cell}</b>`} /></li>`;
  const page = await renderLongDocument(html`<ul><${InTurns} items=${rows} each=${cells} /></ul>`);
  const own = rows.map((cell) => `<b>${cell}</b>`).join('');
  const whole = rows.map((row) => `<li>${row}:${own}</li>`).join('');
  expect(page.replaceAll(/<!--.*?-->/g, '')).toContain(`<ul>${whole}</ul>`);
});
