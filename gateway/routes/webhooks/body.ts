import { checkWebhookUrl } from '../../../domain/webhooks/addresses.ts';
import { WEBHOOK_KEY_SETTING, type WebhookSettings } from '../../../service/webhook-settings.ts';
import {
  NameTakenError,
  RecordChangedError,
  resolveSubscription,
} from '../../../store/access/subscriptions.ts';
import {
  SubscriptionGoneError,
  TooManyWebhooksError,
  type WebhookValues,
} from '../../../store/access/webhooks.ts';
import type { DatabasePool } from '../../../store/connection/read-pool.ts';
import type { GatewayContext } from '../../context.ts';
import { ApiError, createUnavailableError } from '../../http/api-error.ts';
import { refuseUsedKey } from '../../http/idempotency.ts';
import { readName } from '../../selection/record-name.ts';
import { requireKnownSlugs } from '../../selection/stream-filter.ts';

/** How long a client waits before it asks a service without webhooks again, in seconds. */
const OFF_RETRY_SECONDS = 300;

/** @throws ApiError not_available if webhooks are off */
export function requireWebhooks({ config }: Pick<GatewayContext, 'config'>): WebhookSettings {
  if (config.webhooks) return config.webhooks;
  throw createUnavailableError(
    'not_available',
    `This service does not deliver to webhooks; its operators turn them on with ${WEBHOOK_KEY_SETTING}.`,
    OFF_RETRY_SECONDS,
  );
}

/** The error for a webhook that the account does not have. */
export const createNoWebhookError = (id: number): ApiError =>
  new ApiError('not_found', `The account has no webhook ${id}.`);

/** A body that matches its schema. */
interface GivenWebhook {
  name: string;
  url: string;
  subscription?: string | number;
  filter?: Readonly<Record<string, readonly string[]>>;
}

/** Reads the values of a body that matches its schema. @throws ApiError invalid_webhook, invalid_filter */
export async function readWebhookValues(
  body: unknown,
  { accountId, allowPrivate, pool }: { accountId: number; allowPrivate: boolean; pool: DatabasePool },
): Promise<WebhookValues> {
  const given = body as GivenWebhook;
  const name = readName(given.name, body, 'invalid_webhook');
  const checked = checkWebhookUrl(given.url, allowPrivate);
  if ('problem' in checked) throw new ApiError('invalid_webhook', `url ${checked.problem}.`);
  const { url } = checked;
  if (given.subscription === undefined) {
    const { filter = {} } = given;
    await requireKnownSlugs(filter, 'invalid_filter', pool);
    return { name, url, subscriptionId: null, filter };
  }
  if (given.filter !== undefined) {
    throw new ApiError('invalid_webhook', 'subscription and filter exclude each other; give one of them.');
  }
  const subscription = await resolveSubscription(pool, accountId, String(given.subscription));
  if (!subscription) {
    throw new ApiError('invalid_webhook', `The account has no subscription "${given.subscription}".`);
  }
  return { name, url, subscriptionId: subscription.id, filter: null };
}

/** Turns a refusal by the database into an ApiError. Other errors are returned unchanged. */
export function refusalOf(error: unknown, name: string): unknown {
  if (error instanceof NameTakenError) {
    return new ApiError('conflict', `The account already has a webhook named "${name}".`);
  }
  if (error instanceof RecordChangedError) {
    return new ApiError('conflict', 'The webhook was changed meanwhile.');
  }
  if (error instanceof SubscriptionGoneError) {
    return new ApiError('conflict', 'The subscription was deleted meanwhile; give another one, or a filter.');
  }
  if (error instanceof TooManyWebhooksError) {
    const { limit, count } = error;
    const rule =
      count > limit
        ? `and its plan allows ${limit}; delete ${count - limit + 1} of them first`
        : 'which is the limit of its plan; delete one first';
    return new ApiError('conflict', `The account has ${count} webhook${count === 1 ? '' : 's'}, ${rule}.`);
  }
  return refuseUsedKey(error);
}
