import { z } from 'zod';
import type { EndorsedContest } from '../../domain/recommendation.ts';
import type { Language } from '../../schemas/vocabulary.ts';
import { type DatabasePool, sql, type Transaction } from '../connection/read-pool.ts';
import { inSnapshot } from '../connection/snapshot.ts';
import { type DataVersions, loadDataVersions } from './data-versions.ts';
import { columns, jsonObject, type Sql } from './json.ts';
import {
  BALLOT_CHOICES,
  BALLOT_ORDER,
  BY_NAME,
  CONTEST_ORDER,
  CONTESTS,
  choiceRecord,
  contestFields,
  ENDORSER_STATE,
  ENDORSERS,
  electionFields,
  endorserRecord,
  pickFields,
} from './records.ts';

const listedElection = z.object({ id: z.number(), slug: z.string(), state: z.string(), date: z.string() });

const LISTED = sql.fragment`l.id, l.slug, l.state, l.date::text AS date`;

/** An election, as far as requests choose it. */
export type ListedElection = z.infer<typeof listedElection>;

const contestRow = z.object({
  id: z.number(),
  electionId: z.number(),
  level: z.string(),
  kind: z.string(),
  /** The JSON of the contest without its choices. */
  record: z.string(),
  rules: z.custom<ContestRules>((value) => typeof value === 'object'),
  /** The JSON of its choices, one on each line, in ballot order. */
  choices: z.string(),
});
const picksRow = z.object({
  contestId: z.number(),
  /** The id of the endorser, the id of the choice and the rank of each pick. */
  facts: z.custom<[endorser: number, choice: number, rank: number | null][]>(Array.isArray),
  /** The JSON of the picks without their endorsers, one on each line, in the same order. */
  records: z.string(),
});
const endorserRow = z.object({
  id: z.number(),
  slug: z.string(),
  category: z.string(),
  state: z.string(),
  record: z.string(),
});
const electionRow = listedElection.extend({ record: z.string() });

/** A contest without picks, as far as these decide a recommendation. */
export type ContestRules = Omit<EndorsedContest, 'picks'>;
export type StoredContest = z.infer<typeof contestRow>;
export type StoredPicks = z.infer<typeof picksRow>;
export type StoredEndorser = z.infer<typeof endorserRow>;

/** The picks of contests. Contests without picks are absent. */
export interface StoredBallotPicks {
  versions: DataVersions;
  /** By the endorsers' names in each contest. */
  picks: readonly StoredPicks[];
  /** The endorsers of the picks. */
  endorsers: readonly StoredEndorser[];
}

/** Contests with all their picks, and their elections. */
export interface StoredBallots extends StoredBallotPicks {
  /** By the election's date and slug, then federal, state and local, then by ballot order. */
  contests: readonly StoredContest[];
  elections: readonly z.infer<typeof electionRow>[];
}

/** The contests to load: those of an election, or those with these ids. */
export type BallotContests = { election: number } | { contests: readonly number[] };

/** The most bytes of statements and sources that are loaded together. A whole answer with more would be refused. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;

/** The endorsements of the contests have too many bytes to be loaded together. */
export class LargeBallotsError extends Error {
  override name = 'LargeBallotsError';
}

/** SQL of all rows of `from` as one: `facts`, a JSON list, and `records`, one on each line. JSON has no line breaks. */
function listed({ facts, record, from, order }: Record<'facts' | 'record' | 'from' | 'order', Sql>): Sql {
  return sql.fragment`
    SELECT json_agg(${facts} ORDER BY ${order}) AS facts,
      string_agg(${record}::text, E'\n' ORDER BY ${order}) AS records
    FROM ${from}`;
}

const areChosen = (chosen: BallotContests): Sql =>
  'election' in chosen
    ? sql.fragment`c.election_id = ${chosen.election}`
    : sql.fragment`c.id = ANY(${sql.array([...chosen.contests], 'int8')})`;

function contestRows(chosen: BallotContests, lang: Language): Sql {
  const rules = jsonObject({
    ...columns('c', ['vote_method', 'votes_allowed', 'ranks_allowed']),
    choices: sql.fragment`COALESCE(hs.facts, '[]')`,
  } satisfies Record<keyof ContestRules, Sql>);
  const choices = listed({
    facts: jsonObject({ ...columns('h', ['id', 'withdrawn']), candidate: sql.fragment`h.candidate_id` }),
    record: choiceRecord(lang),
    from: BALLOT_CHOICES,
    order: BALLOT_ORDER,
  });
  return sql.fragment`
    SELECT c.id, c.election_id AS "electionId", d.level, c.kind,
      ${jsonObject(contestFields(lang))}::text AS record, ${rules} AS rules, COALESCE(hs.records, '') AS choices
    FROM ${CONTESTS} CROSS JOIN LATERAL (${choices}) AS hs
    WHERE ${areChosen(chosen)} AND c.removed_at IS NULL
    ORDER BY ${sql.join(CONTEST_ORDER, sql.fragment`, `)}`;
}

