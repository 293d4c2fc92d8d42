import { Calls } from './calls.ts';
import { type Checkpoint, EventReader } from './events/event-reader.ts';
import { readPolls } from './events/read-polls.ts';
import { readStream } from './events/read-stream.ts';
import { pickFilter, readStart, type StepSource } from './events/step.ts';
import { ExportReader } from './exports/export-reader.ts';
import { type Identified, readExport } from './exports/read-export.ts';
import { Connection } from './http/connection.ts';
import type { QueryValues } from './http/query.ts';
import { Mirror, type MirrorOptions } from './mirror/mirror.ts';
import type { CallOptions, ClientOptions, PublishOptions } from './options.ts';
import { MAX_PAGE_SIZE, readRecords } from './pages.ts';
import type * as types from './types.ts';

interface Reading {
  /** Ends the loop, which then throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Whether the loop also gets checkpoints. Store their cursors while no event comes. */
  checkpoints?: boolean | undefined;
}

/** The events to read with `stream`, and the start. */
export type StreamOptions = types.EventFilter &
  types.EventStart &
  Reading & {
    /** A connection counts as dead after this much silence, in milliseconds; 45,000 by default. */
    silenceMs?: number | undefined;
  };

/** The events to read with `events`, and the start. */
export type EventsOptions = types.EventFilter &
  types.EventStart &
  Reading & {
    /** The most events of an answer, up to 1000; 500 by default. */
    limit?: number | undefined;
    /** False ends the loop at the end of the stream; by default it waits for further events. */
    follow?: boolean | undefined;
  };

type ReadItem<Options extends Reading> = Options extends { checkpoints: true }
  ? types.EndorsementEvent | Checkpoint
  : types.EndorsementEvent;

const POLL_LIMIT = 500;
/** How long the service may hold a call for a test, in seconds. */
const TEST_SECONDS = 25;

/** A client of the service. All methods retry after temporary failures. */
export class BallotEndorsements {
  readonly #connection: Connection;
  readonly #calls: Calls;

  /** @throws TypeError if `baseUrl` is not a valid address */
  constructor(options: ClientOptions) {
    this.#connection = new Connection(options);
    this.#calls = new Calls(this.#connection);
  }

  /** Every state. */
  async listStates(options?: CallOptions): Promise<types.State[]> {
    return this.#calls.readList('/v1/states', {}, options);
  }

  /** A page of elections, by date. */
  listElections(
    parameters?: types.ElectionParameters,
    options?: CallOptions,
  ): Promise<types.Page<types.Election>> {
    return this.#calls.readPage('/v1/elections', parameters, options);
  }

  /** All elections, by date. */
  elections(parameters?: types.Unpaged<types.ElectionParameters>, options?: CallOptions) {
    return this.#records<types.Election>('/v1/elections', parameters, options);
  }

  /** Every endorser category. */
  async listEndorserCategories(
    parameters?: types.EndorserCategoryParameters,
    options?: CallOptions,
  ): Promise<types.EndorserCategory[]> {
    return this.#calls.readList('/v1/endorser-categories', parameters, options);
  }

  /** A page of endorsers, by name. */
  listEndorsers(
    parameters?: types.EndorserListParameters,
    options?: CallOptions,
  ): Promise<types.Page<types.Endorser>> {
    return this.#calls.readPage('/v1/endorsers', parameters, options);
  }

  /** All endorsers, by name. */
  endorsers(parameters?: types.Unpaged<types.EndorserListParameters>, options?: CallOptions) {
    return this.#records<types.Endorser>('/v1/endorsers', parameters, options);
  }

  /** One endorser, with the elections in which it endorsed. */
  async getEndorser(
    slug: string,
    parameters?: types.EndorserParameters,
    options?: CallOptions,
  ): Promise<types.EndorserWithElections> {
    return this.#calls.readRecord(`/v1/endorsers/${formatPart('slug', slug)}`, parameters, options);
  }

  /** A page of contests, in ballot order. */
  listContests(
    parameters?: types.ContestListParameters,
    options?: CallOptions,
  ): Promise<types.Page<types.Contest>> {
    return this.#calls.readPage('/v1/contests', parameters, options);
  }

  /** All contests, in ballot order. */
  contests(parameters?: types.Unpaged<types.ContestListParameters>, options?: CallOptions) {
    return this.#records<types.Contest>('/v1/contests', parameters, options);
  }

  /** All contests, by id, in one answer: the fastest way to read many. */
  exportContests(parameters: types.Exported<types.ContestListParameters> = {}, options: CallOptions = {}) {
    return this.#export<types.Contest>('/v1/contests', parameters, options);
  }

  /** One contest, with the position of every endorser. */
  async getContest(
    id: number,
    parameters?: types.ContestParameters,
    options?: CallOptions,
  ): Promise<types.ContestWithPositions> {
    return this.#calls.readRecord(`/v1/contests/${formatPart('id', id)}`, parameters, options);
  }

  /** A page of endorsements, by id, with the list's position in the stream. */
  listEndorsements(
    parameters?: types.EndorsementListParameters,
    options?: CallOptions,
  ): Promise<types.EndorsementsPage> {
    return this.#calls.readPage('/v1/endorsements', parameters, options);
  }

