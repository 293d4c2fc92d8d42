import { cursorOf } from '../../../feed/cursor-of.ts';
import { single, wholeList } from '../../../schemas/http/envelopes.ts';
import { id } from '../../../schemas/http/parameters.ts';
import {
  newWebhookBody,
  resumeBody,
  webhook,
  webhookAttempt,
  webhookBody,
  webhookWithSecret,
} from '../../../schemas/http/webhooks.ts';
import { generateMessageId, generateWebhookSecret } from '../../../schemas/webhook-signature.ts';
import type { Seal } from '../../../service/sealing.ts';
import { sealPurpose } from '../../../service/webhook-settings.ts';
import {
  createWebhook,
  deleteWebhook,
  findAttempt,
  findWebhook,
  findWebhookCursor,
  listWebhooks,
  replaceWebhook,
  requestTest,
  resumeWebhook,
  rotateSecret,
} from '../../../store/access/webhooks.ts';
import type { GatewayContext } from '../../context.ts';
import { resolveStart, type StartRequest } from '../../delivery/resume.ts';
import { ApiError, createUnavailableError } from '../../http/api-error.ts';
import { readIdempotency } from '../../http/idempotency.ts';
import { defineRoute } from '../define-route.ts';
import { createNoWebhookError, readWebhookValues, refusalOf, requireWebhooks } from './body.ts';

/** How long the previous secret signs after a rotation, in hours. */
const PREVIOUS_SECRET_HOURS = 24;
/** How long a request for a test waits for its outcome, and how often it looks, in milliseconds. */
const TEST_WAIT_MS = 25_000;
const TEST_POLL_MS = 250;

const ADDITION = 'An addition to the interface specification.';
const one = single(webhook);
const oneWithSecret = single(webhookWithSecret);

/**
 * Makes a secret, and the answer that shows it. The answer is remembered for an Idempotency-Key as a sealed text, because
 * it holds the secret.
 */
function createSecret(seal: Seal, accountId: number) {
  const purpose = sealPurpose(accountId);
  const secret = generateWebhookSecret();
  return {
    sealed: seal.close(secret, purpose),
    answer(record: string): string {
      const shown = `${record.slice(0, -1)},"secret":${JSON.stringify(secret)}}`;
      return seal.close(shown, purpose).toString('base64');
    },
    openAnswer: (answer: string): string => seal.open(Buffer.from(answer, 'base64'), purpose),
  };
}

/** The cursor at which a reader with these start parameters begins. @throws the errors of `resolveStart` */
async function resolveCursor(
  start: StartRequest,
  { feed, pool, clock, config }: GatewayContext,
): Promise<string> {
  const services = { feed, pool, clock, retentionMs: config.retentionMs };
  return cursorOf(feed, await resolveStart(start, services));
}

