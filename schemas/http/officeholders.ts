import { type Static, Type } from 'typebox';
import { STATE_CODES } from '../vocabulary.ts';
import { date, integer, nullable, objectOf, oneOf, record, text, time } from './fields.ts';
import { names, search, words } from './parameter-types.ts';
import { lang } from './parameters.ts';

/** The offices that the service lists, highest first (specification, "GET /v1/officeholders"). */
export const OFFICES = [
  'us_senator',
  'us_representative',
  'governor',
  'lieutenant_governor',
  'attorney_general',
  'secretary_of_state',
  'chief_election_officer',
  'treasurer',
  'auditor',
  'state_senator',
  'state_representative',
  'state_legislator',
  'city_council',
] as const;
export type Office = (typeof OFFICES)[number];

/** The levels of seats, highest first. */
export const SEAT_LEVELS = ['federal', 'state', 'city'] as const;
export type SeatLevel = (typeof SEAT_LEVELS)[number];

/** The social networks that the source knows. */
export const SOCIAL_NETWORKS = ['twitter', 'facebook', 'instagram', 'youtube'] as const;

/** The filters of `GET /v1/officeholders`. Those of seats must all match one and the same seat. */
export const officeholderFilters = {
  states: words(STATE_CODES, 'USPS codes', 'States of the seats.'),
  offices: words(OFFICES, 'offices', 'Kinds of office.'),
  levels: words(SEAT_LEVELS, 'levels', 'Levels of the seats.'),
  districts: names(
    'Open Civic Data division ids',
    'Open Civic Data division ids of the seats; exactly these, not the divisions within them.',
  ),
  q: search('The name contains this, ignoring case and accents.'),
};

/** `lang` (specification, "Conventions"). The source has no Spanish, so both languages read the same. */
export const officeholderLang = Type.With(lang, {
  description: 'Accepted as everywhere; officeholders are described in English only.',
});

/** A UUID. */
export const PERSON_ID = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

/** The path parameter of `GET /v1/officeholders/{id}`. */
export const personId = Type.String({
  pattern: PERSON_ID,
  title: 'a person_id, which is a UUID such as 19e0dbe3-0e2d-4dec-b5dd-c34618cdc2c3',
  description: 'A person_id.',
});

const heldOffice = record('HeldOffice', {
  office: oneOf(OFFICES),
  office_title: text,
  level: oneOf(SEAT_LEVELS),
  state: oneOf(STATE_CODES),
  district: text,
  district_ocd_id: nullable(text),
  district_id: Type.With(nullable(integer), {
    description:
      'The id of the contest district of the same kind with this OCD id; null if there is none. A statewide office ' +
      'never has the at-large district of the U.S. House.',
  }),
  term: objectOf({ start: nullable(date), end: nullable(date) }),
});

/** A seat as a record of its own. */
const seat = record('Seat', {
  ...heldOffice.properties,
  term_start: nullable(date),
  term_end: nullable(date),
});

const address = record('Address', {
  classification: text,
  address: nullable(text),
  voice: nullable(text),
  fax: nullable(text),
});
export type Address = Static<typeof address>;

/** An officeholder in a list: a person, with the first of the seats that match the filters. */
export const officeholder = record('Officeholder', {
  person_id: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
  name: text,
  given_name: nullable(text),
  family_name: nullable(text),
  ...seat.properties,
  party: nullable(text),
  party_abbreviation: nullable(text),
  phone: nullable(text),
  email: nullable(text),
  website: nullable(text),
  website_url: nullable(text),
  photo: nullable(text),
  image_url: nullable(text),
  offices: Type.Array(heldOffice, { description: 'Every seat held, the highest first.' }),
  addresses: Type.Array(address, { description: 'Where the person can be reached.' }),
  social: objectOf({
    twitter: nullable(text),
    facebook: nullable(text),
    instagram: nullable(text),
    youtube: nullable(text),
  } satisfies Record<(typeof SOCIAL_NETWORKS)[number], unknown>),
  source_urls: Type.Array(text),
  updated_at: time,
});

/** One officeholder, with every seat held. */
export const officeholderWithSeats = record('OfficeholderWithSeats', {
  ...officeholder.properties,
  seats: Type.Array(seat),
});
