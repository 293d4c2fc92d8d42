import { setImmediate } from 'node:timers/promises';
import type { Outcome } from '../../administration/publishing/outcomes.ts';
import {
  ForeignEndorserError,
  PositionChangedError,
  publish,
  UnconfirmedError,
} from '../../administration/publishing/publish.ts';
import { findUnpublished } from '../../domain/publication.ts';
import { single } from '../../schemas/http/envelopes.ts';
import { id, waitForOutcome } from '../../schemas/http/parameters.ts';
import {
  MAX_SUBMISSIONS,
  publication,
  submissionList,
  submissionsBody,
} from '../../schemas/http/submissions.ts';
import { stringifyJson } from '../../schemas/json-text.ts';
import { joinField, type Problem } from '../../schemas/problems.ts';
import type { Submission } from '../../schemas/submission.ts';
import { parsePublished } from '../../schemas/submission-files.ts';
import type { Clock } from '../../service/clock.ts';
import { reportFailure } from '../../service/report-failure.ts';
import { findKeyStates } from '../../store/access/api-keys.ts';
import { findPublication, type Publication, publicationsKeptMs } from '../../store/access/publications.ts';
import type { Transaction } from '../../store/connection/read-pool.ts';
import { requireUsableKey } from '../auth/authentication.ts';
import type { GatewayContext } from '../context.ts';
import type { WatchedReader } from '../delivery/access-watch.ts';
import { ApiError, createUnavailableError } from '../http/api-error.ts';
import type { Caller } from '../http/caller.ts';
import { readIdempotency, refuseUsedKey } from '../http/idempotency.ts';
import { nameIds } from '../publishing/name-ids.ts';
import { defineRoute } from './define-route.ts';

/** The most problems of a body that a message names. */
const MAX_NAMED = 50;
/** The most foreign endorsers that a message names. */
const MAX_ENDORSERS = 10;
const UNCONFIRMED =
  'Kafka did not confirm the submissions, and some or all of them may be applied. Send the same request again, with ' +
  'the same Idempotency-Key, until it is accepted: what is applied already then changes nothing.';

/** Reads every submission of a body. @throws ApiError invalid_submission with every problem of every submission */
async function readSubmissions(
  given: readonly unknown[],
  { pool, clock }: Pick<GatewayContext, 'pool' | 'clock'>,
): Promise<Submission[]> {
  const read: Submission[] = [];
  const problems: Problem[] = [];
  const now = clock.now();
  for (const [index, { named: json, problems: ofIds }] of (await nameIds(pool, given)).entries()) {
    // Checking the largest takes some milliseconds. Other requests have their turn in between.
    await setImmediate();
    const parsed = ofIds.length > 0 ? { ok: false as const, problems: ofIds } : parsePublished(json);
    const own = parsed.ok ? findUnpublished(parsed.value, now) : parsed.problems;
    const item = joinField('submissions', index);
    for (const { field, message } of own) {
      problems.push({ field: field === null ? item : joinField(item, field), message });
    }
    if (parsed.ok) read.push(parsed.value);
  }
  if (problems.length === 0) return read;
  const named = problems.slice(0, MAX_NAMED).map(({ field, message }) => `${field} ${message}`);
  const rest = problems.length - named.length;
  const more = rest > 0 ? [`and ${rest.toLocaleString('en-US')} more problems`] : [];
  throw new ApiError('invalid_submission', `${[...named, ...more].join('; ')}. Nothing was sent.`);
}

/** Checks the key anew: the authentication may remember it for seconds. */
function confirmKey({ credential }: Caller, clock: Clock): (transaction: Transaction) => Promise<void> {
  return async (transaction) => {
    // A session is looked up for every request.
    if (!('key' in credential)) return;
    const states = await findKeyStates(transaction, [credential.key]);
    requireUsableKey(states.get(credential.key) ?? null, clock.now());
  };
}

/** Turns a refusal to publish into an ApiError. Other errors are returned unchanged. */
function refusalOf(error: unknown, { log }: Pick<GatewayContext, 'log'>, requestId: string): unknown {
  if (error instanceof ForeignEndorserError) {
    const { endorsers } = error;
    const named = endorsers.slice(0, MAX_ENDORSERS).map((endorser) => `"${endorser}"`);
    const more = endorsers.length > named.length ? ` and ${endorsers.length - named.length} others` : '';
    return new ApiError(
      'endorser_not_allowed',
      `The account may not publish for ${named.join(', ')}${more}. Nothing was sent. Ask the operators of the service to ` +
        'allow it.',
    );
  }
  if (error instanceof PositionChangedError) {
    return new ApiError('conflict', 'Somebody else has just published this position. Nothing was sent.');
  }
  if (error instanceof UnconfirmedError) {
    const message = 'submissions could not be published';
    reportFailure(log, error.cause, { where: 'publishing', message, fields: { requestId } });
    return createUnavailableError('server_busy', UNCONFIRMED);
  }
  return refuseUsedKey(error);
}

