import { OFFICES, type Office, SEAT_LEVELS, type SeatLevel } from '../../schemas/http/officeholders.ts';
import { congressionalDistrict, legislativeDivision, wardDivision } from './districts.ts';
import { type Jurisdiction, jurisdictionOfState, readJurisdiction, stateName } from './states.ts';
import { isFullDate, type RoleInOffice } from './terms.ts';
import { officeTitle } from './titles.ts';

/** A seat that a person holds (specification, "Officeholder"). */
export interface Seat {
  office: Office;
  office_title: string;
  level: SeatLevel;
  /** A USPS code. */
  state: string;
  /** The district's name in the source; the state's name for a statewide seat. */
  district: string;
  district_ocd_id: string;
  /** YYYY-MM-DD; null if the source has no date, or no exact day. */
  term_start: string | null;
  term_end: string | null;
}

/** A role as a seat, or the reason why it is outside of the interface, or a problem with its district. */
type MappedRole = { seat: Seat } | { outside: string } | { problem: string };

type Place = Pick<Seat, 'level' | 'state' | 'district' | 'district_ocd_id'>;

/** The offices of a state's executive, by the normalized type of the role. */
const EXECUTIVE: Readonly<Record<string, Office>> = {
  governor: 'governor',
  'lt governor': 'lieutenant_governor',
  'lieutenant governor': 'lieutenant_governor',
  'attorney general': 'attorney_general',
  'secretary of state': 'secretary_of_state',
  'chief election officer': 'chief_election_officer',
  treasurer: 'treasurer',
  auditor: 'auditor',
  'auditor general': 'auditor',
};

/** Replaces `_` and `.` with spaces, and drops case and "state" before an executive office. */
function normalizeType(type: string): string {
  const words = type
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_.]+/g, ' ');
  return words.replace(/^state (?=treasurer|auditor)/, '');
}

/** Whether a role belongs to a state's executive. */
export function isExecutive(type: string): boolean {
  return Object.hasOwn(EXECUTIVE, normalizeType(type));
}

/** Whether an office belongs to a state's executive, so that it has one holder at a time. */
export function hasOneHolder(office: Office): boolean {
  return Object.values(EXECUTIVE).includes(office);
}

/** Whether a role is a seat in a legislature. */
export function isLegislative(type: string): boolean {
  return ['upper', 'lower', 'legislature'].includes(normalizeType(type));
}

function congressSeat(
  type: string,
  district: string,
): { office: Office; place: Place } | { problem: string } {
  if (type === 'upper') {
    const found = jurisdictionOfState(district);
    if (!found) return { problem: 'must be the name of a state, for a U.S. senator' };
    const place = { state: found.state, district: stateName(found.state), district_ocd_id: found.division };
    return { office: 'us_senator', place: { level: 'federal', ...place } };
  }
  const found = congressionalDistrict(district);
  if (!found)
    return { problem: 'must be a state and a number or AL, such as KY-3, for a U.S. representative' };
  const place = { state: found.state, district, district_ocd_id: found.division };
  return { office: 'us_representative', place: { level: 'federal', ...place } };
}

/** The seat of a role in the legislature of a state or D.C.; null if that chamber does not exist. */
function legislatureSeat(
  type: string,
  jurisdiction: Jurisdiction & { state: string },
  district: string,
): { office: Office; place: Place } | null {
  const { state } = jurisdiction;
  const at = (level: SeatLevel, district_ocd_id: string) => ({ level, state, district, district_ocd_id });
  const ofChamber = (chamber: 'sldu' | 'sldl') =>
    at('state', legislativeDivision(jurisdiction, chamber, district));
  if (type === 'upper') return { office: 'state_senator', place: ofChamber('sldu') };
  if (type === 'lower') return { office: 'state_representative', place: ofChamber('sldl') };
  if (state === 'NE') return { office: 'state_legislator', place: ofChamber('sldu') };
  if (state === 'DC')
    return { office: 'city_council', place: at('city', wardDivision(jurisdiction, district)) };
  return null;
}

/**
 * Maps a role of the source to a seat (specification, "Officeholder" and the values of `offices`). Roles
 * below a state, except the D.C. Council, and other kinds of roles are outside of the interface.
 *
 * @returns `problem` continues a sentence that begins with the role's district.
 */
export function mapRole({
  type: given,
  jurisdiction: id,
  district,
  start,
  end,
  overdue,
}: RoleInOffice): MappedRole {
  const jurisdiction = readJurisdiction(id);
  const type = normalizeType(given);
  if (!jurisdiction) return { outside: `${type} of a place within a state` };
  const { state } = jurisdiction;
  const finish = ({ office, place }: { office: Office; place: Place }): MappedRole => ({
    seat: {
      office,
      office_title: officeTitle(office, place.state, place.district),
      ...place,
      term_start: isFullDate(start) ? start : null,
      // The end of an overdue role is wrong.
      term_end: isFullDate(end) && !overdue ? end : null,
    },
  });

  const executive = Object.hasOwn(EXECUTIVE, type) ? EXECUTIVE[type] : undefined;
  if (executive && state) {
    const place = { state, district: stateName(state), district_ocd_id: jurisdiction.division };
    return finish({ office: executive, place: { level: 'state', ...place } });
  }
  if (!isLegislative(type)) return { outside: type };
  if (district === null) return { problem: 'is missing' };
  if (state === null) {
    if (type === 'legislature') return { outside: 'legislature of the nation' };
    const found = congressSeat(type, district);
    return 'problem' in found ? found : finish(found);
  }
  const found = legislatureSeat(type, { ...jurisdiction, state }, district);
  return found ? finish(found) : { outside: `${type} of ${stateName(state)}` };
}

/** Identifies a seat among a person's seats. */
function seatKey({ office, state, district }: Pick<Seat, 'office' | 'state' | 'district'>): string {
  return `${office} ${state} ${district}`;
}

/**
 * Returns a person's seats without repetitions, the highest first: by level, by office in the interface's
 * order, by state and by district. The latest of several terms in one seat counts.
 */
export function orderSeats(seats: readonly Seat[]): Seat[] {
  const latest = new Map<string, Seat>();
  for (const seat of seats) {
    const other = latest.get(seatKey(seat));
    if (!other || (seat.term_start ?? '') > (other.term_start ?? '')) latest.set(seatKey(seat), seat);
  }
  const rank = ({ level, office, state, district }: Seat) =>
    [SEAT_LEVELS.indexOf(level), String(OFFICES.indexOf(office)).padStart(2, '0'), state, district].join(' ');
  return [...latest.values()].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}
