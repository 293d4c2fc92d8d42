/** The names of the states, D.C. and the territories, by USPS code. */
const STATE_NAMES: Readonly<Record<string, string>> = {
  AK: 'Alaska',
  AL: 'Alabama',
  AR: 'Arkansas',
  AS: 'American Samoa',
  AZ: 'Arizona',
  CA: 'California',
  CO: 'Colorado',
  CT: 'Connecticut',
  DC: 'District of Columbia',
  DE: 'Delaware',
  FL: 'Florida',
  GA: 'Georgia',
  GU: 'Guam',
  HI: 'Hawaii',
  IA: 'Iowa',
  ID: 'Idaho',
  IL: 'Illinois',
  IN: 'Indiana',
  KS: 'Kansas',
  KY: 'Kentucky',
  LA: 'Louisiana',
  MA: 'Massachusetts',
  MD: 'Maryland',
  ME: 'Maine',
  MI: 'Michigan',
  MN: 'Minnesota',
  MO: 'Missouri',
  MP: 'Northern Mariana Islands',
  MS: 'Mississippi',
  MT: 'Montana',
  NC: 'North Carolina',
  ND: 'North Dakota',
  NE: 'Nebraska',
  NH: 'New Hampshire',
  NJ: 'New Jersey',
  NM: 'New Mexico',
  NV: 'Nevada',
  NY: 'New York',
  OH: 'Ohio',
  OK: 'Oklahoma',
  OR: 'Oregon',
  PA: 'Pennsylvania',
  PR: 'Puerto Rico',
  RI: 'Rhode Island',
  SC: 'South Carolina',
  SD: 'South Dakota',
  TN: 'Tennessee',
  TX: 'Texas',
  UT: 'Utah',
  VA: 'Virginia',
  VI: 'Virgin Islands',
  VT: 'Vermont',
  WA: 'Washington',
  WI: 'Wisconsin',
  WV: 'West Virginia',
  WY: 'Wyoming',
};

const TERRITORIES = ['AS', 'GU', 'MP', 'PR', 'VI'];
const CODES = new Map(Object.entries(STATE_NAMES).map(([code, name]) => [name, code]));

/** The government of the nation, a state, D.C. or a territory. */
export interface Jurisdiction {
  /** A USPS code; null for the nation. */
  state: string | null;
  /** The Open Civic Data id of the governed division. */
  division: string;
}

/** The Open Civic Data id of a state, D.C. or a territory by its USPS code. */
export function divisionOf(state: string): string {
  const kind = state === 'DC' ? 'district' : TERRITORIES.includes(state) ? 'territory' : 'state';
  return `ocd-division/country:us/${kind}:${state.toLowerCase()}`;
}

/** The jurisdiction of a state by its code or name; null for an unknown state. */
export function jurisdictionOfState(codeOrName: string): { state: string; division: string } | null {
  const state = Object.hasOwn(STATE_NAMES, codeOrName) ? codeOrName : CODES.get(codeOrName);
  return state === undefined ? null : { state, division: divisionOf(state) };
}

/** The jurisdiction of an OCD id; null for anything below a state, such as a city or a county. */
export function readJurisdiction(id: string): Jurisdiction | null {
  if (id === 'ocd-jurisdiction/country:us/government')
    return { state: null, division: 'ocd-division/country:us' };
  const match = /^ocd-jurisdiction\/country:us\/(?:state|district|territory):([a-z]{2})\/government$/.exec(
    id,
  );
  return match ? jurisdictionOfState((match[1] ?? '').toUpperCase()) : null;
}

/** The name of a state by its USPS code. */
export function stateName(state: string): string {
  return STATE_NAMES[state] ?? state;
}
