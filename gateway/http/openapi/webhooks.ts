import type { TSchema } from 'typebox';
import { endorsementsChanged, webhookTest } from '../../../schemas/http/webhooks.ts';
import { describeHeader } from './headers.ts';
import type { Document, SchemaReference } from './schemas.ts';

const header = (name: string, description: string) => describeHeader(name, description, true);

/** The headers of the Standard Webhooks specification 1.0.0. */
const HEADERS = [
  header('webhook-id', 'The id of the message. All attempts to deliver it have the same id and body.'),
  header('webhook-timestamp', 'The time of the attempt, in seconds since 1970.'),
  header(
    'webhook-signature',
    '`v1,` and the HMAC-SHA256 of the id, the timestamp and the body, joined by dots, in base64. After a rotation there ' +
      'are two, with a space between them. Libraries of the Standard Webhooks specification verify them.',
  ),
];

const RESPONSES = {
  '2XX': { description: 'The receiver has the message, and the next one follows.' },
  '410': { description: 'The receiver is gone: the webhook is disabled.' },
  default: {
    description:
      'The message is sent again after 5 seconds, 30 seconds, 2, 10 and 30 minutes, and then each hour, or later if ' +
      '`Retry-After` says so. Redirects are not followed.',
  },
};

const describeMessage = (
  { operationId, summary, description }: { operationId: string; summary: string; description: string },
  schema: TSchema,
  reference: SchemaReference,
): Document => ({
  post: {
    operationId,
    summary,
    description,
    tags: ['Webhooks'],
    security: [],
    parameters: HEADERS,
    requestBody: { required: true, content: { 'application/json': { schema: reference.describe(schema) } } },
    responses: RESPONSES,
  },
});

/** The messages that receivers get, as OpenAPI's `webhooks`. */
export const describeWebhooks = (reference: SchemaReference): Document => ({
  'endorsements.changed': describeMessage(
    {
      operationId: 'receiveEndorsementsChanged',
      summary: 'Changes of endorsements',
      description:
        'The changes that pass the filter of the webhook, in order for each endorser. A message follows when the receiver ' +
        'has accepted the one before. At least once: a message can be repeated, with the same id and body.',
    },
    endorsementsChanged,
    reference,
  ),
  'webhook.test': describeMessage(
    {
      operationId: 'receiveWebhookTest',
      summary: 'A test message',
      description: 'Sent on request, once.',
    },
    webhookTest,
    reference,
  ),
});
