import { type Static, Type } from 'typebox';
import type { FacetField, FieldOf } from '../vocabulary.ts';
import {
  changeType,
  contestKind,
  electionType,
  endorserState,
  language,
  level,
  stateCode,
} from './enumerations.ts';
import { anyId, flag, names, search, wholeNumber, words } from './parameter-types.ts';

/* The parameters of the endpoints. A parameter that is not optional has a default, or is part of the path. */

const states = words(stateCode, 'USPS codes', 'States in which the contest is voted.');
const elections = names('election slugs', 'Election slugs.');
const levels = words(level, 'levels', 'District levels.');
const contest_kinds = words(contestKind, 'contest kinds', 'Kinds of contest.');
const endorser_states = words(
  endorserState,
  'home states',
  'Home states of endorsers, or the word national.',
);
const categories = names('category slugs', 'Endorser category slugs.');
const endorsers = names('endorser slugs', 'Endorser slugs.');
const upcoming = flag('Only elections of yesterday (UTC) or later.');

/** `lang` of the data endpoints with ballot text (specification, "Conventions" and "Endpoints"). */
export const lang = Type.With(language, {
  default: 'en',
  title: 'en or es',
  description: 'The language of ballot text; English if the state publishes no Spanish.',
});

const cursor = (maxLength: number, description: string) =>
  Type.Optional(
    Type.String({
      maxLength,
      title: `a cursor of this service, at most ${maxLength} characters`,
      description,
    }),
  );

/** `limit` and `cursor` of paged lists (specification, "Limits"). */
export const paging = {
  limit: Type.With(
    wholeNumber(1, 500, 'The most records of a page; it has fewer if they have more than 4 MB.'),
    {
      default: 100,
    },
  ),
  /** Holds the last name of the page: up to 500 characters, each of up to 12 bytes in the sort key. */
  cursor: cursor(9000, 'The next_cursor of the previous page, with the same filters and lang.'),
};

/** `after` of lists that are sent as lines of JSON. */
export const after = Type.Optional(
  anyId('Only records with a higher id, to continue after the last record of an answer that was cut.'),
);

/** A day of the calendar. The year 0 does not exist. */
const day = (description: string) =>
  Type.Optional(
    Type.String({ format: 'date', pattern: '^(?!0000)', title: 'a date such as 2026-11-03', description }),
  );

/** The filters of `GET /v1/elections`. */
export const electionFilters = {
  states: Type.With(states, { description: 'States that hold the election.' }),
  types: words(electionType, 'election types', 'Types of election.'),
  upcoming,
  from: day('Only elections on or after this date.'),
  to: day('Only elections on or before this date.'),
};

/** `q` of lists with names. */
export const nameSearch = search(
  'The name contains this. Case, accents, ligatures, apostrophes, kinds of quotes, dashes and spaces do not count.',
);

/** The filters of `GET /v1/endorsers`. */
export const endorserFilters = {
  categories,
  states: endorser_states,
  elections: Type.With(elections, {
    description: 'Election slugs: only endorsers with endorsements in them.',
  }),
  q: nameSearch,
};

/** The filters of `GET /v1/contests`. */
export const contestFilters = {
  elections,
  states,
  levels,
  contest_kinds,
  districts: names('OCD division ids', 'Districts, by OCD division id.'),
  upcoming,
};

/** The filters of the endorsers whose positions a contest shows. */
export const positionFilters = { categories, endorsers, endorser_states } satisfies Record<
  FieldOf<'endorser'>,
  unknown
>;

/** `upcoming` of `GET /v1/coverage`. */
export const upcomingByDefault = Type.Boolean({
  title: 'true or false',
  default: true,
  description: 'Only elections of yesterday (UTC) or later; false counts past elections too.',
});

/** An id in a path. */
export const id = anyId('The id of the record.');

/** A slug in a path. */
export const slug = Type.String({
  maxLength: 200,
  title: 'a slug of at most 200 characters',
  description: 'The slug of the record.',
});

/** The common filters of endorsements and their changes. */
const endorsementFields = {
  ...positionFilters,
  states,
  elections,
  contest_kinds,
  levels,
} satisfies Record<FacetField, unknown>;

/** The filter fields whose values are slugs: only the database knows them. */
export type SlugField = {
  [Field in FacetField]: string extends Static<(typeof endorsementFields)[Field]>[number] ? Field : never;
}[FacetField];

/** The filters of `GET /v1/digest`. */
export const digestFilters = endorsementFields;

/** The filters of `GET /v1/endorsements`. */
export const endorsementFilters = {
  ...endorsementFields,
  contest: Type.Optional(anyId('A contest id.')),
  upcoming,
};

/** The filter fields of the change stream (specification, "Filter"). */
export const streamFilters = {
  ...endorsementFields,
  types: words(changeType, 'change types', 'Types of change.'),
};

/** Describes `since`. */
export const SINCE_FORM = 'a time with its offset from UTC, such as 2026-11-03T00:00:00Z (+ is written %2B)';

/** The start of a client of the stream. An empty `lastEventId` means none (contract, "Stream and events"). */
export const streamStart = {
  lastEventId: Type.Optional(
    Type.String({
      minLength: 0,
      maxLength: 2000,
      title: 'an event id',
      description:
        'The same as the header Last-Event-ID, for clients of Server-Sent Events that resume with it. It overrides ' +
        'cursor, from and since; the header overrides it. Empty means none.',
    }),
  ),
  cursor: cursor(2000, 'Resume after this position: a next_cursor, or an event id.'),
  from: Type.Optional(
    Type.Enum(['latest', 'earliest'], {
      type: 'string',
      title: 'latest or earliest',
      description:
        'Where to begin without a cursor: latest, the default, or the oldest event within retention.',
    }),
  ),
  since: Type.Optional(
    Type.String({
      format: 'date-time',
      title: SINCE_FORM,
      description: 'Begin with changes from this time on, within retention.',
    }),
  ),
};

/** The parameters that only `GET /v1/events` has. */
export const polling = {
  limit: Type.With(wholeNumber(1, 1000, 'The most events of an answer.'), { default: 100 }),
  wait: Type.With(wholeNumber(0, 25, 'Seconds to hold the request until a matching change arrives.'), {
    default: 0,
  }),
};

/** `wait` of `GET /v1/submissions/{id}`. */
export const waitForOutcome = Type.With(
  wholeNumber(0, 25, 'Seconds to hold the request until no submission is on its way.'),
  { default: 0 },
);

/** A saved subscription, instead of filter parameters. */
export const subscription = Type.Optional(
  Type.String({
    maxLength: 100,
    title: 'the id or name of a subscription, at most 100 characters',
    description: 'A saved subscription, by id or name, instead of filter parameters.',
  }),
);
