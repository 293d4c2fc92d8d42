import { createOpenApi } from '../../../gateway/http/openapi.ts';
import { routes } from '../../../gateway/routes/index.ts';
import { topicNames } from '../../../kafka/topic-names.ts';
import { readSchemaVersions } from '../../../schemas/avro-codec.ts';

/**
 * The AsyncAPI description of the stream and the topics, from the service's point of view: it sends events and receives
 * submissions. Its schemas are those of the OpenAPI description and the newest Avro schemas.
 */

type Document = Record<string, unknown>;

const { schemas } = createOpenApi(routes).components as { schemas: Record<string, Document> };

/** AsyncAPI has the name of the field; OpenAPI has an object. */
function adapt(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map(adapt);
  const { discriminator, ...rest } = part as { discriminator?: { propertyName: string } };
  const adapted = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, adapt(value)]));
  return discriminator ? { ...adapted, discriminator: discriminator.propertyName } : adapted;
}

/** These schemas, and all schemas that they refer to. */
function reachable(names: readonly string[]): Document {
  const found: Document = {};
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (name in found) continue;
    found[name] = adapt(schemas[name]);
    for (const [, other = ''] of JSON.stringify(found[name]).matchAll(/"#\/components\/schemas\/(\w+)"/g))
      waiting.push(other);
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const FRAMES: Record<string, { schema: string; summary: string }> = {
  ready: { schema: 'StreamReady', summary: 'The stream has begun.' },
  endorsement: { schema: 'Event', summary: 'A change of an endorsement that matches the filter.' },
  checkpoint: {
    schema: 'StreamCheckpoint',
    summary: 'The position has moved past changes that do not match.',
  },
  reconnect: { schema: 'StreamReconnect', summary: 'The service ends the connection.' },
  error: { schema: 'StreamError', summary: 'The stream cannot continue.' },
};

const frameMessages = Object.fromEntries(
  Object.entries(FRAMES).map(([event, { schema, summary }]) => [
    event,
    {
      name: event,
      summary,
      description: 'The data of a frame of Server-Sent Events. The id of the frame is a cursor.',
      contentType: 'application/json',
      payload: { $ref: `#/components/schemas/${schema}` },
    },
  ]),
);

const text = { type: 'string' };

const WEBHOOK_MESSAGES: Record<string, { schema: string; summary: string }> = {
  'endorsements.changed': { schema: 'EndorsementsChanged', summary: 'Changes that pass the filter.' },
  'webhook.test': { schema: 'WebhookTest', summary: 'A test, on request.' },
};

const webhookMessages = Object.fromEntries(
  Object.entries(WEBHOOK_MESSAGES).map(([type, { schema, summary }]) => [
    type.replace('.', '_'),
    {
      name: type,
      summary,
      description: 'The body of a POST. All attempts to deliver it have the same webhook-id and body.',
      contentType: 'application/json',
      headers: {
        type: 'object',
        properties: { 'webhook-id': text, 'webhook-timestamp': text, 'webhook-signature': text },
      },
      payload: { $ref: `#/components/schemas/${schema}` },
    },
  ]),
);

/** A topic of Avro values in single-object encoding, keyed by the endorser's slug. */
function describeTopic(
  address: string,
  {
    schema,
    title,
    description,
    headers,
  }: { schema: string; title: string; description: string; headers: Document },
): Document {
  return {
    address,
    title,
    description,
    servers: [{ $ref: '#/servers/kafka' }],
    bindings: { kafka: { topic: address, bindingVersion: '0.5.0' } },
    messages: {
      [schema]: {
        name: schema,
        title,
        contentType: 'avro/binary',
        headers: { type: 'object', properties: headers },
        payload: {
          schemaFormat: 'application/vnd.apache.avro;version=1.9.0',
          schema: readSchemaVersions(schema).at(-1),
        },
        bindings: {
          kafka: { key: { ...text, description: 'The slug of the endorser.' }, bindingVersion: '0.5.0' },
        },
      },
    },
  };
}

const TRACE = { traceparent: { ...text, description: 'The W3C trace context of the submission.' } };

/** Builds the description as a document of AsyncAPI 3.1. */
export function createAsyncApi(): Document {
  const { submissions, rejected, changes } = topicNames();
  const operation = (action: 'send' | 'receive', channel: string, summary: string) => ({
    action,
    channel: { $ref: `#/channels/${channel}` },
    summary,
  });
  return {
    asyncapi: '3.1.0',
    info: {
      title: 'Ballot Endorsement Data Service',
      version: '1.0.0',
      description:
        'The stream of endorsement changes and the topics of Kafka, from the point of view of the service. Topics can ' +
        'have a prefix in front of their names. `/openapi.json` describes the HTTP API in full.',
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/json',
    servers: {
      gateway: {
        host: 'localhost:8080',
        protocol: 'http',
        description: 'A gateway.',
        security: [{ $ref: '#/components/securitySchemes/apiKey' }],
      },
      receiver: {
        host: 'hooks.example.org',
        protocol: 'https',
        description: 'The receiver of a webhook, by the Standard Webhooks specification.',
      },
      kafka: { host: 'localhost:9092', protocol: 'kafka', description: 'A broker, for platform teams.' },
    },
    channels: {
      stream: {
        address: '/v1/stream',
        title: 'Stream of Server-Sent Events',
        description: 'A client continues from the id of the last frame, in Last-Event-ID or cursor.',
        servers: [{ $ref: '#/servers/gateway' }],
        messages: frameMessages,
      },
      webhooks: {
        address: null,
        title: 'Webhooks',
        description: 'A message follows when the receiver has accepted the one before.',
        servers: [{ $ref: '#/servers/receiver' }],
        messages: webhookMessages,
      },
      submissions: describeTopic(submissions, {
        schema: 'endorsement-submission',
        title: 'Submissions',
        description: 'Endorsers say what they endorse. Any producer can send here.',
        headers: {
          ...TRACE,
          submitted_by: {
            ...text,
            description:
              'The name that the sender gives itself, in 1 to 200 visible characters. The console shows it in the history of an endorsement.',
          },
        },
      }),
      rejected: describeTopic(rejected, {
        schema: 'submission-rejection',
        title: 'Rejections',
        description: 'Submissions that were not applied, each with its origin and the reasons.',
        headers: {},
      }),
      changes: describeTopic(changes, {
        schema: 'endorsement-change',
        title: 'Changes',
        description:
          'Every change of an endorsement, in order for each endorser. At least once: drop repeats by id.',
        headers: {
          submitted_at: {
            ...text,
            description: 'When the submission was appended, in milliseconds since 1970.',
          },
          relayed_at: { ...text, description: 'When the change was sent, in milliseconds since 1970.' },
          ...TRACE,
        },
      }),
    },
    operations: {
      streamEvents: operation('send', 'stream', 'Sends changes to clients.'),
      deliverWebhooks: operation('send', 'webhooks', 'Sends changes to the addresses of accounts.'),
      applySubmissions: operation('receive', 'submissions', 'Applies submissions.'),
      rejectSubmissions: operation('send', 'rejected', 'Sets aside what cannot be applied.'),
      relayChanges: operation('send', 'changes', 'Relays the change log.'),
    },
    components: {
      schemas: reachable(Object.values({ ...FRAMES, ...WEBHOOK_MESSAGES }).map(({ schema }) => schema)),
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: bes_…' } },
    },
  };
}
