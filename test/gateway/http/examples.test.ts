/**
 * The examples of the OpenAPI description are answers of the service. `UPDATE_EXAMPLES=1 npm test --
 * THIS_FILE` writes them again.
 */
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EXAMPLES_FILE, type Examples, examples } from '../../../gateway/http/openapi/examples.ts';
import { LINES_TYPE, type Route } from '../../../gateway/http/route.ts';
import { routes } from '../../../gateway/routes/index.ts';
import { ERROR_STATUS, type ErrorBody, type ErrorCode } from '../../../schemas/errors.ts';
import {
  addressOf,
  type ExampleRequest,
  exampleCatalogue,
  examplePublisher,
  exampleRequests,
  exampleSubmissions,
} from '../../helpers/http/example-requests.ts';
import { ErrorProvoker } from '../../helpers/http/provoked-errors.ts';
import { findUndescribed } from '../../helpers/http/response-schema.ts';
import { fixTexts } from '../../helpers/http/stable-text.ts';
import { importPeople } from '../../helpers/officeholders/import-people.ts';
import { person, personId, role } from '../../helpers/officeholders/people-checkout.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { until } from '../../helpers/until.ts';
import { Receiver } from '../../helpers/webhooks/receiver.ts';

/** The most records of an example. */
const RECORDS = 3;

const service = useTestService({
  catalogue: exampleCatalogue(),
  partitions: 4,
  roles: ['apply', 'relay', 'deliver'],
  gatewayConfig: { today: '2026-10-01', streamHeartbeatMs: 500, streamLifetimeMs: 4000 },
});
const provoker = new ErrorProvoker(service);
const made = { operations: {}, errors: {}, frames: [], stream: '' } as {
  -readonly [Part in keyof Examples]: Examples[Part] extends Readonly<Record<string, unknown>>
    ? Record<string, unknown>
    : Examples[Part];
};

/** The error that is shown first, because it ends when officeholders are loaded. */
const NEVER_LOADED = 'not_available';
/** The operation that shows an error: the only one with it, or an ordinary list. */
const SHOWN_WITH: Partial<Record<ErrorCode, string>> = {
  not_found: 'getContest',
  subscription_not_found: 'getSubscription',
  cursor_expired: 'listEvents',
  warming_up: 'listEvents',
  too_many_streams: 'streamEvents',
  not_available: 'listOfficeholders',
  invalid_json: 'createSubscription',
  invalid_filter: 'createSubscription',
  invalid_subscription: 'createSubscription',
  invalid_submission: 'createSubmissions',
  invalid_webhook: 'createWebhook',
  endorser_not_allowed: 'createSubmissions',
  body_too_large: 'createSubscription',
  conflict: 'createSubscription',
};

let requests: Readonly<Record<string, ExampleRequest>>;
let receiver: Receiver;

const workingRequest = (operationId: string) => {
  const route = routes.find((each) => each.operationId === operationId) as Route;
  return { route, request: requests[operationId] ?? {} };
};

async function keepError(code: ErrorCode) {
  const { status, body } = await provoker.provoke(code, workingRequest(SHOWN_WITH[code] ?? 'listElections'));
  expect([status, body?.error.code]).toEqual([ERROR_STATUS[code], code]);
  made.errors[code] = fixTexts(body as ErrorBody);
}

beforeAll(async () => {
  receiver = await Receiver.start();
  // Each submission is applied before the next one is sent: partitions keep no order, which decides the ids in the digest.
  let changes = 0;
  for (const submission of exampleSubmissions()) {
    await service.submit([submission]);
    changes += submission.picks.length;
    await service.eventsOnceThereAre(changes);
  }
  const [event] = (await service.events()).data;
  await service.allow([examplePublisher()]);
  requests = exampleRequests({
    contest: event.contest.id,
    endorsement: event.endorsement.id,
    endorser: event.endorser.slug,
    officeholder: personId(1),
    subscription: 1,
    submissions: 1,
    webhook: 1,
    receiver: receiver.url,
  });
  await keepError(NEVER_LOADED);
  await importPeople(service.databaseUrl, {
    'me/legislature/ann.yml': person(1, 'Ann Álvarez', [role('lower', 'state:me', { district: 7 })]),
  });
});
afterAll(() => receiver.stop());

