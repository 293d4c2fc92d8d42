import type { ChangeBody } from '../../../schemas/change.ts';

/** The body of a change in a city contest of the election with id 1. */
export const CHANGE_BODY: ChangeBody = {
  endorsement: { id: 1, rank: null, statement: null, source_url: null, published_on: null },
  endorser: {
    id: 1,
    slug: 'acme',
    name: 'Acme',
    category: { slug: 'labor', name: 'Labor union' },
    state: 'OR',
  },
  contest: {
    id: 1,
    title: 'Mayor',
    short_title: 'Mayor',
    kind: 'candidate',
    vote_method: 'plurality',
    votes_allowed: 1,
    ranks_allowed: null,
    measure_code: null,
    district: { id: 1, name: 'Portland', level: 'city', ocd_id: null, state: 'OR' },
  },
  election: { id: 1, slug: 'or-1', name: 'Election', date: '2026-11-03', state: 'OR', type: 'general' },
  choice: { id: 1, label: 'Ann', measure_answer: null, candidate: null, party: null, withdrawn: false },
};