  /** All endorsements, by id. */
  endorsements(parameters?: types.Unpaged<types.EndorsementListParameters>, options?: CallOptions) {
    return this.#records<types.ListedEndorsement>('/v1/endorsements', parameters, options);
  }

  /** All endorsements, by id, in one answer: the fastest way to read many. */
  exportEndorsements(
    parameters: types.Exported<types.EndorsementListParameters> = {},
    options: CallOptions = {},
  ) {
    return this.#export<types.ListedEndorsement>('/v1/endorsements', parameters, options);
  }

  /** One endorsement in full. */
  async getEndorsement(
    id: number,
    parameters?: types.EndorsementParameters,
    options?: CallOptions,
  ): Promise<types.Endorsement> {
    return this.#calls.readRecord(`/v1/endorsements/${formatPart('id', id)}`, parameters, options);
  }

  /** A page of officeholders, by name. */
  listOfficeholders(
    parameters?: types.OfficeholderListParameters,
    options?: CallOptions,
  ): Promise<types.Page<types.Officeholder>> {
    return this.#calls.readPage('/v1/officeholders', parameters, options);
  }

  /** All officeholders, by name. */
  officeholders(parameters?: types.Unpaged<types.OfficeholderListParameters>, options?: CallOptions) {
    return this.#records<types.Officeholder>('/v1/officeholders', parameters, options);
  }

