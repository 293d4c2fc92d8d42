import { STATE_CODES } from '../../../schemas/vocabulary.ts';

export interface DemoState {
  code: (typeof STATE_CODES)[number];
  name: string;
  nameEs: string;
  /** The name of the whole state, without an article: `State of California`. */
  fullName: string;
  fullNameEs: string;
  /** The number of members of the U.S. House, delegates included; also a measure of size. */
  seats: number;
  /** Its Open Civic Data division. */
  division: string;
}

const TERRITORIES = ['AS', 'GU', 'MP', 'PR', 'VI'];

/** The Spanish names that differ from the English ones. */
const SPANISH_NAMES: Partial<Record<(typeof STATE_CODES)[number], string>> = {
  AS: 'Samoa Americana',
  DC: 'Distrito de Columbia',
  HI: 'Hawái',
  LA: 'Luisiana',
  MI: 'Míchigan',
  MO: 'Misuri',
  MP: 'Islas Marianas del Norte',
  MS: 'Misisipi',
  NC: 'Carolina del Norte',
  ND: 'Dakota del Norte',
  NH: 'Nuevo Hampshire',
  NJ: 'Nueva Jersey',
  NM: 'Nuevo México',
  NY: 'Nueva York',
  OR: 'Oregón',
  PA: 'Pensilvania',
  SC: 'Carolina del Sur',
  SD: 'Dakota del Sur',
  VI: 'Islas Vírgenes',
  WV: 'Virginia Occidental',
};

const NAMES_AND_SEATS: Record<(typeof STATE_CODES)[number], readonly [string, number]> = {
  AK: ['Alaska', 1],
  AL: ['Alabama', 7],
  AR: ['Arkansas', 4],
  AS: ['American Samoa', 1],
  AZ: ['Arizona', 9],
  CA: ['California', 52],
  CO: ['Colorado', 8],
  CT: ['Connecticut', 5],
  DC: ['District of Columbia', 1],
  DE: ['Delaware', 1],
  FL: ['Florida', 28],
  GA: ['Georgia', 14],
  GU: ['Guam', 1],
  HI: ['Hawaii', 2],
  IA: ['Iowa', 4],
  ID: ['Idaho', 2],
  IL: ['Illinois', 17],
  IN: ['Indiana', 9],
  KS: ['Kansas', 4],
  KY: ['Kentucky', 6],
  LA: ['Louisiana', 6],
  MA: ['Massachusetts', 9],
  MD: ['Maryland', 8],
  ME: ['Maine', 2],
  MI: ['Michigan', 13],
  MN: ['Minnesota', 8],
  MO: ['Missouri', 8],
  MP: ['Northern Mariana Islands', 1],
  MS: ['Mississippi', 4],
  MT: ['Montana', 2],
  NC: ['North Carolina', 14],
  ND: ['North Dakota', 1],
  NE: ['Nebraska', 3],
  NH: ['New Hampshire', 2],
  NJ: ['New Jersey', 12],
  NM: ['New Mexico', 3],
  NV: ['Nevada', 4],
  NY: ['New York', 26],
  OH: ['Ohio', 15],
  OK: ['Oklahoma', 5],
  OR: ['Oregon', 6],
  PA: ['Pennsylvania', 17],
  PR: ['Puerto Rico', 1],
  RI: ['Rhode Island', 2],
  SC: ['South Carolina', 7],
  SD: ['South Dakota', 1],
  TN: ['Tennessee', 9],
  TX: ['Texas', 38],
  UT: ['Utah', 4],
  VA: ['Virginia', 11],
  VI: ['Virgin Islands', 1],
  VT: ['Vermont', 1],
  WA: ['Washington', 10],
  WI: ['Wisconsin', 8],
  WV: ['West Virginia', 2],
  WY: ['Wyoming', 1],
};

const KINDS = {
  state: ['State of ', 'Estado de '],
  territory: ['Territory of ', 'Territorio de '],
  district: ['', ''],
} as const;

/** Every state, D.C. and every territory. */
export const DEMO_STATES: DemoState[] = STATE_CODES.map((code) => {
  const [name, seats] = NAMES_AND_SEATS[code];
  const word = code === 'DC' ? 'district' : TERRITORIES.includes(code) ? 'territory' : 'state';
  const nameEs = SPANISH_NAMES[code] ?? name;
  const [kind, kindEs] = KINDS[word];
  return {
    code,
    name,
    nameEs,
    fullName: `${kind}${name}`,
    fullNameEs: `${kindEs}${nameEs}`,
    seats,
    division: `ocd-division/country:us/${word}:${code.toLowerCase()}`,
  };
});
