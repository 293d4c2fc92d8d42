import { jurisdictionOfState } from '../../domain/officeholders/states.ts';
import type { ContestRecord } from '../../schemas/catalogue-files.ts';
import type { Level, StateCode } from '../../schemas/vocabulary.ts';
import { divisionName, isFederalOffice, kindOfDivision, readDivision } from '../catalogue/divisions.ts';
import { slugOf } from '../catalogue/keys.ts';
import type { Notes } from '../catalogue/notes.ts';
import type { VipObject } from './fields.ts';
import type { Feed } from './read-feed.ts';
import { findOnly } from './references.ts';

/** The level and the catalogue's type of each DistrictType. A type without a level can be of several. */
const TYPES: Readonly<Record<string, readonly [Level | null, string]>> = {
  national: ['federal', 'nation'],
  congressional: ['federal', 'congressional_district'],
  state: [null, 'statewide'],
  statewide: [null, 'statewide'],
  'state-house': ['state', 'state_lower'],
  'state-senate': ['state', 'state_upper'],
  judicial: [null, 'judicial_district'],
  county: ['county', 'county'],
  'county-council': ['county', 'council_district'],
  borough: ['county', 'county'],
  city: ['city', 'place'],
  'city-council': ['city', 'council_district'],
  municipality: ['city', 'place'],
  town: ['city', 'place'],
  township: ['city', 'township'],
  village: ['city', 'place'],
  ward: ['city', 'ward'],
  school: ['school', 'school_district'],
  special: ['special', 'special_district'],
  utility: ['special', 'utility_district'],
  water: ['special', 'water_district'],
};

/** The types of districts that each county names by itself. */
const WITHIN_COUNTY = new Set(['county-council', 'township']);
/** The words of names that districts of many counties have, such as `Trustee Area 4`, besides numbers and letters. */
const COMMON_WORDS = new Set(
  (
    'area at board central city commission commissioner council county district division east education eighth fifth ' +
    'first fourth high large magisterial no north number place position precinct region school schools seat second ' +
    'seventh sixth south special subdistrict supervisor third town township trustee village ward west zone'
  ).split(' '),
);

/** A contest's district, and the part that it has in the key of the contest. */
export interface MappedDistrict {
  record: ContestRecord['district'];
  /** Empty for the whole state. */
  keyPart: string;
}

/**
 * The district of a contest. Without an OCD id, a name that other counties may use too gets the name of the feed's
 * locality: `District 1, Albemarle County`.
 *
 * @param state the USPS code of the election
 * @param office the names of the office and of the contest, which tell federal offices that a whole state elects
 */
export function mapDistrict(
  feed: Feed,
  district: VipObject,
  state: string,
  office: readonly string[],
  notes: Notes,
): MappedDistrict {
  const name = district.values.Name ?? '';
  const given = (district.values.Type ?? '').toLowerCase();
  const [typeLevel, type] = (Object.hasOwn(TYPES, given) ? TYPES[given] : undefined) ?? [null, 'other'];
  const isStatewide = type === 'statewide';
  const ocdId = isStatewide ? (jurisdictionOfState(state)?.division ?? null) : ocdIdOf(district);
  const byDivision = ocdId === null ? null : kindOfDivision(ocdId);
  const other = district.values.OtherType ?? '';
  const kind = type === 'other' ? (byDivision?.type ?? (other === '' ? 'other' : other)) : type;
  const level =
    typeLevel ??
    (isStatewide ? levelOfStatewide(office, notes) : (byDivision?.level ?? assumeLevel(type, name, notes)));
  const isUnique = isStatewide || ocdId !== null || typeLevel === 'federal' || typeLevel === 'state';
  const full = isUnique ? name : nameInLocality(feed, name, given, level, notes);
  const isNational = type === 'nation';
  return {
    record: {
      ...(ocdId === null ? {} : { ocd_id: ocdId }),
      name: full,
      level,
      type: kind,
      state: isNational ? null : (state as StateCode),
    },
    keyPart: isStatewide ? '' : ocdId === null ? `${kind} ${full}` : divisionName(ocdId),
  };
}

/** The OCD id of a district, whatever type its feed gives the identifier. */
const ocdIdOf = ({ identifiers }: VipObject): string | null =>
  identifiers.map(readDivision).find((id) => id !== null) ?? null;

function hasCommonName(name: string): boolean {
  const words = slugOf(name).split('-');
  return words.every((word) => COMMON_WORDS.has(word) || /^([a-z]|[ivx]+|[0-9]+(st|nd|rd|th)?)$/.test(word));
}

/** The name of a district that is known by it alone, with the locality of the feed if other counties may use it too. */
function nameInLocality(feed: Feed, name: string, type: string, level: Level, notes: Notes): string {
  const locality = findOnly(feed, 'Locality')?.values.Name ?? '';
  const isCommon = WITHIN_COUNTY.has(type) || (level !== 'state' && hasCommonName(name));
  if (locality === '' || !isCommon) {
    const message =
      'a district without an OCD id of the United States is known by its name, which another county may use too';
    notes.add('to check', message, name);
    return name;
  }
  const isNamed = `-${slugOf(name)}-`.includes(`-${slugOf(locality)}-`);
  const full = isNamed ? name : `${name}, ${locality}`;
  notes.add(
    'assumed',
    'a district without an OCD id, whose name is common, is in the locality of its feed',
    full,
  );
  return full;
}

function levelOfStatewide(office: readonly string[], notes: Notes): Level {
  const level = office.some(isFederalOffice) ? 'federal' : 'state';
  notes.add(
    'assumed',
    `the level of an office of the whole state is ${level}, by the name of the office`,
    office[0],
  );
  return level;
}

function assumeLevel(type: string, name: string, notes: Notes): Level {
  const level = type === 'judicial_district' ? 'state' : 'special';
  notes.add('assumed', `the level of a district of the type ${type} is ${level}`, name);
  return level;
}
