import { divisionOf, stateName } from '../../../domain/officeholders/states.ts';
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

/** The seats of the states that have more than one. */
const SEATS: Partial<Record<(typeof STATE_CODES)[number], number>> = {
  AL: 7,
  AR: 4,
  AZ: 9,
  CA: 52,
  CO: 8,
  CT: 5,
  FL: 28,
  GA: 14,
  HI: 2,
  IA: 4,
  ID: 2,
  IL: 17,
  IN: 9,
  KS: 4,
  KY: 6,
  LA: 6,
  MA: 9,
  MD: 8,
  ME: 2,
  MI: 13,
  MN: 8,
  MO: 8,
  MS: 4,
  MT: 2,
  NC: 14,
  NE: 3,
  NH: 2,
  NJ: 12,
  NM: 3,
  NV: 4,
  NY: 26,
  OH: 15,
  OK: 5,
  OR: 6,
  PA: 17,
  RI: 2,
  SC: 7,
  TN: 9,
  TX: 38,
  UT: 4,
  VA: 11,
  WA: 10,
  WI: 8,
  WV: 2,
};

/** The beginnings of whole names, by the kind of the division; D.C. has none. */
const KINDS: Readonly<Record<string, readonly [string, string]>> = {
  state: ['State of ', 'Estado de '],
  territory: ['Territory of ', 'Territorio de '],
};

/** Every state, D.C. and every territory. */
export const DEMO_STATES: DemoState[] = STATE_CODES.map((code) => {
  const name = stateName(code);
  const nameEs = SPANISH_NAMES[code] ?? name;
  const division = divisionOf(code);
  const [, word = ''] = /us\/([a-z]+):/.exec(division) ?? [];
  const [kind, kindEs] = KINDS[word] ?? ['', ''];
  return {
    code,
    name,
    nameEs,
    fullName: `${kind}${name}`,
    fullNameEs: `${kindEs}${nameEs}`,
    seats: SEATS[code] ?? 1,
    division,
  };
});
