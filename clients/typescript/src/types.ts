import type { ENDORSEMENT_FILTER_FIELDS } from './filter-fields.ts';
import type { paths } from './generated/openapi.ts';

/**
 * The types of parameters and answers, taken from the API's description by path, so that they always match it. The package
 * exports all that this file exports.
 */

/** The paths that answer a GET with JSON. */
type ReadPath = {
  [Path in keyof paths]: paths[Path] extends {
    get: { responses: { 200: { content: { 'application/json': unknown } } } };
  }
    ? Path
    : never;
}[keyof paths];

type QueryOf<Path extends keyof paths> = paths[Path] extends { get: { parameters: { query?: infer Query } } }
  ? NonNullable<Query>
  : never;

/** Parameters of a call: lists may be readonly, and undefined means absent. */
type Loose<Values> = {
  [Name in keyof Values]?:
    | (Values[Name] extends readonly (infer Item)[] | undefined ? readonly Item[] : Values[Name])
    | undefined;
};

/** The body of a GET's answer. */
type AnswerOf<Path extends ReadPath> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;

/** The body of a POST or PUT. */
type BodyOf<Path extends keyof paths, Method extends 'post' | 'put'> = paths[Path] extends {
  [Name in Method]: { requestBody: { content: { 'application/json': infer Body } } };
}
  ? Body
  : never;

type DataOf<Path extends ReadPath> = AnswerOf<Path> extends { data: infer Data } ? Data : never;
type RecordOf<Path extends ReadPath> = DataOf<Path> extends (infer Item)[] ? Item : never;

/** A page of a list. `next_cursor` is null on the last page. */
export interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}

export type State = RecordOf<'/v1/states'>;
export type Election = RecordOf<'/v1/elections'>;
export type EndorserCategory = RecordOf<'/v1/endorser-categories'>;
export type Endorser = RecordOf<'/v1/endorsers'>;
export type EndorserWithElections = DataOf<'/v1/endorsers/{slug}'>;
export type Contest = RecordOf<'/v1/contests'>;
export type ContestWithPositions = DataOf<'/v1/contests/{id}'>;
export type ListedEndorsement = RecordOf<'/v1/endorsements'>;
export type Endorsement = DataOf<'/v1/endorsements/{id}'>;
export type Officeholder = RecordOf<'/v1/officeholders'>;
export type OfficeholderWithSeats = DataOf<'/v1/officeholders/{id}'>;
export type Coverage = RecordOf<'/v1/coverage'>;
export type Recommendations = DataOf<'/v1/recommendations'>;
export type Subscription = RecordOf<'/v1/subscriptions'>;
export type SubscriptionBody = BodyOf<'/v1/subscriptions', 'post'>;
/** The submissions of a call of `publish`, and what became of each. */
export type Submissions = DataOf<'/v1/submissions/{id}'>;
/** A submission to publish: a pick to endorse or to withdraw, or a whole position. */
export type NewSubmission = BodyOf<'/v1/submissions', 'post'>['submissions'][number];
export type Webhook = DataOf<'/v1/webhooks/{id}'>;
/** An attempt to deliver a message to a webhook. */
export type WebhookAttempt = NonNullable<Webhook['last_attempt']>;
/** A webhook with its secret, which is shown once. */
export type WebhookWithSecret = Webhook & { secret: string };
export type WebhookBody = BodyOf<'/v1/webhooks/{id}', 'put'>;
export type NewWebhookBody = BodyOf<'/v1/webhooks', 'post'>;
export type WebhookResumeBody = BodyOf<'/v1/webhooks/{id}/resume', 'post'>;
/** A change of an endorsement. */
export type EndorsementEvent = RecordOf<'/v1/events'>;
/** Two numbers over the endorsements that a filter chooses. A complete copy has the same. */
export type ServiceDigest = DataOf<'/v1/digest'>;
export type EndorsementsPage = AnswerOf<'/v1/endorsements'>;
export type EventsPage = AnswerOf<'/v1/events'>;

export type ElectionParameters = Loose<QueryOf<'/v1/elections'>>;
export type EndorserCategoryParameters = Loose<QueryOf<'/v1/endorser-categories'>>;
export type EndorserListParameters = Loose<QueryOf<'/v1/endorsers'>>;
export type EndorserParameters = Loose<QueryOf<'/v1/endorsers/{slug}'>>;
export type ContestListParameters = Loose<QueryOf<'/v1/contests'>>;
export type ContestParameters = Loose<QueryOf<'/v1/contests/{id}'>>;
export type EndorsementListParameters = Loose<QueryOf<'/v1/endorsements'>>;
export type EndorsementParameters = Loose<QueryOf<'/v1/endorsements/{id}'>>;
export type OfficeholderListParameters = Loose<QueryOf<'/v1/officeholders'>>;
export type OfficeholderParameters = Loose<QueryOf<'/v1/officeholders/{id}'>>;
export type CoverageParameters = Loose<QueryOf<'/v1/coverage'>>;
export type RecommendationParameters = Loose<QueryOf<'/v1/recommendations'>>;
export type DigestParameters = Loose<QueryOf<'/v1/digest'>>;
export type EventParameters = Loose<QueryOf<'/v1/events'>>;
export type SubmissionParameters = Loose<QueryOf<'/v1/submissions/{id}'>>;
type StreamParameters = Loose<QueryOf<'/v1/stream'>>;

/** The fields that choose endorsements by their properties, the same for lists, events and mirrors. */
export type EndorsementFilter = Pick<StreamParameters, (typeof ENDORSEMENT_FILTER_FIELDS)[number]>;

/** The changes to follow: the filter of a saved subscription, by id or name, or filter fields. */
export type EventFilter =
  | (EndorsementFilter & Pick<StreamParameters, 'types'> & { subscription?: undefined })
  | ({ subscription: string } & { [Field in keyof EndorsementFilter | 'types']?: undefined });

/** The start: after a cursor, at the oldest kept event, at a time, or with new events. */
export type EventStart =
  | { cursor?: string | null | undefined; from?: undefined; since?: undefined }
  | { from?: 'latest' | 'earliest' | undefined; cursor?: undefined; since?: undefined }
  | { since?: string | Date | undefined; cursor?: undefined; from?: undefined };

/** The lists without paging parameters, for reading all records. */
export type Unpaged<Parameters> = Omit<Parameters, 'limit' | 'cursor'> & {
  /** The number of records per request; by default 500, the maximum. */
  pageSize?: number | undefined;
};

/** The filters of a list that is read as a whole. */
export type Exported<Parameters> = Omit<Parameters, 'limit' | 'cursor'>;