  /** One officeholder, by `person_id`, with every seat held. */
  async getOfficeholder(
    personId: string,
    parameters?: types.OfficeholderParameters,
    options?: CallOptions,
  ): Promise<types.OfficeholderWithSeats> {
    return this.#calls.readRecord(
      `/v1/officeholders/${formatPart('personId', personId)}`,
      parameters,
      options,
    );
  }

  /** The counts of every state. */
  async getCoverage(parameters?: types.CoverageParameters, options?: CallOptions): Promise<types.Coverage[]> {
    return this.#calls.readList('/v1/coverage', parameters, options);
  }

  /** How the chosen endorsers would vote. Needs `state`, `election` or `contest`. */
  async getRecommendations(
    parameters: types.RecommendationParameters,
    options?: CallOptions,
  ): Promise<types.Recommendations> {
    return this.#calls.readRecord('/v1/recommendations', parameters, options);
  }

  /** The digest of the endorsements that a filter chooses, to compare with a copy. */
  async getDigest(filter: types.DigestParameters = {}, options?: CallOptions): Promise<types.ServiceDigest> {
    return this.#calls.readRecord('/v1/digest', filter, options);
  }

  /** Every subscription of the account. */
  async listSubscriptions(options?: CallOptions): Promise<types.Subscription[]> {
    return this.#calls.readList('/v1/subscriptions', {}, options);
  }

  /** Saves a filter. An Idempotency-Key makes retries safe. */
  async createSubscription(body: types.SubscriptionBody, options?: CallOptions): Promise<types.Subscription> {
    return this.#calls.create('/v1/subscriptions', body, options);
  }

  /** One subscription. */
  async getSubscription(id: number, options?: CallOptions): Promise<types.Subscription> {
    return this.#calls.readRecord(`/v1/subscriptions/${formatPart('id', id)}`, {}, options);
  }

  /** Replaces the name and the filter of a subscription. */
  async replaceSubscription(
    id: number,
    body: types.SubscriptionBody,
    options?: CallOptions,
  ): Promise<types.Subscription> {
    const path = `/v1/subscriptions/${formatPart('id', id)}`;
    return this.#calls.replace(path, body, options);
  }

  /** Deletes a subscription. */
  async deleteSubscription(id: number, options?: CallOptions): Promise<void> {
    return this.#calls.delete(`/v1/subscriptions/${formatPart('id', id)}`, options);
  }

  /**
   * Publishes up to 500 endorsements, withdrawals and positions, all or none, for endorsers that the account may speak for.
   * Returns when they are stored safely, before they are applied: `submission` tells what became of them.
   */
  async publish(
    submissions: readonly types.NewSubmission[],
    options?: PublishOptions,
  ): Promise<types.Submissions> {
    return this.#calls.create('/v1/submissions', { submissions }, options);
  }

  /** The outcomes of the submissions of a call of `publish`. With `wait`, up to 25 s, it waits until nothing is on its way. */
  async submission(
    id: number,
    parameters?: types.SubmissionParameters,
    options?: CallOptions,
  ): Promise<types.Submissions> {
    return this.#calls.readRecord(
      `/v1/submissions/${formatPart('id', id)}`,
      parameters,
      this.#waiting(parameters?.wait, options),
    );
  }

  /** Every webhook of the account. */
  async listWebhooks(options?: CallOptions): Promise<types.Webhook[]> {
    return this.#calls.readList('/v1/webhooks', {}, options);
  }

  /** Creates a webhook, from the newest change on by default. Only its answer, and that of a rotation, has the secret. */
  async createWebhook(body: types.NewWebhookBody, options?: CallOptions): Promise<types.WebhookWithSecret> {
    return this.#calls.create('/v1/webhooks', body, options);
  }

  /** One webhook, with its state and its last attempt. */
  async getWebhook(id: number, options?: CallOptions): Promise<types.Webhook> {
    return this.#calls.readRecord(`/v1/webhooks/${formatPart('id', id)}`, {}, options);
  }

  /** Replaces the name, the address and the filter of a webhook. */
  async replaceWebhook(id: number, body: types.WebhookBody, options?: CallOptions): Promise<types.Webhook> {
    const path = `/v1/webhooks/${formatPart('id', id)}`;
    return this.#calls.replace(path, body, options);
  }

  /** Deletes a webhook. */
  async deleteWebhook(id: number, options?: CallOptions): Promise<void> {
    return this.#calls.delete(`/v1/webhooks/${formatPart('id', id)}`, options);
  }

  /** Gives a webhook another secret. For 24 hours the previous one signs too. */
  async rotateWebhookSecret(id: number, options?: CallOptions): Promise<types.WebhookWithSecret> {
    const path = `/v1/webhooks/${formatPart('id', id)}/secret`;
    return this.#calls.create(path, {}, options);
  }

  /** Sends a test message to a webhook, and returns the outcome. */
  async testWebhook(id: number, options?: CallOptions): Promise<types.WebhookAttempt> {
    const path = `/v1/webhooks/${formatPart('id', id)}/test`;
    const waiting = this.#waiting(TEST_SECONDS, options);
    return this.#calls.create(path, {}, waiting);
  }

  /** Resumes a webhook where it stood, or at another position. A failing one tries at once. */
  async resumeWebhook(
    id: number,
    body: types.WebhookResumeBody = {},
    options?: CallOptions,
  ): Promise<types.Webhook> {
    const path = `/v1/webhooks/${formatPart('id', id)}/resume`;
    return this.#calls.create(path, body, options);
  }

  /** The options of a call that the service may hold for some seconds. */
  #waiting(seconds = 0, options: CallOptions = {}): CallOptions {
    const { timeoutMs = this.#connection.timeoutMs } = options;
    return { ...options, timeoutMs: timeoutMs + seconds * 1000 };
  }

  /** One answer of `/v1/events`, for programs that keep `next_cursor` themselves. */
  pollEvents(parameters?: types.EventParameters, options?: CallOptions): Promise<types.EventsPage> {
    return this.#calls.readPage('/v1/events', parameters, this.#waiting(parameters?.wait, options));
  }

  /**
   * Changes of endorsements by long polling, in order, each once. It is for networks that block streams. Elsewhere
   * `stream` needs fewer requests.
   */
  events<Options extends EventsOptions>(options: Options = {} as Options): EventReader<ReadItem<Options>> {
    const { limit = POLL_LIMIT, follow = true } = options;
    const filter = pickFilter(options);
    return this.#createReader(options, (start, signal) =>
      readPolls(this.#connection, start, { filter, signal, limit, follow }),
    );
  }

  /**
   * Changes of endorsements as they happen, in order, each once; by default from now on. It continues by itself after
   * cuts, restarts, limits and silent connections.
   */
  stream<Options extends StreamOptions>(options: Options = {} as Options): EventReader<ReadItem<Options>> {
    const { silenceMs } = options;
    const filter = pickFilter(options);
    return this.#createReader(options, (start, signal) =>
      readStream(this.#connection, start, { filter, signal, silenceMs }),
    );
  }

  /** An exact copy of the endorsements that a filter chooses. It begins with `run` or `sync`. */
  mirror(options: MirrorOptions = {}): Mirror {
    return new Mirror(this.#connection, this.#calls, options);
  }

  #createReader<Options extends Reading & types.EventStart>(
    options: Options,
    source: StepSource,
  ): EventReader<ReadItem<Options>> {
    const { signal, checkpoints = false } = options;
    return new EventReader(source, { start: readStart(options), signal, checkpoints });
  }

  #records<Item>(
    path: string,
    { pageSize: limit = MAX_PAGE_SIZE, ...filter }: { pageSize?: number | undefined } = {},
    options?: CallOptions,
  ): AsyncGenerator<Item, void> {
    return readRecords<Item>((cursor) =>
      this.#calls.readPage(path, { ...filter, limit, ...(cursor !== null && { cursor }) }, options),
    );
  }

  #export<Item extends Identified>(path: string, filter: object, options: CallOptions): ExportReader<Item> {
    const settings = { ...options, path, filter: filter as QueryValues };
    return new ExportReader(() => readExport<Item>(this.#connection, settings));
  }
}

/** Formats a part of a path. @throws TypeError for a value that would change the path */
function formatPart(name: string, value: string | number): string {
  const text = String(value);
  const isRight = typeof value === 'number' ? Number.isSafeInteger(value) : !/^\.{0,2}$/.test(text);
  if (isRight) return encodeURIComponent(text);
  throw new TypeError(
    `${name} must be ${name === 'id' ? 'a whole number' : 'a text'}; it is ${JSON.stringify(value)}.`,
  );
}