function pickRows(chosen: BallotContests, lang: Language): Sql {
  const picks = listed({
    facts: sql.fragment`json_build_array(n.endorser_id, n.choice_id, n.rank)`,
    record: jsonObject(pickFields(lang)),
    from: sql.fragment`endorsements n JOIN endorsers e ON e.id = n.endorser_id WHERE n.contest_id = c.id`,
    order: sql.fragment`${BY_NAME}, n.id`,
  });
  return sql.fragment`
    SELECT c.id AS "contestId", ns.facts, ns.records
    FROM contests c CROSS JOIN LATERAL (${picks}) AS ns
    WHERE ${areChosen(chosen)} AND c.removed_at IS NULL AND ns.facts IS NOT NULL`;
}

const endorserRows = (chosen: BallotContests, lang: Language): Sql => sql.fragment`
  SELECT e.id, e.slug, e.category, ${ENDORSER_STATE} AS state, ${endorserRecord(lang)}::text AS record
  FROM ${ENDORSERS}
  WHERE e.id IN (
    SELECT n.endorser_id FROM endorsements n JOIN contests c ON c.id = n.contest_id WHERE ${areChosen(chosen)})`;

/** @throws LargeBallotsError */
async function requireLoadable(transaction: Transaction, chosen: BallotContests): Promise<void> {
  const areTheirs =
    'election' in chosen
      ? sql.fragment`election_id = ${chosen.election}`
      : sql.fragment`contest_id = ANY(${sql.array([...chosen.contests], 'int8')})`;
  const bytes = await transaction.oneFirst(sql.type(z.object({ bytes: z.number() }))`
    SELECT COALESCE(sum(COALESCE(greatest(octet_length(statement), octet_length(statement_es)), 0)
      + COALESCE(octet_length(source_url), 0)), 0)::bigint AS bytes
    FROM endorsements WHERE ${areTheirs}`);
  if (bytes > MAX_TEXT_BYTES) throw new LargeBallotsError(`The endorsements have ${bytes} bytes of texts.`);
}

/** @throws LargeBallotsError */
async function loadPicks(
  transaction: Transaction,
  chosen: BallotContests,
  lang: Language,
): Promise<StoredBallotPicks> {
  const versions = await loadDataVersions(transaction);
  await requireLoadable(transaction, chosen);
  const picks = await transaction.any(sql.type(picksRow)`${pickRows(chosen, lang)}`);
  const endorsers = await transaction.any(sql.type(endorserRow)`${endorserRows(chosen, lang)}`);
  return { versions, picks, endorsers };
}

/** Loads the picks of contests, in one snapshot. @throws LargeBallotsError */
export function loadBallotPicks(
  pool: DatabasePool,
  contests: readonly number[],
  lang: Language,
): Promise<StoredBallotPicks> {
  return inSnapshot(pool, (transaction) => loadPicks(transaction, { contests }, lang));
}

/**
 * Loads contests with all their picks, in one snapshot. Many contests share elections and endorsers, so these are
 * rendered once.
 *
 * @throws LargeBallotsError
 */
export function loadBallots(
  pool: DatabasePool,
  chosen: BallotContests,
  lang: Language,
): Promise<StoredBallots> {
  return inSnapshot(pool, async (transaction) => {
    const contests = await transaction.any(sql.type(contestRow)`${contestRows(chosen, lang)}`);
    const electionIds = [...new Set(contests.map(({ electionId }) => electionId))];
    const elections = await transaction.any(sql.type(electionRow)`
      SELECT ${LISTED}, ${jsonObject(electionFields(lang))}::text AS record FROM elections l
      WHERE l.id = ANY(${sql.array(electionIds, 'int4')}) ORDER BY l.date, l.slug`);
    return { ...(await loadPicks(transaction, chosen, lang)), contests, elections };
  });
}

/** Loads all elections by date and slug, with the version of the catalogue that has them. */
export async function loadElections(
  pool: DatabasePool,
): Promise<{ versions: DataVersions; elections: readonly ListedElection[] }> {
  return inSnapshot(pool, async (transaction) => ({
    versions: await loadDataVersions(transaction),
    elections: await transaction.any(
      sql.type(listedElection)`SELECT ${LISTED} FROM elections l ORDER BY l.date, l.slug`,
    ),
  }));
}
