/** Valid catalogue records for tests, which can replace the fields they need. */

type Json = Record<string, unknown>;

export const category = (overrides: Json = {}): Json => ({
  slug: 'labor',
  name: 'Labor union',
  ...overrides,
});

export const endorser = (overrides: Json = {}): Json => ({
  slug: 'bakers-local-1',
  name: 'Bakers Local 1',
  category: 'labor',
  state: 'OR',
  url: null,
  details: {},
  ...overrides,
});

export const election = (overrides: Json = {}): Json => ({
  slug: 'or-2026-11-03-general',
  name: 'Oregon general 2026',
  date: '2026-11-03',
  state: 'OR',
  type: 'general',
  details: { all_mail: true },
  source: { dataset: 'test' },
  ...overrides,
});

export const choice = (key: string, overrides: Json = {}): Json => ({
  key,
  label: key,
  measure_answer: null,
  candidate: { full_name: key },
  party: null,
  party_label: null,
  option: null,
  withdrawn: null,
  details: {},
  ...overrides,
});

export const contest = (slug: string, overrides: Json = {}): Json => {
  const of = (overrides.election as string | undefined) ?? 'or-2026-11-03-general';
  return {
    key: `${of}/${slug}`,
    election: of,
    slug,
    title: `Title of ${slug}`,
    short_title: slug,
    kind: 'candidate',
    vote_method: 'plurality',
    votes_allowed: 1,
    ranks_allowed: null,
    measure_code: null,
    district: { ocd_id: null, name: 'Fernville', level: 'city', type: 'place', state: 'OR' },
    details: {},
    choices: [choice('ann'), choice('bob')],
    source: null,
    ...overrides,
  };
};

export const ndjson = (records: unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');