/** A stream with one frame of each kind. */
function withoutRepetitions(text: string): string {
  const kindOf = (frame: string) => frame.split('\n')[0];
  const frames = text.split('\n\n');
  return frames
    .filter((frame, index) => frames.findIndex((other) => kindOf(other) === kindOf(frame)) === index)
    .join('\n\n');
}

/** Cuts the lists of a body that is not paged. */
function shorten(body: { data?: unknown } | null): unknown {
  if (!Array.isArray(body?.data)) return body ?? undefined;
  return { ...body, data: body.data.slice(0, RECORDS) };
}

/** The first line of a list that is sent whole, its first record, and the last line. */
async function readLines({ path }: Route): Promise<string> {
  const headers = { Authorization: `Bearer ${service.key}`, Accept: LINES_TYPE };
  const response = await fetch(service.url(path), { headers });
  expect(response.headers.get('Content-Type')).toBe(LINES_TYPE);
  const lines = (await response.text()).trimEnd().split('\n');
  return `${[...lines.slice(0, 2), lines.at(-1)].join('\n')}\n`;
}

/** Records are created before others are read, and deleted in the end. */
const ORDER = [
  ...['createSubscription', 'listSubscriptions', 'getSubscription', 'replaceSubscription'],
  ...['createWebhook', 'testWebhook', 'listWebhooks', 'getWebhook', 'replaceWebhook'],
  ...['rotateWebhookSecret', 'resumeWebhook'],
];
const answered = routes.filter(({ operationId }) => operationId !== 'streamEvents');
const inOrder = [
  ...ORDER,
  ...answered.map(({ operationId }) => operationId).filter((id) => !ORDER.includes(id)),
];

test.each(inOrder)('%s has an example', async (operationId) => {
  const { route, request } = workingRequest(operationId);
  expect(Object.keys(requests)).toContain(operationId);
  const { status, body, headers } = await provoker.send({ route, request });
  expect(status).toBe(route.success ?? 200);
  const answer = fixTexts(shorten(body));
  const lines = route.lines && fixTexts(await readLines(route));
  made.operations[operationId] = {
    ...(request.parameters && { parameters: request.parameters }),
    ...(request.body !== undefined && { body: fixTexts(request.body) }),
    ...(answer !== undefined && { answer }),
    ...(lines !== undefined && { lines }),
  };
  const head = { method: route.method, path: addressOf(route, request).split('?')[0] ?? '', status };
  const described = { ...head, headers: new Map(headers.entries()) };
  expect(findUndescribed(described, answer === undefined ? null : JSON.stringify(answer))).toBeNull();
});

test('streamEvents has an example of each frame, and of a stream as sent over the wire', async () => {
  const key = await service.createKey('reader', 'internal');
  const headers = { Authorization: `Bearer ${key}` };
  const query = `from=earliest&endorsers=${requests.getEndorser?.parameters?.slug}`;
  const stream = await service.stream(query, { headers });
  await stream.wait('checkpoint', 1);
  const response = await fetch(service.url(`/v1/stream?${query}`), { headers });
  const text = fixTexts(await response.text());
  await until('the end', () => stream.ended);
  const failing = await service.stream('', { headers });
  await failing.wait('ready', 1);
  await service.query(
    "UPDATE api_keys SET revoked_at = now() WHERE account_id = (SELECT id FROM accounts WHERE name = 'reader')",
  );
  await failing.wait('error', 1);
  const kinds = ['ready', 'endorsement', 'checkpoint', 'reconnect', 'error'];
  const frames = [...stream.events, ...failing.events];
  made.frames = kinds.map((kind) => {
    const { event = '', id = '', data } = frames.find((each) => each.event === kind) ?? { data: '' };
    return { event, id: fixTexts(id), data: fixTexts(data) };
  });
  expect(made.frames.map(({ event }) => event)).toEqual(kinds);
  made.operations.streamEvents = {};
  made.stream = withoutRepetitions(text);
});

test.each(Object.keys(ERROR_STATUS).filter((code) => code !== NEVER_LOADED && code !== 'method_not_allowed'))(
  'the error %s has an example',
  (code) => keepError(code as ErrorCode),
);

describe('the file of examples', () => {
  test('has the answers of the service', async () => {
    // The stream is made of few frames whose number depends on time.
    if (process.env.UPDATE_EXAMPLES) await writeFile(EXAMPLES_FILE, `${JSON.stringify(made, null, 1)}\n`);
    else expect(JSON.parse(`${JSON.stringify(made, null, 1)}\n`)).toEqual(examples);
  });
});