function render({ id: publicationId, endorsers, contests }: Publication, outcomes: Outcome[]): string {
  const shown = outcomes.map((outcome, index) => ({
    endorser: endorsers[index],
    contest: contests[index],
    ...outcome,
  }));
  return stringifyJson({ data: { id: publicationId, submissions: shown } });
}

/** Waits until nothing of a publication is on its way. @throws ApiError if the caller may no longer have the answer */
async function waitForOutcomes(
  publication: Publication,
  { waitMs, caller, closed }: { waitMs: number; caller: Caller; closed: AbortSignal },
  { publishing, accessWatch, clock, draining }: GatewayContext,
): Promise<void> {
  const ended = new AbortController();
  let refusal: ApiError | undefined;
  const watched: WatchedReader = {
    credential: caller.credential,
    subscription: null,
    lease: null,
    refuse(error) {
      refusal ??= error;
      ended.abort();
    },
  };
  accessWatch.add(watched);
  const signal = AbortSignal.any([closed, draining, ended.signal]);
  clock.wait(waitMs, signal).then(() => ended.abort());
  try {
    await publishing.untilApplied(publication, signal);
    await accessWatch.check(watched);
    if (refusal) throw refusal;
  } finally {
    ended.abort();
    accessWatch.remove(watched);
  }
}

const one = single(publication);

export const submissionRoutes = [
  defineRoute({
    method: 'POST',
    path: '/v1/submissions',
    operationId: 'createSubmissions',
    tag: 'Publishing',
    summary: 'Publish endorsements',
    description:
      `Sends 1 to ${MAX_SUBMISSIONS} submissions, in the forms of submission files, for endorsers for which the account may ` +
      'publish. Contests and choices are named by their keys, or by their ids as the read endpoints have them. All are checked before any is sent: either all are sent or none. The answer comes when they are stored ' +
      'safely, before they are applied; its `Location` tells what became of them. Submissions of an endorser are applied ' +
      'in the order in which they were sent, and the requests of an account are sent one after the other. After an ' +
      'answer of 503, or none, some of them may have been sent: the same request with the same Idempotency-Key sends ' +
      'all of them again, unless the first one was accepted. Submissions that are applied already change nothing then. ' +
      'If somebody else has changed a position in between, the repeated submission wins. An addition to the interface ' +
      'specification.',
    scope: 'endorsements:write',
    body: { schema: submissionsBody, refusal: 'invalid_submission', checked: submissionList },
    errors: ['endorser_not_allowed', 'conflict'],
    success: 202,
    response: one,
    turns: (_query, { publishing }) => publishing.turns,
    async handle({ caller, body, header, unchangedSince, id: requestId }, context) {
      const { pool, publishing, clock } = context;
      const now = clock.now();
      const idempotency = readIdempotency(header('Idempotency-Key'), body);
      const given = (body as { submissions: unknown[] }).submissions;
      const read = await readSubmissions(given, context);
      const made = await publish(pool, () => publishing.producer(), {
        accountId: caller.accountId,
        author: caller.credential,
        submissions: read,
        idempotency,
        now: new Date(now),
        unchangedSince: unchangedSince === undefined ? null : Number(unchangedSince),
        confirm: confirmKey(caller, clock),
      }).catch((error: unknown) => {
        throw refusalOf(error, context, requestId);
      });
      const headers = { Location: `/v1/submissions/${made.id}` };
      return { status: 202, headers, json: `{"data":${made.record}}` };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/submissions/{id}',
    operationId: 'getSubmissions',
    tag: 'Publishing',
    summary: 'Get what became of submissions',
    description:
      'The submissions of one request of the account, and what became of each. They are kept for a week, or as long as ' +
      'events if that is shorter, and for the newest 1,000 requests of an account. An addition to the interface ' +
      'specification.',
    scope: 'endorsements:write',
    query: { wait: waitForOutcome },
    parameters: { id },
    errors: ['not_found'],
    response: one,
    async handle({ caller, path, query, closed }, context) {
      const { pool, publishing, config } = context;
      const { accountId } = caller;
      const keptMs = publicationsKeptMs(config.retentionMs);
      const publication = await findPublication(pool, { accountId, id: path.id, keptMs });
      if (!publication) {
        throw new ApiError('not_found', `The account has no submissions ${path.id}, or none any more.`);
      }
      const load = async () => {
        const outcomes = await publishing.outcomesOf(publication, { share: accountId, gone: closed });
        if (outcomes) return outcomes;
        throw new ApiError(
          'not_found',
          `The outcomes of the submissions ${path.id} are no longer known, because Kafka's topic was replaced since.`,
        );
      };
      let outcomes = await load();
      const isOnItsWay = outcomes.some(({ status }) => status === 'submitted');
      if (query.wait > 0 && isOnItsWay) {
        await waitForOutcomes(publication, { waitMs: query.wait * 1000, caller, closed }, context);
        outcomes = await load();
      }
      return { json: render(publication, outcomes) };
    },
  }),
];
