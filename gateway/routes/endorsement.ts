import { id, lang } from '../../schemas/http/parameters.ts';
import { endorsement, single } from '../../schemas/http/records.ts';
import { findEndorsement } from '../../store/reads/endorsement.ts';
import { ApiError } from '../http/api-error.ts';
import { defineRoute } from './define-route.ts';

export const endorsementRoute = defineRoute({
  method: 'GET',
  path: '/v1/endorsements/{id}',
  summary: 'One endorsement in full: with its endorser, contest and choice.',
  scope: 'data:read',
  parameters: { id },
  query: { lang },
  shows: ['catalogue', 'endorsements'],
  response: single(endorsement),
  async handle({ path, query }, { pool }) {
    const record = await findEndorsement(pool, path.id, query.lang);
    if (record === null) throw new ApiError('not_found', `There is no endorsement ${path.id}.`);
    return { json: `{"data":${record}}` };
  },
});
