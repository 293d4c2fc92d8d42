import { jurisdictionOfState, stateName } from '../../domain/officeholders/states.ts';
import { showValue } from '../../schemas/problems.ts';
import { LEVELS, type Level } from '../../schemas/vocabulary.ts';
import { isFederalOffice, kindOfDivision } from './divisions.ts';
import type { Notes } from './notes.ts';

/** Offices that a whole state elects. */
const STATE_OFFICE =
  /\b(governor|attorney general|secretary of state|(state )?(treasurer|comptroller|controller|auditor)$|superintendent of public instruction|insurance commissioner|state (supreme|superior) court|supreme court)\b/i;
/** Questions to a whole state. */
const STATE_QUESTION = /^prop(osition|\.)? ?[0-9]|constitutional amendment/i;
/** Federal offices that a whole state elects. */
const FEDERAL_OFFICE = /\bu\.? ?s\.? senat|\bunited states senat|\bpresident (and|&|\/) ?vice|^president\b/i;
/** The number of a district in a title, such as "U.S. House District 5" or "5th Congressional District". */
const NUMBERED =
  /\bdistrict (?:no\.? ?|number |#)?[0-9]|[0-9](?:st|nd|rd|th) (?:[a-z.]{1,20} ){0,2}district\b/i;
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

const isLocal = (level: Level | null | undefined): boolean =>
  level !== undefined && level !== null && level !== 'state' && level !== 'federal';

/** A district as a table gives it; missing parts are undefined. */
export interface GivenDistrict {
  name: string | undefined;
  ocdId: string | undefined;
  level: Level | undefined;
  type: string | undefined;
}

/** A complete district; or the field at fault, and the end of a sentence about it. */
type Completed =
  | { district: { name: string; ocdId: string | null; level: Level; type: string } }
  | { fault: string; field: string };

const NO_LEVEL = {
  field: 'level',
  fault: `is missing, and neither the district nor the title tells it; it must be one of ${LEVELS.join(', ')}`,
};

/**
 * Completes a district: a contest without one is for the whole state if its title says so.
 *
 * @param state the USPS code of the election
 * @param title the contest's title
 */
export function completeDistrict(
  given: GivenDistrict,
  state: string,
  title: string,
  notes: Notes,
): Completed {
  const { name, ocdId, type } = given;
  // A cell can have any word.
  if (given.level !== undefined && !LEVELS.includes(given.level)) {
    return { field: 'level', fault: `must be one of ${LEVELS.join(', ')}, is ${showValue(given.level)}` };
  }
  const isOffice = name !== undefined && ocdId === undefined && type === undefined && isStatewideOffice(name);
  const whole = { name: stateName(state), ocdId: jurisdictionOfState(state)?.division ?? null };
  const isUnnamed = name === undefined && ocdId === undefined;
  // A city or county can have the name of its state, such as New York and Hawaii.
  const isState = name === whole.name && !isLocal(given.level);
  const isWhole = isOffice || isUnnamed || ocdId === whole.ocdId || isState;
  if (!isWhole) return completePart(given, title, notes);

  const level = given.level ?? levelOfStatewide(name ?? '') ?? levelOfStatewide(title);
  // A given level speaks for the whole state, unless the title has the number of a district.
  const isOfPart = given.level === undefined ? isOfPartOfState(title) : isOfNumberedDistrict(title);
  if (name === undefined && ((isUnnamed && isOfPart) || (level !== 'state' && level !== 'federal'))) {
    const fault = `is missing, and ${JSON.stringify(title)} is not an office of the whole state; name the district`;
    return { field: 'district', fault };
  }
  if (level === null) return NO_LEVEL;
  if (given.level === undefined) notes.add('assumed', `the level is ${level}, by the title`, title);
  const isAssumed = isOffice || name === undefined;
  if (isAssumed) notes.add('assumed', 'the district is the whole state', title);
  return {
    district: {
      name: isAssumed ? whole.name : name,
      // A district that is described in full has an OCD id only if it says so.
      ocdId: ocdId ?? (type === undefined ? whole.ocdId : null),
      level,
      type: type ?? 'statewide',
    },
  };
}

/** Completes the district of a part of the state, which has a name or an OCD id. */
function completePart(given: GivenDistrict, title: string, notes: Notes): Completed {
  const { name, ocdId } = given;
  const kind = ocdId === undefined ? null : kindOfDivision(ocdId);
  const typed = given.type === undefined ? '' : `${given.type} district`;
  const level = given.level ?? kind?.level ?? levelOfNames([name ?? '', typed, title]);
  if (level === null) return NO_LEVEL;
  if (given.level === undefined) {
    const source = kind ? 'OCD id' : 'name or type of the district, or the title';
    notes.add('assumed', `the level is ${level}, by the ${source}`, title);
  }
  const type = given.type ?? kind?.type ?? TYPES[level];
  if (given.type === undefined && !kind) notes.add('assumed', `the type of the district is ${type}`, name);
  return { district: { name: name ?? ocdId ?? '', ocdId: ocdId ?? null, level, type } };
}

/** Whether a table has an office where others have the district, such as "Governor of Alabama". */
const isStatewideOffice = (name: string): boolean =>
  (STATE_OFFICE.test(name) || STATE_QUESTION.test(name) || FEDERAL_OFFICE.test(name)) &&
  !isOfPartOfState(name);

const isOfNumberedDistrict = (name: string): boolean => NUMBERED.test(name) && !STATE_QUESTION.test(name);

/** Whether a name is that of an office of a part of the state, such as "City Auditor". */
const isOfPartOfState = (name: string): boolean =>
  isOfNumberedDistrict(name) || (isLocal(levelOfNames([name])) && !STATE_QUESTION.test(name));

function levelOfStatewide(title: string): Level | null {
  if (isFederalOffice(title)) return 'federal';
  return STATE_OFFICE.test(title) || STATE_QUESTION.test(title) ? 'state' : null;
}

function levelOfNames(names: readonly string[]): Level | null {
  for (const name of names) {
    const level = NAMES.find(([, pattern]) => pattern.test(name))?.[0];
    if (level) return level;
  }
  return null;
}
