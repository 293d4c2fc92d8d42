import { jurisdictionOfState } from '../../domain/officeholders/states.ts';
import type { ContestRecord } from '../../schemas/catalogue-files.ts';
import type { Level, StateCode } from '../../schemas/vocabulary.ts';
import { divisionName, isFederalOffice, kindOfDivision, readDivision } from '../catalogue/divisions.ts';
import type { Notes } from '../catalogue/notes.ts';
import type { VipObject } from './fields.ts';

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

/** A contest's district, and the part that it has in the key of the contest. */
export interface MappedDistrict {
  record: ContestRecord['district'];
  /** Empty for the whole state. */
  keyPart: string;
}

/**
 * The district of a contest.
 *
 * @param state the USPS code of the election
 * @param office the names of the office and of the contest, which tell federal offices that a whole state elects
 */
export function mapDistrict(
  district: VipObject,
  state: string,
  office: readonly string[],
  notes: Notes,
): MappedDistrict {
  const name = district.values.Name ?? '';
  const given = (district.values.Type ?? '').toLowerCase();
  const [typeLevel, type] = (Object.hasOwn(TYPES, given) ? TYPES[given] : undefined) ?? [null, 'other'];
  const isStatewide = type === 'statewide';
  const ocdId = isStatewide ? (jurisdictionOfState(state)?.division ?? null) : ocdIdOf(district, name, notes);
  const byDivision = ocdId === null ? null : kindOfDivision(ocdId);
  const other = district.values.OtherType ?? '';
  const kind = type === 'other' ? (byDivision?.type ?? (other === '' ? 'other' : other)) : type;
  const level =
    typeLevel ??
    (isStatewide ? levelOfStatewide(office, notes) : (byDivision?.level ?? assumeLevel(type, name, notes)));
  const isNational = type === 'nation';
  return {
    record: {
      ...(ocdId === null ? {} : { ocd_id: ocdId }),
      name,
      level,
      type: kind,
      state: isNational ? null : (state as StateCode),
    },
    keyPart: isStatewide ? '' : ocdId === null ? `${kind} ${name}` : divisionName(ocdId),
  };
}

function ocdIdOf(district: VipObject, name: string, notes: Notes): string | null {
  const ids = district.identifiers.filter(
    ({ type, value }) => type === 'ocd-id' || value.startsWith('ocd-division/'),
  );
  const read = ids.map(({ value }) => readDivision(value)).find((id) => id !== null);
  if (read !== undefined) return read;
  const message =
    'a district without an OCD id of the United States is known by its name, which another county may use too';
  notes.add('to check', message, name);
  return null;
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
