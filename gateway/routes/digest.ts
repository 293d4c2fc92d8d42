import { createDigest } from '../../domain/digest.ts';
import { formatCursor } from '../../schemas/cursor.ts';
import { digestAnswer } from '../../schemas/http/digest.ts';
import { digestFilters, subscription as subscriptionParameter } from '../../schemas/http/parameters.ts';
import { sumHashes } from '../../store/reads/digest.ts';
import { ApiError, createUnavailableError } from '../http/api-error.ts';
import { readStreamFilter } from '../selection/stream-filter.ts';
import { defineRoute } from './define-route.ts';

export const digestRoute = defineRoute({
  method: 'GET',
  path: '/v1/digest',
  operationId: 'getDigest',
  tag: 'Endorsements',
  summary: 'Get a digest',
  description:
    'The endorsements that a filter chooses, as numbers that a complete copy of them has, too. A copy that follows the stream ' +
    'with the same filter compares them when it is at `stream_cursor`; buckets that differ hold the ids to read again. ' +
    'The specification of the API has no such operation; it is an addition of this service.',
  scope: 'data:read',
  query: { subscription: subscriptionParameter, ...digestFilters },
  shows: ['catalogue', 'endorsements'],
  errors: ['subscription_not_found'],
  response: digestAnswer,
  turns: (_query, { digests }) => digests,
  async handle({ query, caller }, { pool, clock }) {
    const { filter } = await readStreamFilter(query, caller.accountId, pool);
    const { types, ...filters } = filter;
    if (types) {
      const message =
        'The subscription chooses types of changes, so no copy can match it. ' +
        'Name one without types, or send its other fields as parameters.';
      throw new ApiError('invalid_parameter', message);
    }
    const readAt = clock.now();
    const found = await sumHashes(pool, filters);
    if (found.lacksHashes) {
      throw createUnavailableError('server_busy', 'Digests are being computed after an upgrade; try again.');
    }
    // The sums show announced values. The filter, and copies that are loaded now, see those that wait for their announcement.
    if (found.hasStale) {
      throw createUnavailableError('server_busy', 'Changes of the catalogue are being announced; try again.');
    }
    const stream_cursor = formatCursor({ ...found.stream, time: readAt });
    return {
      json: JSON.stringify({ data: { stream_cursor, ...createDigest(found.sums) } }),
      scope: [filters],
    };
  },
});
