import { single, wholeList } from '../../schemas/http/envelopes.ts';
import { id } from '../../schemas/http/parameters.ts';
import { subscription, subscriptionBody } from '../../schemas/http/subscriptions.ts';
import {
  createSubscription,
  deleteSubscription,
  findSubscription,
  listSubscriptions,
  NameTakenError,
  RecordChangedError,
  replaceSubscription,
  SubscriptionInUseError,
  type SubscriptionValues,
  TooManySubscriptionsError,
} from '../../store/access/subscriptions.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { ApiError } from '../http/api-error.ts';
import { readIdempotency, refuseUsedKey } from '../http/idempotency.ts';
import { readName } from '../selection/record-name.ts';
import { requireKnownSlugs } from '../selection/stream-filter.ts';
import { defineRoute } from './define-route.ts';

/** The most subscriptions of one account. */
const LIMIT = 50;

const body = { schema: subscriptionBody, refusal: 'invalid_subscription' } as const;
const one = single(subscription);

function notFound(subscriptionId: number): ApiError {
  return new ApiError('subscription_not_found', `The account has no subscription ${subscriptionId}.`);
}

/** Reads the values of a body that matches its schema. */
async function readValues(given: unknown, pool: DatabasePool): Promise<SubscriptionValues> {
  const { name: text, filter = {} } = given as Partial<SubscriptionValues> & { name: string };
  const name = readName(text, given, 'invalid_subscription');
  await requireKnownSlugs(filter, 'invalid_filter', pool);
  return { name, filter };
}

/** Turns a refusal by the database into an ApiError. Other errors are returned unchanged. */
function refusalOf(error: unknown, name: string): unknown {
  if (error instanceof NameTakenError) {
    return new ApiError('conflict', `The account already has a subscription named "${name}".`);
  }
  if (error instanceof RecordChangedError) {
    return new ApiError('conflict', 'The subscription was changed meanwhile.');
  }
  if (error instanceof TooManySubscriptionsError) {
    return new ApiError(
      'conflict',
      `The account has ${LIMIT} subscriptions, which is the limit; delete one first.`,
    );
  }
  return refuseUsedKey(error);
}

export const subscriptionRoutes = [
  defineRoute({
    method: 'GET',
    path: '/v1/subscriptions',
    operationId: 'listSubscriptions',
    tag: 'Subscriptions',
    summary: 'List subscriptions',
    description: 'Every subscription of the account.',
    scope: 'stream:read',
    response: wholeList(subscription),
    handle: async ({ caller }, { pool }) => ({
      json: `{"data":[${await listSubscriptions(pool, caller.accountId)}]}`,
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/subscriptions',
    operationId: 'createSubscription',
    tag: 'Subscriptions',
    summary: 'Create a subscription',
    description:
      'Saves a filter. The same request with the same Idempotency-Key saves it once. An account has at most 50 subscriptions.',
    scope: 'subscriptions:write',
    body,
    errors: ['invalid_filter', 'conflict'],
    success: 201,
    response: one,
    async handle({ caller, body: given, header }, { pool, clock }) {
      const idempotency = readIdempotency(header('Idempotency-Key'), given);
      const values = await readValues(given, pool);
      const now = new Date(clock.now());
      const { accountId } = caller;
      const saved = await createSubscription(pool, {
        ...values,
        ...{ accountId, limit: LIMIT, now, idempotency },
      }).catch((error: unknown) => {
        throw refusalOf(error, values.name);
      });
      const headers = { Location: `/v1/subscriptions/${saved.id}` };
      return { status: 201, headers, json: `{"data":${saved.record}}` };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/subscriptions/{id}',
    operationId: 'getSubscription',
    tag: 'Subscriptions',
    summary: 'Get a subscription',
    description: 'One subscription of the account.',
    scope: 'stream:read',
    parameters: { id },
    errors: ['subscription_not_found'],
    response: one,
    async handle({ caller, path }, { pool }) {
      const record = await findSubscription(pool, caller.accountId, path.id);
      if (record === null) throw notFound(path.id);
      return { json: `{"data":${record}}` };
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/v1/subscriptions/{id}',
    operationId: 'replaceSubscription',
    tag: 'Subscriptions',
    summary: 'Replace a subscription',
    description:
      'Replaces the name and the filter of a subscription. Its open streams follow within five seconds.',
    scope: 'subscriptions:write',
    parameters: { id },
    body,
    errors: ['invalid_filter', 'subscription_not_found', 'conflict'],
    response: one,
    async handle({ caller, path, body: given, unchangedSince }, { pool, clock }) {
      const values = await readValues(given, pool);
      const now = new Date(clock.now());
      const target = { accountId: caller.accountId, id: path.id, now, unchangedSince };
      const record = await replaceSubscription(pool, { ...values, ...target }).catch((error: unknown) => {
        throw refusalOf(error, values.name);
      });
      if (record === null) throw notFound(target.id);
      return { json: `{"data":${record}}` };
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/subscriptions/{id}',
    operationId: 'deleteSubscription',
    tag: 'Subscriptions',
    summary: 'Delete a subscription',
    description:
      'Deletes a subscription. Its open streams end within five seconds. A subscription that a webhook follows is kept.',
    scope: 'subscriptions:write',
    parameters: { id },
    errors: ['subscription_not_found', 'conflict'],
    success: 204,
    response: null,
    async handle({ caller, path }, { pool }) {
      const isDeleted = await deleteSubscription(pool, caller.accountId, path.id).catch((error: unknown) => {
        if (!(error instanceof SubscriptionInUseError)) throw error;
        throw new ApiError(
          'conflict',
          `A webhook follows the subscription ${path.id}; delete the webhook or give it another filter first.`,
        );
      });
      if (isDeleted) return { empty: true };
      throw notFound(path.id);
    },
  }),
];
