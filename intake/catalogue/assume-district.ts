import { jurisdictionOfState, stateName } from '../../domain/officeholders/states.ts';
import type { Level } from '../../schemas/vocabulary.ts';
import { isFederalOffice, kindOfDivision } from './divisions.ts';
import type { Notes } from './notes.ts';

/** Offices that a whole state elects, and questions to a whole state. */
const STATE_OFFICE =
  /\b(governor|attorney general|secretary of state|(state )?(treasurer|comptroller|controller|auditor)$|superintendent of public instruction|insurance commissioner|state (supreme|superior) court|supreme court)\b|^prop(osition|\.)? ?[0-9]|constitutional amendment/i;
/** Federal offices that a whole state elects. */
const FEDERAL_OFFICE = /\bu\.? ?s\.? senat|\bunited states senat|\bpresident (and|&|\/) ?vice|^president\b/i;
/** Whether a table has an office where others have the district, such as "Governor of Alabama". */
const isStatewideOffice = (name: string): boolean => STATE_OFFICE.test(name) || FEDERAL_OFFICE.test(name);
/**
 * The levels that names of districts and offices tell, the clearest first. A name has at most 500 characters, and a cell
 * can have many more: without a bound the time to look at it would grow with the square of its length.
 */
const NAMES: readonly (readonly [Level, RegExp])[] = [
  ['school', /\bschool|\bboard of education|\bcommunity college|\busd\b|\bisd\b/i],
  [
    'special',
    /\b(water|fire|hospital|health ?care|transit|park|parks|sanita(ry|tion)|utility|library|cemetery|airport|port|irrigation)\b.{0,500}\bdistrict|\bspecial district/i,
  ],
  ['federal', /\bcongress|\bu\.? ?s\.? (house|rep)|\bunited states (house|rep)/i],
  [
    'state',
    /\bstate (senat|assembl|rep|house|legislat)|\bassembly|\bhouse of delegates|\bgeneral assembly|\blegislative district/i,
  ],
  ['county', /\bcounty\b|\bparish\b|\bsheriff\b/i],
  ['city', /\bcity\b|\bmayor\b|\btown(ship)?\b|\bvillage\b|\balder(man|woman|person)?\b/i],
];
/** The type of a district whose source gives none. */
const TYPES: Record<Level, string> = {
  federal: 'congressional_district',
  state: 'state_district',
  county: 'county',
  city: 'place',
  school: 'school_district',
  special: 'special_district',
};

/** A district as a table gives it; missing parts are undefined. */
export interface GivenDistrict {
  name?: string;
  ocdId?: string;
  level?: Level;
  type?: string;
}

/**
 * Completes a district: a contest without one is for the whole state if its title says so.
 *
 * @param state the USPS code of the election
 * @param title the contest's title
 * @returns the district; or the end of a sentence about the missing part
 */
export function completeDistrict(
  { name: given, ocdId, level, type }: GivenDistrict,
  state: string,
  title: string,
  notes: Notes,
):
  | { district: Required<Omit<GivenDistrict, 'ocdId'>> & { ocdId: string | null } }
  | { fault: string; field: string } {
  const isOffice =
    given !== undefined && ocdId === undefined && type === undefined && isStatewideOffice(given);
  const name = isOffice ? stateName(state) : given;
  const whole = jurisdictionOfState(state)?.division ?? null;
  const isWhole = (name === undefined && ocdId === undefined) || ocdId === whole || name === stateName(state);
  const kind = ocdId === undefined ? null : kindOfDivision(ocdId);
  const named = isWhole
    ? (levelOfStatewide(given ?? '') ?? levelOfStatewide(title))
    : (kind?.level ?? levelOfNames([name ?? '', title]));
  const found = level ?? named;
  if (found === null || (isWhole && found !== 'state' && found !== 'federal' && name === undefined)) {
    return isWhole && name === undefined
      ? {
          field: 'district',
          fault: `is missing, and ${JSON.stringify(title)} is no office of the whole state; name the district`,
        }
      : {
          field: 'level',
          fault:
            'is missing, and neither the district nor the title tells it; it must be one of federal, state, county, city, school, special',
        };
  }
  if (level === undefined) {
    const source = isWhole ? 'title' : kind ? 'OCD id' : 'name of the district or the title';
    notes.add('assumed', `the level is ${found}, by the ${source}`, title);
  }
  if (isOffice || (isWhole && name === undefined))
    notes.add('assumed', 'the district is the whole state', title);
  const assumedType = isWhole ? 'statewide' : (kind?.type ?? TYPES[found]);
  if (type === undefined && !isWhole && !kind)
    notes.add('assumed', `the type of the district is ${assumedType}`, name);
  return {
    district: {
      name: name ?? (isWhole ? stateName(state) : (ocdId ?? '')),
      // A district that is described in full has an OCD id only if it says so.
      ocdId: ocdId ?? (isWhole && type === undefined ? whole : null),
      level: found,
      type: type ?? assumedType,
    },
  };
}

function levelOfStatewide(title: string): Level | null {
  if (isFederalOffice(title)) return 'federal';
  return STATE_OFFICE.test(title) ? 'state' : null;
}

function levelOfNames(names: readonly string[]): Level | null {
  for (const name of names) {
    const level = NAMES.find(([, pattern]) => pattern.test(name))?.[0];
    if (level) return level;
  }
  return null;
}
