/** The canary's ballot: an invented endorser, and an invented contest in a long past election. */

import { checkRecord } from '../../administration/catalogue/check-record.ts';
import type { RefusalList } from '../../administration/catalogue/refusal-list.ts';
import type { Submission } from '../../schemas/submission.ts';
import type { StagedLine } from '../../store/catalogue/staging.ts';

export const CANARY_ENDORSER = 'service-canary';
export const CANARY_ELECTION = 'as-2000-01-01-special';
const CONTEST = `${CANARY_ELECTION}/canary`;
const CHOICE = 'canary';

const RECORDS = [
  [
    'endorser-categories',
    { slug: 'service-test', name: 'Test of the service', name_es: 'Prueba del servicio' },
  ],
  [
    'endorsers',
    {
      slug: CANARY_ENDORSER,
      name: 'Canary (test of the service)',
      category: 'service-test',
      state: 'AS',
      url: null,
      details: {},
    },
  ],
  [
    'elections',
    {
      slug: CANARY_ELECTION,
      name: 'No election: a test of the service',
      date: '2000-01-01',
      state: 'AS',
      type: 'special',
      details: {},
      source: { dataset: 'canary' },
    },
  ],
  [
    'contests',
    {
      key: CONTEST,
      election: CANARY_ELECTION,
      slug: 'canary',
      title: 'No contest: a test of the service',
      short_title: 'Test',
      kind: 'candidate',
      vote_method: 'plurality',
      votes_allowed: 1,
      ranks_allowed: null,
      measure_code: null,
      district: { ocd_id: null, name: 'Test', level: 'special', type: 'test', state: 'AS' },
      details: {},
      choices: [
        {
          key: CHOICE,
          label: 'Canary',
          measure_answer: null,
          candidate: { full_name: 'Canary' },
          party: null,
          party_label: null,
          option: null,
          withdrawn: null,
          details: {},
        },
      ],
      source: null,
    },
  ],
] as const;

/** The canary's catalogue as checked lines, as if from files. */
export async function* canaryLines(refusals: RefusalList): AsyncGenerator<StagedLine> {
  for (const [index, [kind, record]] of RECORDS.entries()) {
    yield checkRecord(kind, 'canary', index + 1, record, refusals);
  }
}

/** A probe's submission. Only the statement differs, so that all probes change one endorsement. */
export function createProbe(statement: string): Submission {
  const pick = { choice: CHOICE, rank: null, statement, statement_es: null };
  return {
    action: 'endorse',
    endorser: CANARY_ENDORSER,
    contest: CONTEST,
    picks: [{ ...pick, source_url: null, published_on: null, details: null }],
  };
}
