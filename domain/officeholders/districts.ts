import { type Jurisdiction, jurisdictionOfState } from './states.ts';

/** The legislative districts in Open Civic Data ids: of the upper and the lower chamber. */
export type Chamber = 'sldu' | 'sldl';

const ORDINALS = [
  ...['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'],
  ...['eleventh', 'twelfth', 'thirteenth', 'fourteenth', 'fifteenth', 'sixteenth', 'seventeenth'],
  ...['eighteenth', 'nineteenth', 'twentieth'],
];
const SUFFIXES: Readonly<Record<number, string>> = { 1: 'st', 2: 'nd', 3: 'rd' };
const ROMAN = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii'];

/**
 * Registered names that do not follow from the source's, by state, chamber and composed name. A space of the source is
 * an underscore in the registry, except for a hyphen in these senate districts of Vermont.
 */
const REGISTERED_NAMES = new Map([
  ['VT sldu chittenden_central', 'chittenden-central'],
  ['VT sldu chittenden_north', 'chittenden-north'],
  ['VT sldu chittenden_southeast', 'chittenden-southeast'],
]);

/**
 * The chambers in which a district elects its members to seats with letters, and the form of a seat. The seats share
 * the district's division. In other states, as in Maryland, a letter names a smaller district.
 */
const LETTERED_SEATS: Readonly<Record<string, RegExp>> = { 'ID sldl': /^([0-9]+)[AB]$/i };

function isAtLarge(district: string): boolean {
  return /^(al|at[- ]large|chair(man|woman|person)?)$/i.test(district);
}

/** A district's name in division ids: `1st_essex_and_middlesex` for "First Essex and Middlesex". */
function slugOf(district: string): string {
  const [first = '', ...rest] = district.toLowerCase().replaceAll(/[,.]/g, '').split(/\s+/);
  const number = ORDINALS.indexOf(first) + 1;
  const ordinal = number === 0 ? first : `${number}${SUFFIXES[number] ?? 'th'}`;
  return [ordinal, ...rest].join('_');
}

/**
 * The division of a state's legislative district. A seat elected at large has the whole state, to which the registry
 * also maps `sldu:at-large` and `sldl:at-large` of Puerto Rico.
 */
export function legislativeDivision(
  { state, division }: Jurisdiction,
  chamber: Chamber,
  district: string,
): string {
  if (isAtLarge(district)) return division;
  // Puerto Rico numbers its senate districts with Roman numerals, but division ids do not.
  const roman = state === 'PR' ? ROMAN.indexOf(district.toLowerCase()) + 1 : 0;
  const whole = LETTERED_SEATS[`${state} ${chamber}`]?.exec(district)?.[1] ?? district;
  const slug = slugOf(whole);
  const name = REGISTERED_NAMES.get(`${state} ${chamber} ${slug}`) ?? slug;
  return `${division}/${chamber}:${roman > 0 ? roman : name}`;
}

/** The division of a seat on the D.C. Council: a ward, or the whole District. */
export function wardDivision({ division }: Jurisdiction, district: string): string {
  const ward = /^ward ([0-9]+)$/i.exec(district);
  return ward ? `${division}/ward:${ward[1]}` : division;
}

/**
 * The state and division of a U.S. House district, such as `KY-3` or `WY-AL` in the source; null for other
 * text. The division of a state, D.C. or a territory with one seat is `cd:at-large`.
 */
export function congressionalDistrict(district: string): { state: string; division: string } | null {
  const [, code = '', number = ''] = /^([A-Z]{2})-(AL|[0-9]{1,2})$/.exec(district) ?? [];
  const found = jurisdictionOfState(code);
  if (!found) return null;
  const { state, division } = found;
  return { state, division: `${division}/cd:${number === 'AL' ? 'at-large' : Number(number)}` };
}
