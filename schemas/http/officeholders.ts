import { type Static, Type } from 'typebox';
import { stateCode } from './enumerations.ts';
import { date, described, enumeration, nullable, record, recordId, text, time } from './fields.ts';
import { names, words } from './parameter-types.ts';
import { lang, nameSearch } from './parameters.ts';

/** The listed offices, highest first (specification, "GET /v1/officeholders"). */
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

const office = enumeration('Office', 'A kind of office.', OFFICES);
const seatLevel = enumeration('SeatLevel', 'The level of government of a seat.', SEAT_LEVELS);

/** The social networks in the source. */
export const SOCIAL_NETWORKS = ['twitter', 'facebook', 'instagram', 'youtube'] as const;

/** The filters of `GET /v1/officeholders`. The filters of seats must all match the same seat. */
export const officeholderFilters = {
  states: words(stateCode, 'USPS codes', 'States of the seats.'),
  offices: words(office, 'offices', 'Kinds of office.'),
  levels: words(seatLevel, 'levels', 'Levels of the seats.'),
  districts: names(
    'Open Civic Data division ids',
    'Open Civic Data division ids of the seats; exactly these, not the divisions within them.',
  ),
  q: nameSearch,
};

/** `lang` (specification, "Conventions"). The source has no Spanish, so both languages give the same answer. */
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

const term = record('Term', 'The time for which a seat is held.', {
  start: described(nullable(date), 'The first day, if the source has it.'),
  end: described(nullable(date), 'The last day, if the source has it.'),
});

const heldOffice = record('HeldOffice', 'A seat that an officeholder holds.', {
  office,
  office_title: described(text, 'The title that the state uses.'),
  level: seatLevel,
  state: stateCode,
  district: described(text, 'The district in the words of the source: a number, a name, or the state.'),
  district_ocd_id: described(nullable(text), 'The Open Civic Data division id of the district.'),
  district_id: described(
    nullable(recordId),
    'The id of the contest district of the same kind with this OCD id; null without one. A statewide office ' +
      'never has the at-large district of the U.S. House.',
  ),
  term,
});

/** A seat as a record of its own. */
const seat = record('Seat', 'A seat as a record of its own.', {
  ...heldOffice.properties,
  term_start: described(nullable(date), 'The same as start in term.'),
  term_end: described(nullable(date), 'The same as end in term.'),
});

const address = record('ContactAddress', 'A place where an officeholder can be reached.', {
  classification: described(text, 'The kind of office, such as `capitol` or `district`.'),
  address: described(nullable(text), 'The postal address.'),
  voice: described(nullable(text), 'A telephone number.'),
  fax: described(nullable(text), 'A fax number.'),
});
export type Address = Static<typeof address>;

const account = (network: string) => described(nullable(text), `The name of the account at ${network}.`);

const socialAccounts = record('SocialAccounts', 'Accounts at social networks.', {
  twitter: account('Twitter'),
  facebook: account('Facebook'),
  instagram: account('Instagram'),
  youtube: account('YouTube'),
} satisfies Record<(typeof SOCIAL_NETWORKS)[number], unknown>);

/** An officeholder in a list: a person, with the first of the seats that match the filters. */
export const officeholder = record(
  'Officeholder',
  'A person in office. The fields of a seat are those of the first seat that matches the filters.',
  {
    person_id: Type.String({
      pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
      description: 'A UUID, stable across terms and offices.',
    }),
    name: described(text, 'The whole name.'),
    given_name: nullable(text),
    family_name: nullable(text),
    ...seat.properties,
    party: described(nullable(text), 'The name of the party.'),
    party_abbreviation: described(nullable(text), 'The party in one letter or a few, such as `D`.'),
    phone: described(
      nullable(text),
      'The telephone number of the capitol office, or else of the main one, or else the first among the addresses.',
    ),
    email: nullable(text),
    website: described(nullable(text), 'The same as website_url.'),
    website_url: described(nullable(text), 'The website of the officeholder.'),
    photo: described(nullable(text), 'The same as image_url.'),
    image_url: described(nullable(text), 'A portrait.'),
    offices: Type.Array(heldOffice, { description: 'Every seat held, the highest first.' }),
    addresses: Type.Array(address, { description: 'Where the person can be reached.' }),
    social: socialAccounts,
    source_urls: Type.Array(text, { description: 'The pages from which the data comes.' }),
    updated_at: described(time, 'The last change of the record.'),
  },
);

/** One officeholder, with every seat held. */
export const officeholderWithSeats = record(
  'OfficeholderWithSeats',
  'A person in office, with every seat held as a record of its own.',
  { ...officeholder.properties, seats: Type.Array(seat, { description: 'The highest first.' }) },
);
