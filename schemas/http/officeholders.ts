import { LANGUAGES, STATE_CODES } from '../vocabulary.ts';
import {
  date,
  integer,
  type JsonSchema,
  listOf,
  nullable,
  objectOf,
  oneOf,
  text,
  time,
} from './json-schema.ts';

/** The offices that the service lists (specification, "GET /v1/officeholders"), highest first. */
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

/** The levels that seats are at, highest first. */
export const SEAT_LEVELS = ['federal', 'state', 'city'] as const;
export type SeatLevel = (typeof SEAT_LEVELS)[number];

/** The networks on which the source names a person's account. */
export const SOCIAL_NETWORKS = ['twitter', 'facebook', 'instagram', 'youtube'] as const;

const MAX_VALUES = 500;
const MAX_VALUE_LENGTH = 200;

const words = (values: readonly string[], what: string, description: string) =>
  ({
    type: 'array',
    title: `at most ${MAX_VALUES} ${what}, comma-separated`,
    items: { type: 'string', enum: values, title: `one of ${values.join(', ')}` },
    maxItems: MAX_VALUES,
    description,
  }) as const satisfies JsonSchema;

/** The filters of `GET /v1/officeholders`. Those of seats hold for one and the same seat. */
export const officeholderFilters = {
  states: words(STATE_CODES, 'USPS codes', 'States of the seats.'),
  offices: words(OFFICES, 'offices', 'Kinds of office.'),
  levels: words(SEAT_LEVELS, 'levels', 'Levels of the seats.'),
  districts: {
    type: 'array',
    title: `at most ${MAX_VALUES} Open Civic Data division ids, comma-separated`,
    items: {
      type: 'string',
      maxLength: MAX_VALUE_LENGTH,
      title: `of at most ${MAX_VALUE_LENGTH} characters`,
    },
    maxItems: MAX_VALUES,
    description: 'Open Civic Data division ids of the seats; exactly these, not what lies within.',
  },
  q: {
    type: 'string',
    maxLength: MAX_VALUE_LENGTH,
    title: `text of 1 to ${MAX_VALUE_LENGTH} characters`,
    description: 'The name contains this, whatever the case and accents.',
  },
} as const satisfies Record<string, JsonSchema>;

/** `lang` (specification, "Conventions"). The source has no Spanish, so both languages read the same. */
export const officeholderLang = {
  type: 'string',
  enum: LANGUAGES,
  default: 'en',
  title: 'en or es',
  description: 'Accepted as everywhere; what is known of officeholders is in English alone.',
} as const satisfies JsonSchema;

/** The path parameter of `GET /v1/officeholders/{id}`. */
export const personId = {
  type: 'string',
  pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
  title: 'a person_id, which is a UUID such as 19e0dbe3-0e2d-4dec-b5dd-c34618cdc2c3',
  description: 'A person_id.',
} as const satisfies JsonSchema;

const seat = {
  office: oneOf(OFFICES),
  office_title: text,
  level: oneOf(SEAT_LEVELS),
  state: oneOf(STATE_CODES),
  district: text,
  district_ocd_id: nullable(text),
  district_id: nullable(integer),
  term: objectOf({ start: nullable(date), end: nullable(date) }),
  term_start: nullable(date),
  term_end: nullable(date),
};

const officeholder = {
  person_id: { type: 'string', pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' },
  name: text,
  given_name: nullable(text),
  family_name: nullable(text),
  ...seat,
  party: nullable(text),
  party_abbreviation: nullable(text),
  phone: nullable(text),
  email: nullable(text),
  website: nullable(text),
  website_url: nullable(text),
  photo: nullable(text),
  image_url: nullable(text),
  offices: listOf(
    objectOf({ classification: text, address: nullable(text), voice: nullable(text), fax: nullable(text) }),
  ),
  social: objectOf(Object.fromEntries(SOCIAL_NETWORKS.map((network) => [network, nullable(text)]))),
  source_urls: listOf(text),
  updated_at: time,
} satisfies Record<string, JsonSchema>;

/** An officeholder in a list: a person, with the first of the seats that the filters ask for. */
export const officeholderRecord = objectOf(officeholder);

/** One officeholder, with every seat held. */
export const officeholderWithSeats = objectOf({ ...officeholder, seats: listOf(objectOf(seat)) });
