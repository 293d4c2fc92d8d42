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

/** The most refusals of the store that are listed; further ones are only counted. */
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
  /** Whether the import was committed. If not, it changed nothing. */
  loaded: boolean;
  /** Rows by table; empty if nothing was loaded. */
  counts: Partial<Record<CatalogueTable, CatalogueCounts>>;
  endorsementsWithdrawn: number;
  /** Refused lines by kind, including those refused before staging. */
  refused: Partial<Record<CatalogueKind, number>>;
  /** The first refusals that needed the store, and the number of all of them. */
  refusals: CatalogueRefusal[];
  refusalCount: number;
}

export interface CatalogueImportOptions {
  /** Imports the other lines despite refusals; otherwise one refusal stops the whole import. */
  skipRefused: boolean;
}

/**
 * Imports catalogue lines in one transaction. Tables are merged in the order of their dependencies, so the order of
 * `lines` does not matter. Importing is idempotent: records keep their ids, and unchanged rows are not written.
 *
 * @param client a connection of the caller's own, outside of a transaction.
 * @throws the errors of `lines` and of the database, after rolling back.
 */
export async function importCatalogue(
  client: pg.Client,
  lines: AsyncIterable<StagedLine>,
  { skipRefused }: CatalogueImportOptions,
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
    const { counts, endorsementsWithdrawn } = await mergeAll(client);
    await client.query('COMMIT');
    // A large import changes the statistics that the planner relies on.
    await client.query(`ANALYZE ${TABLES.join(', ')}`);
    return { loaded: true, counts, endorsementsWithdrawn, refused, ...listed };
  } catch (error) {
    // Fails if the connection is lost, and then the server rolls back by itself.
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Merges each table after those that it refers to. Removal comes last, because it takes the stream's lock. */
async function mergeAll(
  client: pg.Client,
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
  const removal = await removeVanished(client);
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
