/** The enumerated values of the interface, and their types. */

export const ELECTION_TYPES = [
  'general',
  'primary',
  'special',
  'special_primary',
  'runoff',
  'consolidated',
] as const;
export type ElectionType = (typeof ELECTION_TYPES)[number];

export const PRIMARY_SYSTEMS = ['none', 'closed', 'semi_closed', 'open', 'top_two', 'nonpartisan'] as const;

export const LEVELS = ['federal', 'state', 'county', 'city', 'school', 'special'] as const;
export type Level = (typeof LEVELS)[number];

export const CONTEST_KINDS = ['candidate', 'measure', 'retention'] as const;
export type ContestKind = (typeof CONTEST_KINDS)[number];

export const VOTE_METHODS = ['plurality', 'multi_seat', 'ranked_choice', 'approval', 'yes_no'] as const;
export type VoteMethod = (typeof VOTE_METHODS)[number];

export const CHANGE_TYPES = ['created', 'updated', 'deleted'] as const;
export type ChangeType = (typeof CHANGE_TYPES)[number];

/**
 * The filter fields that choose endorsements (specification, "Filter"), and the places of their values in the body of
 * an event. The rarest values come first: few changes share an endorser, many share a kind of contest.
 */
export const FACET_PATHS = {
  endorsers: ['endorser', 'slug'],
  elections: ['election', 'slug'],
  categories: ['endorser', 'category', 'slug'],
  states: ['election', 'state'],
  endorser_states: ['endorser', 'state'],
  levels: ['contest', 'district', 'level'],
  contest_kinds: ['contest', 'kind'],
} as const satisfies Record<string, readonly ['endorser' | 'election' | 'contest', ...string[]]>;
export type FacetField = keyof typeof FACET_PATHS;
export const FACET_FIELDS = Object.keys(FACET_PATHS) as FacetField[];

/** The filter fields whose values are in one part of an event's body. */
export type FieldOf<Part extends string> = {
  [Field in FacetField]: (typeof FACET_PATHS)[Field][0] extends Part ? Field : never;
}[FacetField];

/** The fields of a filter of changes, the rarest values first. The type of a change is not in its body. */
export const FILTER_FIELDS = [...FACET_FIELDS, 'types'] as const;
export type FilterField = (typeof FILTER_FIELDS)[number];

export const LANGUAGES = ['en', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];

export const SCOPES = [
  'data:read',
  'stream:read',
  'subscriptions:write',
  'endorsements:write',
  'webhooks:write',
] as const;
export type Scope = (typeof SCOPES)[number];

/** USPS codes of the 50 states, D.C. and the five territories. */
export const STATE_CODES = [
  ...['AK', 'AL', 'AR', 'AS', 'AZ', 'CA', 'CO', 'CT', 'DC', 'DE', 'FL', 'GA', 'GU', 'HI', 'IA', 'ID', 'IL'],
  ...['IN', 'KS', 'KY', 'LA', 'MA', 'MD', 'ME', 'MI', 'MN', 'MO', 'MP', 'MS', 'MT', 'NC', 'ND', 'NE', 'NH'],
  ...['NJ', 'NM', 'NV', 'NY', 'OH', 'OK', 'OR', 'PA', 'PR', 'RI', 'SC', 'SD', 'TN', 'TX', 'UT', 'VA', 'VI'],
  ...['VT', 'WA', 'WI', 'WV', 'WY'],
] as const;
export type StateCode = (typeof STATE_CODES)[number];

/** The home state of endorsers that work nationwide. Others have a USPS code. */
export const NATIONAL = 'national';
export const ENDORSER_STATES = [...STATE_CODES, NATIONAL] as const;

/** Whether a webhook gets events, gets them after failures, or gets none until it is resumed. */
export const WEBHOOK_STATES = ['active', 'failing', 'disabled'] as const;

/** Why a webhook is disabled. */
export const DISABLED_REASONS = [
  'receiver_gone',
  'receiver_failed',
  'position_expired',
  'by_account',
  'by_operator',
] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** The outcome of an attempt to deliver a message to a webhook. */
export const ATTEMPT_OUTCOMES = [
  'delivered',
  'refused',
  'gone',
  'redirected',
  'timed_out',
  'unreachable',
  'address_refused',
  'answer_broken',
  'not_signed',
] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** The roles of people in the console, from the least to the most. An operator sees and changes every account. */
export const ROLES = ['member', 'editor', 'owner', 'operator'] as const;
export type Role = (typeof ROLES)[number];
