import { stateCode } from './enumerations.ts';
import { count, date, described, nullable, record, text, time } from './fields.ts';

/** A state (specification, "State"). */
export const state = record('State', 'A state, the District of Columbia or a territory.', {
  code: stateCode,
  fips: described(text, 'The FIPS code, two digits.'),
  name: described(text, 'The name in English.'),
});

/** The counts of a state (specification, "Coverage"). */
export const coverage = record(
  'Coverage',
  'The available data for a state. Every state has a record; its counts may be 0.',
  {
    state: stateCode,
    name: described(text, 'The name of the state.'),
    election_count: described(count, 'Elections.'),
    contest_count: described(count, 'Contests of these elections.'),
    measure_count: described(count, 'The contests that are measures.'),
    endorser_count: described(count, 'Endorsers with an endorsement in these elections.'),
    endorsement_count: described(count, 'Endorsements in these elections.'),
    endorsed_contest_count: described(count, 'Contests with at least one endorsement.'),
    first_election: described(
      nullable(date),
      'The date of the first of these elections; null without elections.',
    ),
    last_election: described(
      nullable(date),
      'The date of the last of these elections; null without elections.',
    ),
    updated_at: described(
      nullable(time),
      'The last change or removal of any of this; null before the first.',
    ),
  },
);
