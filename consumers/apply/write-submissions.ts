/** Decides submissions against the store, and writes the effects and their changes. */
import type { ClientBase } from 'pg';
import {
  type BallotContest,
  type BatchChange,
  decideBatch,
  type HeldPosition,
  positionKey,
} from '../../domain/decide-batch.ts';
import { refuseUnpublished } from '../../domain/publication.ts';
import type { Refusal } from '../../domain/refusal.ts';
import type { ChangeBody } from '../../schemas/change.ts';
import { hashContent } from '../../schemas/endorsement-content.ts';
import type { Submission, SubmittedPick } from '../../schemas/submission.ts';
import { currentTraceparent } from '../../service/tracing.ts';
import { announcePositions } from '../../store/endorsements/announce.ts';
import {
  deleteEndorsements,
  type EndorsementRow,
  insertEndorsements,
  reserveEndorsementIds,
  updateEndorsements,
} from '../../store/endorsements/endorsement-rows.ts';
import {
  appendChanges,
  lockStreamHead,
  type NewChange,
  type StreamHead,
  timeAfter,
} from '../../store/stream/change-log.ts';
import type { BallotCache, CachedPosition } from './ballot-cache.ts';
import { findNamed, loadBallot, loadHeld } from './load-ballot.ts';
import type { SubmissionRecord } from './submission-record.ts';

/**
 * The most bytes of the positions that submissions name together, approximately. A withdrawal of a few bytes loads a whole
 * position, and its events repeat it.
 */
export const MAX_HELD_BYTES = 16 * 1024 * 1024;

/** A record with its partition. */
interface Located {
  partition: number;
  record: SubmissionRecord;
}

/** A refused record, and the reason. */
export interface Refused extends Located {
  refusal: Refusal;
}

interface Written {
  changes: number;
  refused: Refused[];
  /** Resolves when the database has executed all sent statements. */
  executed: Promise<unknown>;
}

/** A transaction and its state. */
interface WriteContext {
  client: ClientBase;
  /** Read with its lock in this transaction. */
  head: StreamHead;
  /** Updated before the commit, so a rollback must clear it. */
  cache: BallotCache;
}

/**
 * Sends the effects of all accepted records, or fails and leaves the transaction unusable. The caller waits
 * for `executed`, and may send more meanwhile.
 */
export type Write = (context: WriteContext, located: readonly Located[]) => Promise<Written>;

function bodyOf(
  id: number,
  endorser: ChangeBody['endorser'],
  { contest, election }: BallotContest,
  choice: ChangeBody['choice'],
  { rank, statement, source_url, published_on }: SubmittedPick,
): ChangeBody {
  return {
    endorsement: { id, rank, statement, source_url, published_on },
    endorser,
    contest,
    election,
    choice,
  };
}

/**
 * Gives every change its endorsement's id, with new ids for creations, and makes the events' bodies.
 *
 * @param ids for each `positionKey`, endorsement ids by choice key, which this keeps up to date
 */
function numberChanges(
  changes: readonly BatchChange[],
  fresh: readonly number[],
  ids: ReadonlyMap<string, Map<string, number>>,
  located: readonly Located[],
): NewChange[] {
  const unused = fresh.values();
  // If a submission has no trace, one begins here.
  const ownTrace = currentTraceparent();
  return changes.map(({ index, type, endorser, contest, choice, pick }): NewChange => {
    const { partition, record } = located[index] as Located;
    const submission = record.submission as Submission;
    const known = ids.get(positionKey(submission.endorser, submission.contest)) as Map<string, number>;
    if (type === 'created') known.set(pick.choice, unused.next().value ?? Number.NaN);
    const id = known.get(pick.choice) ?? Number.NaN;
    if (type === 'deleted') known.delete(pick.choice);
    return {
      type,
      body: bodyOf(id, endorser, contest, choice, pick),
      submission: {
        partition,
        offset: record.offset,
        submittedAt: record.submittedAt,
        traceparent: record.traceparent ?? ownTrace,
        sender: record.sender,
      },
    };
  });
}

