import { endorsement } from '../../schemas/http/endorsements.ts';
import { single } from '../../schemas/http/envelopes.ts';
import { id, lang } from '../../schemas/http/parameters.ts';
import { findEndorsement } from '../../store/reads/endorsement.ts';
import { ApiError } from '../http/api-error.ts';
import { defineRoute } from './define-route.ts';

export const endorsementRoute = defineRoute({
  method: 'GET',
  path: '/v1/endorsements/{id}',
  operationId: 'getEndorsement',
  tag: 'Endorsements',
  summary: 'Get an endorsement',
  description: 'One endorsement in full: with its endorser, contest and choice.',
  scope: 'data:read',
  parameters: { id },
  query: { lang },
  errors: ['not_found'],
  shows: ['catalogue', 'endorsements'],
  response: single(endorsement),
  async handle({ path, query }, { pool }) {
    const record = await findEndorsement(pool, path.id, query.lang);
    if (record === null) throw new ApiError('not_found', `There is no endorsement ${path.id}.`);
    return { json: `{"data":${record}}`, scope: [{ endorsementIds: [path.id] }] };
  },
});
