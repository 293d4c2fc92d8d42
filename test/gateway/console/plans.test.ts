import { beforeAll, expect, test } from '@jest/globals';
import { ConsoleClient } from '../../helpers/console/console-client.ts';
import { inputsOf, tagsOf } from '../../helpers/console/console-pages.ts';
import { useTestService } from '../../helpers/service/service.ts';

const service = useTestService();
const PATH = '/console/operator/plans/free';
let operator: ConsoleClient;

beforeAll(async () => {
  operator = await ConsoleClient.signIn(service, { role: 'operator', person: 'olga' });
});

/** The inputs of a plan's form, by name. */
function fieldsOf(html: string, path = PATH): Map<string, ReadonlyMap<string, string>> {
  return new Map(inputsOf(html, path).map((input) => [input.get('name') ?? '', input]));
}

test('a refused plan is shown again with all entered values, and the reasons beside their fields', async () => {
  const before = await service.query('SELECT * FROM plans ORDER BY name');
  const entered = { requestsPerMinute: '12', requestsPerDay: 'many', maxStreams: '-1' };
  const { status, html } = await operator.post(PATH, entered);
  expect(status).toBe(400);
  const fields = fieldsOf(html);
  for (const [name, value] of Object.entries(entered)) expect(fields.get(name)?.get('value')).toBe(value);
  expect(fields.get('requestsPerMinute')?.has('aria-invalid')).toBe(false);
  for (const name of ['requestsPerDay', 'maxStreams']) {
    expect(fields.get(name)?.get('aria-invalid')).toBe('true');
    const reason = tagsOf(html).find(
      ({ attributes }) => attributes.get('id') === fields.get(name)?.get('aria-describedby'),
    );
    expect(reason?.text).toContain('must be a whole number from 1 to 2147483647');
  }
  expect(html.match(/ autofocus/g)).toHaveLength(1);
  expect(fields.get('requestsPerDay')?.has('autofocus')).toBe(true);
  expect(html).toMatch(/role="alert">The plan free is not saved. Requests a day must/);
  expect(fieldsOf(html, '/console/operator/plans/standard').get('requestsPerMinute')?.get('value')).toBe(
    '600',
  );
  expect(await service.query('SELECT * FROM plans ORDER BY name')).toEqual(before);
  expect((await operator.post('/console/operator/plans/gold', entered)).status).toBe(404);
});

test('a limit set by a command can be saved', async () => {
  await service.query('UPDATE plans SET requests_per_day = 2147483647 WHERE name = $1', ['free']);
  const limits = { requestsPerMinute: '77', requestsPerDay: '2147483647', maxStreams: '' };
  expect((await operator.post(PATH, limits)).status).toBe(303);
  expect((await operator.post(PATH, { ...limits, requestsPerDay: '2147483648' })).status).toBe(400);
});

test('a page of an older version, whose form lacks a limit, leaves that limit as it is', async () => {
  const path = '/console/operator/plans/internal';
  await service.query('UPDATE plans SET max_webhooks = 3 WHERE name = $1', ['internal']);
  const stored = () =>
    service.query('SELECT max_streams, max_webhooks FROM plans WHERE name = $1', ['internal']);
  const limits = { requestsPerMinute: '', requestsPerDay: '', maxStreams: '8' };
  expect((await operator.post(path, limits)).status).toBe(303);
  expect(await stored()).toEqual([{ max_streams: 8, max_webhooks: 3 }]);
  expect((await operator.post(path, { ...limits, seen: '//', maxStreams: '9' })).status).toBe(409);
  const { html } = await operator.post(path, { ...limits, maxStreams: 'many' });
  expect(fieldsOf(html, path).get('maxWebhooks')?.get('value')).toBe('3');
});

test("if two operators edit a plan, the second sees the first one's values, and decides", async () => {
  const path = '/console/operator/plans/partner';
  const other = await ConsoleClient.signIn(service, { role: 'operator', person: 'oscar' });
  const shown = fieldsOf((await operator.get('/console/operator/plans')).html, path);
  const seen = shown.get('seen')?.get('value') ?? '';
  const limits = { requestsPerMinute: '6000', requestsPerDay: '', maxStreams: '50' };
  expect((await other.post(path, { ...limits, seen, maxStreams: '70' })).status).toBe(303);

  const wrong = await operator.post(path, { ...limits, seen, requestsPerDay: 'many' });
  expect(fieldsOf(wrong.html, path).get('seen')?.get('value')).toBe(seen);
  const entered = { ...limits, requestsPerDay: '9000' };
  const refused = await operator.post(path, { ...entered, seen });
  expect(refused.status).toBe(409);
  expect(refused.html).toMatch(/role="alert">The plan partner has been changed in the meantime/);
  const fields = fieldsOf(refused.html, path);
  for (const [name, value] of Object.entries(entered)) expect(fields.get(name)?.get('value')).toBe(value);
  const textOf = (name: string) => {
    const id = fields.get(name)?.get('aria-describedby');
    return id && tagsOf(refused.html).find(({ attributes }) => attributes.get('id') === id)?.text;
  };
  expect(['requestsPerMinute', 'requestsPerDay', 'maxStreams'].map(textOf)).toEqual([
    undefined,
    'Stored now: no limit',
    'Stored now: 70',
  ]);
  const stored = async () =>
    (await service.query('SELECT requests_per_day, max_streams FROM plans WHERE name = $1', ['partner']))[0];
  expect(await stored()).toEqual({ requests_per_day: null, max_streams: 70 });

  const again = fields.get('seen')?.get('value') ?? '';
  expect((await operator.post(path, { ...entered, seen: again })).status).toBe(303);
  expect(await stored()).toEqual({ requests_per_day: 9000, max_streams: 50 });
});

test('of many concurrent saves of a plan, one succeeds', async () => {
  const path = '/console/operator/plans/standard';
  const shown = fieldsOf((await operator.get('/console/operator/plans')).html, path);
  const seen = shown.get('seen')?.get('value') ?? '';
  const csrf = await operator.formToken();
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      operator.post(path, {
        csrf,
        seen,
        requestsPerMinute: String(100 + index),
        requestsPerDay: '',
        maxStreams: '5',
      }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array(5).fill(409)]);
});