/** The new and the changed endorsements of a position. */
function* changedRows(
  { endorser, contest, picks }: HeldPosition,
  before: CachedPosition | undefined,
  ids: ReadonlyMap<string, number>,
): Generator<EndorsementRow> {
  for (const pick of picks.values()) {
    const id = ids.get(pick.choice);
    const choice = contest.choices.get(pick.choice);
    if (id === undefined || choice === undefined) continue;
    if (before?.picks.get(pick.choice) === pick && before.ids.get(pick.choice) === id) continue;
    yield {
      id,
      endorserId: endorser.id,
      contestId: contest.contest.id,
      choiceId: choice.id,
      electionId: contest.election.id,
      pick,
      contentHash: hashContent(bodyOf(id, endorser, contest, choice, pick)),
    };
  }
}

export const writeSubmissions: Write = async ({ client, head: locked, cache }, located) => {
  const submissions = located.map(({ record: { submission } }) =>
    'code' in submission ? submission : (refuseUnpublished(submission, locked.now) ?? submission),
  );
  const wellFormed = submissions.filter((submission): submission is Submission => !('code' in submission));
  const ballot = await loadBallot(client, cache, wellFormed);
  const named = findNamed(ballot, wellFormed);
  const pairs = named.map(({ pair }) => pair);
  const head = locked.hasStale ? await announcePositions(client, locked, pairs) : locked;
  const held = await loadHeld(
    client,
    cache,
    named,
    located.length > 1 ? MAX_HELD_BYTES : Number.POSITIVE_INFINITY,
  );
  if (held === null) return writeHalves({ client, cache }, located);
  const positionsBefore = new Map([...held].map(([key, { picks }]) => [key, picks]));
  const { changes, refusals, positions } = decideBatch(ballot, positionsBefore, submissions);
  const refused = [...refusals].map(([index, refusal]) => ({ ...(located[index] as Located), refusal }));

  const ids = new Map([...held].map(([key, position]) => [key, new Map(position.ids)]));
  const created = changes.filter((change) => change.type === 'created').length;
  const fresh = await reserveEndorsementIds(client, created);
  const numbered = numberChanges(changes, fresh, ids, located);
  const isNew = new Set(fresh);
  const rows: EndorsementRow[] = [];
  for (const [key, position] of positions) {
    const own = ids.get(key) as Map<string, number>;
    rows.push(...changedRows(position, held.get(key), own));
    cache.positions.set(key, { picks: position.picks, ids: own });
  }
  // Those that this batch created as well were never stored, and are not missed.
  const gone = numbered.filter(({ type }) => type === 'deleted').map(({ body }) => body.endorsement.id);
  const updatedAt = new Date(timeAfter(head));
  const executed = Promise.all([
    deleteEndorsements(client, gone),
    updateEndorsements(
      client,
      rows.filter(({ id }) => !isNew.has(id)),
      updatedAt,
    ),
    insertEndorsements(
      client,
      rows.filter(({ id }) => isNew.has(id)),
      updatedAt,
    ),
    appendChanges(client, head, numbered),
  ]);
  return { changes: changes.length, refused, executed };
};

/** Writes one half of the records after the other, because their positions are too large together. */
async function writeHalves(
  { client, cache }: Omit<WriteContext, 'head'>,
  located: readonly Located[],
): Promise<Written> {
  const middle = Math.ceil(located.length / 2);
  const total = { changes: 0, refused: [] as Refused[], executed: Promise.resolve() };
  for (const half of [located.slice(0, middle), located.slice(middle)]) {
    const head = await lockStreamHead(client);
    const { changes, refused, executed } = await writeSubmissions({ client, head, cache }, half);
    await executed;
    total.changes += changes;
    total.refused.push(...refused);
  }
  return total;
}