export const webhookRoutes = [
  defineRoute({
    method: 'GET',
    path: '/v1/webhooks',
    operationId: 'listWebhooks',
    tag: 'Webhooks',
    summary: 'List webhooks',
    description: `Every webhook of the account. ${ADDITION}`,
    scope: 'webhooks:write',
    errors: ['not_available'],
    response: wholeList(webhook),
    async handle({ caller }, context) {
      requireWebhooks(context);
      return { json: `{"data":[${await listWebhooks(context.pool, caller.accountId)}]}` };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/webhooks',
    operationId: 'createWebhook',
    tag: 'Webhooks',
    summary: 'Create a webhook',
    description:
      'Saves an address to which the changes that pass a filter are sent, from the newest change on unless `from`, ' +
      '`since` or `cursor` is given. The answer has the secret that signs the messages; no later answer shows it. The ' +
      'same request with the same Idempotency-Key creates one webhook. An account has at most ten, or as many as its ' +
      `plan allows. ${ADDITION}`,
    scope: 'webhooks:write',
    body: { schema: newWebhookBody, refusal: 'invalid_webhook' },
    errors: ['invalid_filter', 'conflict', 'cursor_expired', 'not_available', 'warming_up'],
    success: 201,
    response: oneWithSecret,
    async handle({ caller, body, header }, context) {
      const { seal, allowPrivate } = requireWebhooks(context);
      const { pool, clock } = context;
      const { accountId } = caller;
      const idempotency = readIdempotency(header('Idempotency-Key'), body);
      const values = await readWebhookValues(body, { accountId, allowPrivate, pool });
      const { from, since, cursor: after } = body as StartRequest;
      const cursor = await resolveCursor({ from, since, cursor: after }, context);
      const { sealed: secret, answer, openAnswer } = createSecret(seal, accountId);
      const now = new Date(clock.now());
      const saved = await createWebhook(pool, {
        ...values,
        ...{ accountId, secret, cursor, now, idempotency, answer },
      }).catch((error: unknown) => {
        throw refusalOf(error, values.name);
      });
      const headers = { Location: `/v1/webhooks/${saved.id}` };
      return { status: 201, headers, json: `{"data":${openAnswer(saved.record)}}` };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/webhooks/{id}',
    operationId: 'getWebhook',
    tag: 'Webhooks',
    summary: 'Get a webhook',
    description: `One webhook of the account, with its state and its last attempt. ${ADDITION}`,
    scope: 'webhooks:write',
    parameters: { id },
    errors: ['not_found', 'not_available'],
    response: one,
    async handle({ caller, path }, context) {
      requireWebhooks(context);
      const record = await findWebhook(context.pool, caller.accountId, path.id);
      if (record === null) throw createNoWebhookError(path.id);
      return { json: `{"data":${record}}` };
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/v1/webhooks/{id}',
    operationId: 'replaceWebhook',
    tag: 'Webhooks',
    summary: 'Replace a webhook',
    description:
      'Replaces the name, the address and the filter of a webhook. Its position, its secret and a message that was ' +
      `sent already stay. Deliveries follow within five seconds. ${ADDITION}`,
    scope: 'webhooks:write',
    parameters: { id },
    body: { schema: webhookBody, refusal: 'invalid_webhook' },
    errors: ['invalid_filter', 'not_found', 'conflict', 'not_available'],
    response: one,
    async handle({ caller, path, body, unchangedSince }, context) {
      const { allowPrivate } = requireWebhooks(context);
      const { pool, clock } = context;
      const { accountId } = caller;
      const values = await readWebhookValues(body, { accountId, allowPrivate, pool });
      const target = { accountId, id: path.id, now: new Date(clock.now()), unchangedSince };
      const record = await replaceWebhook(pool, { ...values, ...target }).catch((error: unknown) => {
        throw refusalOf(error, values.name);
      });
      if (record === null) throw createNoWebhookError(path.id);
      return { json: `{"data":${record}}` };
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/webhooks/{id}',
    operationId: 'deleteWebhook',
    tag: 'Webhooks',
    summary: 'Delete a webhook',
    description: `Deletes a webhook. Nothing is sent to it after five seconds. ${ADDITION}`,
    scope: 'webhooks:write',
    parameters: { id },
    errors: ['not_found', 'not_available'],
    success: 204,
    response: null,
    async handle({ caller, path }, context) {
      requireWebhooks(context);
      if (await deleteWebhook(context.pool, caller.accountId, path.id)) return { empty: true };
      throw createNoWebhookError(path.id);
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/webhooks/{id}/secret',
    operationId: 'rotateWebhookSecret',
    tag: 'Webhooks',
    summary: 'Rotate the secret of a webhook',
    description:
      'Makes another secret, which no later answer shows. For 24 hours the previous one signs too, so that receivers ' +
      `can change over without a gap. ${ADDITION}`,
    scope: 'webhooks:write',
    parameters: { id },
    errors: ['not_found', 'conflict', 'not_available'],
    response: oneWithSecret,
    async handle({ caller, path, header }, context) {
      const { seal } = requireWebhooks(context);
      const { pool, clock } = context;
      const { accountId } = caller;
      const now = clock.now();
      const { sealed: secret, answer, openAnswer } = createSecret(seal, accountId);
      const rotated = await rotateSecret(pool, {
        ...{ accountId, id: path.id, secret, answer },
        previousUntil: new Date(now + PREVIOUS_SECRET_HOURS * 3_600_000),
        now: new Date(now),
        idempotency: readIdempotency(header('Idempotency-Key'), { rotate: path.id }),
      }).catch((error: unknown) => {
        throw refusalOf(error, '');
      });
      if (rotated === null) throw createNoWebhookError(path.id);
      return { json: `{"data":${openAnswer(rotated)}}` };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/webhooks/{id}/test',
    operationId: 'testWebhook',
    tag: 'Webhooks',
    summary: 'Send a test message to a webhook',
    description:
      'Sends a message of the type `webhook.test`, also to a disabled webhook, and answers with the outcome. A test ' +
      `moves no position and is not repeated. ${ADDITION}`,
    scope: 'webhooks:write',
    isRepeatable: true,
    parameters: { id },
    errors: ['not_found', 'not_available'],
    response: single(webhookAttempt),
    async handle({ caller, path, closed }, context) {
      requireWebhooks(context);
      const { pool, clock, draining } = context;
      const target = { accountId: caller.accountId, id: path.id };
      const messageId = await requestTest(pool, { ...target, messageId: generateMessageId() });
      if (messageId === null) throw createNoWebhookError(path.id);
      const signal = AbortSignal.any([closed, draining]);
      const giveUpAt = clock.now() + TEST_WAIT_MS;
      while (clock.now() < giveUpAt && !signal.aborted) {
        const record = await findAttempt(pool, path.id, messageId);
        if (record !== null) return { json: `{"data":${record}}` };
        await clock.wait(TEST_POLL_MS, signal);
      }
      const message = 'The test message waits for its turn; look at last_attempt of the webhook later.';
      throw createUnavailableError('not_available', message);
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/webhooks/{id}/resume',
    operationId: 'resumeWebhook',
    tag: 'Webhooks',
    summary: 'Resume a webhook',
    description:
      'Makes a disabled webhook active again, and lets a failing one try at once: where it stood, or at another ' +
      'position. If the events after the position are no longer kept, the answer is 410; fetch what was missed through ' +
      `\`/v1/endorsements\`, and resume from its \`stream_cursor\` or from the newest change. ${ADDITION}`,
    scope: 'webhooks:write',
    isRepeatable: true,
    parameters: { id },
    body: { schema: resumeBody, refusal: 'invalid_webhook' },
    errors: ['not_found', 'conflict', 'cursor_expired', 'not_available', 'warming_up'],
    response: one,
    async handle({ caller, path, body }, context) {
      requireWebhooks(context);
      const { pool, clock } = context;
      const { accountId } = caller;
      const { from, since, cursor: after } = body as StartRequest;
      const stood = await findWebhookCursor(pool, accountId, path.id);
      if (stood === null) throw createNoWebhookError(path.id);
      const isElsewhere =
        (from !== undefined && from !== 'position') || since !== undefined || after !== undefined;
      const start = isElsewhere ? { from, since, cursor: after } : { cursor: stood };
      // Where it stood is checked as well: the events after it may be lost.
      const resolved = await resolveCursor(start, context);
      const cursor = isElsewhere ? resolved : null;
      const record = await resumeWebhook(pool, {
        accountId,
        id: path.id,
        cursor,
        now: new Date(clock.now()),
      });
      if (record !== null) return { json: `{"data":${record}}` };
      if ((await findWebhookCursor(pool, accountId, path.id)) === null) throw createNoWebhookError(path.id);
      throw new ApiError(
        'conflict',
        'The operators of the service have disabled this webhook; ask them to resume it.',
      );
    },
  }),
];
