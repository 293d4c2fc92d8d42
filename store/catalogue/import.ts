import type pg from 'pg';
import type { CatalogueKind } from '../../schemas/catalogue-files.ts';
import { ADVISORY_LOCKS } from '../connection/advisory-locks.ts';
import type { MergeCounts } from './merge.ts';
import { mergeCandidates, mergeChoices, spreadChoices } from './merge-choices.ts';
import { mergeContests, mergeDistricts, mergeElections, spreadContests } from './merge-contests.ts';
import { mergeCategories, mergeEndorsers } from './merge-endorsers.ts';
import { type CatalogueRefusal, countRefused, listRefusals, refuseUnfit } from './refusals.ts';
import { removeVanished } from './removal.ts';
import { type StagedLine, stageLines } from './staging.ts';

/** Refusals that the store itself finds are listed up to here, and counted beyond. */
const MAX_REFUSALS = 100;

const TABLES = [
  'endorser_categories',
  'endorsers',
  'elections',
  'districts',
  'contests',
  'candidates',
  'choices',
] as const;
export type CatalogueTable = (typeof TABLES)[number];

export interface CatalogueCounts extends MergeCounts {
  removed: number;
}

export interface CatalogueImport {
  /** Whether the import was committed; otherwise it left nothing behind. */
  loaded: boolean;
  /** Rows by table; empty when nothing was loaded. */
  counts: Partial<Record<CatalogueTable, CatalogueCounts>>;
  endorsementsWithdrawn: number;
  /** Lines refused, those refused before staging included. */
  refused: Partial<Record<CatalogueKind, number>>;
  /** The first of those that only the store could refuse, and how many it refused. */
  refusals: CatalogueRefusal[];
  refusalCount: number;
}

export interface CatalogueImportOptions {
  /** Loads what is good and leaves out what is refused; otherwise one refusal stops the whole import. */
  skipRefused: boolean;
  now: Date;
}

/**
 * Loads catalogue lines in one transaction, in dependency order whatever the order of `lines`. Idempotent: ids are given
 * once and kept, and what is already so is not written.
 *
 * @param client a connection of the caller's own, in no transaction
 * @throws whatever `lines` throws, and database errors; the transaction is then rolled back.
 */
export async function importCatalogue(
  client: pg.Client,
  lines: AsyncIterable<StagedLine>,
  { skipRefused, now }: CatalogueImportOptions,
): Promise<CatalogueImport> {
  await client.query('BEGIN');
  try {
    await client.query(`SET LOCAL work_mem = '64MB'`);
    await client.query('SET LOCAL jit = off');
    await stageLines(client, lines);
    await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.catalogueImport]);
    await refuseUnfit(client);
    const refused = await countRefused(client);
    const listed = await listRefusals(client, MAX_REFUSALS);
    if (Object.keys(refused).length > 0 && !skipRefused) {
      await client.query('ROLLBACK');
      return { loaded: false, counts: {}, endorsementsWithdrawn: 0, refused, ...listed };
    }
    const { counts, endorsementsWithdrawn } = await mergeAll(client, now);
    await client.query('COMMIT');
    // Best effort and after the commit: a great import changes what the planner should know.
    await client.query(`ANALYZE ${TABLES.join(', ')}`);
    return { loaded: true, counts, endorsementsWithdrawn, refused, ...listed };
  } catch (error) {
    // Fails where the connection is lost, and then the server has rolled back by itself.
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Each table after those that it refers to; what vanished goes last, because that takes the stream's lock. */
async function mergeAll(
  client: pg.Client,
  now: Date,
): Promise<Pick<CatalogueImport, 'counts' | 'endorsementsWithdrawn'>> {
  const endorser_categories = await mergeCategories(client);
  const endorsers = await mergeEndorsers(client);
  const elections = await mergeElections(client);
  await spreadContests(client);
  const districts = await mergeDistricts(client);
  const contests = await mergeContests(client);
  await spreadChoices(client);
  const candidates = await mergeCandidates(client);
  const choices = await mergeChoices(client);
  const removal = await removeVanished(client, now);
  return {
    counts: {
      endorser_categories: { ...endorser_categories, removed: 0 },
      endorsers: { ...endorsers, removed: 0 },
      elections: { ...elections, removed: 0 },
      districts: { ...districts, removed: 0 },
      contests: { ...contests, removed: removal.contests },
      candidates: { ...candidates, removed: 0 },
      choices: { ...choices, removed: removal.choices },
    },
    endorsementsWithdrawn: removal.endorsements,
  };
}
