import { type Jurisdiction, jurisdictionOfState } from './officeholders-states.ts';

/** The chambers whose districts have Open Civic Data ids of their own kind. */
export type Chamber = 'sldu' | 'sldl';

const ORDINALS = [
  ...['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'],
  ...[
    'eleventh',
    'twelfth',
    'thirteenth',
    'fourteenth',
    'fifteenth',
    'sixteenth',
    'seventeenth',
    'eighteenth',
  ],
  ...['nineteenth', 'twentieth'],
];
const SUFFIXES: Readonly<Record<number, string>> = { 1: 'st', 2: 'nd', 3: 'rd' };
const ROMAN = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii'];

function isAtLarge(district: string): boolean {
  return /^(al|at[- ]large|chair(man|woman|person)?)$/i.test(district);
}

/** `1st_essex_and_middlesex` for "First Essex and Middlesex": how division ids write a district's name. */
function slugOf(district: string): string {
  const [first = '', ...rest] = district.toLowerCase().replaceAll(/[,.]/g, '').split(/\s+/);
  const number = ORDINALS.indexOf(first) + 1;
  const ordinal = number === 0 ? first : `${number}${SUFFIXES[number] ?? 'th'}`;
  return [ordinal, ...rest].join('_');
}

/** The division of a district of a state's legislature; one that is elected at large has the whole state. */
export function legislativeDivision(
  { state, division }: Jurisdiction,
  chamber: Chamber,
  district: string,
): string {
  if (isAtLarge(district)) return division;
  // Puerto Rico numbers its senate's districts with Roman numerals, division ids do not.
  const roman = state === 'PR' ? ROMAN.indexOf(district.toLowerCase()) + 1 : 0;
  return `${division}/${chamber}:${roman > 0 ? roman : slugOf(district)}`;
}

/** The division of a seat of the D.C. Council: a ward, or the whole District. */
export function wardDivision({ division }: Jurisdiction, district: string): string {
  const ward = /^ward ([0-9]+)$/i.exec(district);
  return ward ? `${division}/ward:${ward[1]}` : division;
}

/**
 * The state and division of a district of the U.S. House, which the source writes as `KY-3` or `WY-AL`; null where it
 * is neither. A state with one seat has a division `cd:at-large`; D.C. and the territories are their own district.
 */
export function congressionalDistrict(district: string): { state: string; division: string } | null {
  const [, code = '', number = ''] = /^([A-Z]{2})-(AL|[0-9]{1,2})$/.exec(district) ?? [];
  const found = jurisdictionOfState(code);
  if (!found) return null;
  const { state, division } = found;
  if (!division.includes('/state:')) return found;
  return { state, division: `${division}/cd:${number === 'AL' ? 'at-large' : Number(number)}` };
}
